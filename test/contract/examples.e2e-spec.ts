import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { operationsOf, type Placed, readDocument } from './served-document.js';

/** Reads come first, what removes comes last, so that no example takes away what another one shows. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Examples that no document can hold, because a part of them is random and secret; the rest of them is replayed. */
async function secretParts(app: TestApp): Promise<Record<string, object>> {
  const { staff, platformKey, operatorId, vaultSlug } = app.credentials;
  const platform = app.with(platformKey);
  const { body: vault } = await platform.post<{ data: { ciphertext: string } }>(`/vault/v1/${vaultSlug}/encrypt`, {
    plaintext: 'P1234567',
  });
  const { body: client } = await platform.post<{ clientId: string; clientSecret: string }>(
    `/connect/v1/operators/${operatorId}/oauth-clients`,
    { scopes: ['connect:bookings:read'] },
  );
  return {
    'POST /v1/admin/identity/sessions': { email: staff.email, password: staff.password },
    'POST /vault/v1/{vaultSlug}/decrypt': { ciphertext: vault.data.ciphertext },
    'POST /vault/v1/{vaultSlug}/rewrap': { ciphertext: vault.data.ciphertext },
    'POST /connect/v1/oauth/token': { client_id: client.clientId, client_secret: client.clientSecret },
  };
}

/** Paths that no document can hold: a link is signed, and for a few minutes. */
async function secretPaths(app: TestApp): Promise<Record<string, string>> {
  const rendition = '/v1/admin/finance/invoice-renditions/rend_01k0dem000e000000000000001/download';
  const { headers } = await app.as('owner').get(rendition);
  return { 'GET /v1/files/{token}': headers['location'] ?? '' };
}

describe('the examples of the API document', () => {
  it('answer 2xx on fresh demo data, each operation once', async () => {
    const app = await startApp();
    const [secrets, paths] = [await secretParts(app), await secretPaths(app)];
    const operations = operationsOf(await readDocument(app));
    operations.sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));

    const refused: string[] = [];
    for (const operation of operations) {
      const name = `${operation.method} ${operation.path}`;
      const [media] = Object.values(operation.requestBody?.content ?? {});
      const example = media?.example as object | undefined;
      const body = example === undefined ? undefined : { ...example, ...secrets[name] };
      const { status, text } = await app.request(operation.method, paths[name] ?? pathOf(operation), {
        body,
        token: tokenFor(app, operation),
      });
      if (status < 200 || status > 399) refused.push(`${name} -> ${status} ${text}`);
    }
    expect(refused).toEqual([]);
  });
});

/** With what of its query must be given. */
function pathOf({ path, parameters = [] }: Placed): string {
  const examples = new Map(parameters.map(({ name, example, schema }) => [name, String(example ?? schema.example)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  const needed = parameters.filter((found) => found.in === 'query' && found.required === true);
  const query = new URLSearchParams(needed.map(({ name }): [string, string] => [name, examples.get(name) ?? '']));
  return needed.length === 0 ? filled : `${filled}?${query.toString()}`;
}

function tokenFor(app: TestApp, { path, security }: Placed): string | undefined {
  if (security?.length === 0) return undefined;
  return path.startsWith('/v1/admin/') ? app.credentials.staff.token : app.credentials.platformKey;
}
