import type { Agent } from 'node:http';
import type { Json } from '../../fuzz/json.js';
import type { Credentials } from '../../setup/credentials.js';
import { send } from '../../setup/http.js';

/** Members of bodies that no document can contain, because they are secret; by the id of the operation. */
export type Secrets = Readonly<Record<string, Record<string, Json>>>;

interface Service {
  agent: Agent;
  url: URL;
  credentials: Credentials;
}

/** As large as the vault accepts, so that decrypting is as expensive as possible. */
const PLAINTEXT_BYTES = 48 * 1024;

/** With these, hostile bodies reach the implementation of the operations. */
export async function secretMembers({ agent, url, credentials }: Service): Promise<Secrets> {
  const { platformKey: token, operatorId, vaultSlug, staff } = credentials;
  const call = { method: 'POST', token };
  const vault = await send<{ data: { ciphertext: string } }>(agent, url, {
    ...call,
    path: `/vault/v1/${vaultSlug}/encrypt`,
    body: { plaintext: 'p'.repeat(PLAINTEXT_BYTES) },
  });
  const client = await send<{ clientId: string; clientSecret: string }>(agent, url, {
    ...call,
    path: `/connect/v1/operators/${operatorId}/oauth-clients`,
    body: { scopes: ['connect:bookings:read'] },
  });
  const { ciphertext } = vault.body.data;
  return {
    sessions_open: { email: staff.email, password: staff.password },
    encryption_decrypt: { ciphertext },
    encryption_rewrap: { ciphertext },
    token_issue: { client_id: client.body.clientId, client_secret: client.body.clientSecret },
  };
}
