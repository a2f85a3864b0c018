import { newCredential } from '../../src/platform/ids/credentials.js';
import { newId } from '../../src/platform/ids/id.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

type Encrypted = { data: { ciphertext: string } };
type Decrypted = { data: { plaintext: string } };

export const UNDECRYPTABLE = { error: 'ciphertext cannot be decrypted' };

export function encrypt(client: TestClient, slug: string, plaintext: string): Promise<Answer<Encrypted>> {
  return client.post<Encrypted>(`/vault/v1/${slug}/encrypt`, { plaintext });
}

export function decrypt(client: TestClient, slug: string, ciphertext: string): Promise<Answer<Decrypted>> {
  return client.post<Decrypted>(`/vault/v1/${slug}/decrypt`, { ciphertext });
}

/** Encrypts and expects success. */
export async function encrypted(client: TestClient, slug: string, plaintext: string): Promise<string> {
  const { status, body, text } = await encrypt(client, slug, plaintext);
  if (status !== 200) throw new Error(`encrypt answered ${status} ${text}`);
  return body.data.ciphertext;
}

/** The decrypted value, or null if the request is rejected. */
export async function decrypted(client: TestClient, slug: string, ciphertext: string): Promise<string | null> {
  const { status, body } = await decrypt(client, slug, ciphertext);
  return status === 200 ? body.data.plaintext : null;
}

/** The service as called with a platform key that has these scopes only. */
export async function withScopes(app: TestApp, ...scopes: string[]): Promise<TestClient> {
  const { token, publicId, secretHash } = newCredential('tpk');
  await app.sql(
    `insert into api_tokens (id, kind, public_id, secret_hash, name, scopes, version, created_at, updated_at)
     values ($1, 'platform', $2, $3, $2, $4, 1, now(), now())`,
    [newId('atok'), publicId, secretHash, scopes],
  );
  return app.with(token);
}

/** The versions of a vault, oldest first. */
export function versionsOf(
  app: TestApp,
  slug: string,
): Promise<{ version: number; state: string; kek_id: string; reserved: string }[]> {
  return app.sql(
    `select version, state, kek_id, reserved from vault_key_versions
     where vault_id = (select id from vaults where slug = $1) order by version`,
    [slug],
  );
}

/** Changes the first version of a vault without the service, as no endpoint does yet. */
export async function setVersion(app: TestApp, slug: string, change: string): Promise<void> {
  await app.sql(
    `update vault_key_versions set ${change}
     where version = 1 and vault_id = (select id from vaults where slug = $1)`,
    [slug],
  );
}
