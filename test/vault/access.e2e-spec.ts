/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { encrypted, withScopes } from './vaults.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

const UNAUTHORIZED = { error: UNAUTHORIZED_TEXT.vault };
const NOT_A_SLUG = { error: 'vaultSlug: must be 1 to 63 lower-case letters, digits and hyphens' };
const ROUTES = [
  { verb: 'encrypt', scope: 'vault:write', other: 'vault:read', sent: { plaintext: 'x' } },
  { verb: 'decrypt', scope: 'vault:read', other: 'vault:write', sent: { ciphertext: 'x' } },
];

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe.each(ROUTES)('$verb', ({ verb, scope, other, sent }) => {
  const path = `/vault/v1/primary/${verb}`;

  it(`${verb} answers the same 401 for an unknown key and for a staff token`, async () => {
    const unknown = app.credentials.platformKey.replace(/_[0-9A-Za-z]{16}_/, '_0000000000000000_');
    const answers = await Promise.all([app.with(unknown).post(path, sent), app.as('owner').post(path, sent)]);

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [401, UNAUTHORIZED],
      [401, UNAUTHORIZED],
    ]);
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="vault", error="invalid_token"');
  });

  it(`${verb} requires scope ${scope}, and no other scope grants it`, async () => {
    const others = await withScopes(app, other, 'vault:keys', 'connect:*', 'realtime:publish');
    const { status, body, headers } = await others.post(path, sent);

    expect([status, body]).toEqual([403, { error: `Requires the scope ${scope}` }]);
    expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
  });

  it(`${verb} accepts a key with only the scope ${scope}`, async () => {
    const ciphertext = await encrypted(app.as('platform'), 'primary', 'x');
    const { status } = await (await withScopes(app, scope)).post(path, verb === 'encrypt' ? sent : { ciphertext });

    expect(status).toBe(200);
  });

  it.each(['Primary', 'primary_', 'prim%61ry!', 'a%2Fb', 'a%00', '%C3%A9', 'x'.repeat(64), ' a', 'a.b'])(
    `${verb} with the invalid vault slug "%s" is 400`,
    async (slug) => {
      const { status, body } = await app
        .as('platform')
        .post(`/vault/v1/${encodeURI(slug).replaceAll('%25', '%')}/${verb}`, sent);

      expect([status, body]).toEqual([400, NOT_A_SLUG]);
    },
  );

  it(`${verb} checks credential and scope before slug and body`, async () => {
    const [anonymous, limited] = await Promise.all([
      app.post(`/vault/v1/NOT_A_SLUG/${verb}`, { odd: true }),
      app.as('limited').post(`/vault/v1/NOT_A_SLUG/${verb}`, { odd: true }),
    ]);

    expect([anonymous.status, limited.status]).toEqual([401, 403]);
  });

  it(`${verb} answers 405 with only an error for another method`, async () => {
    const { status, body, headers } = await app.as('platform').get(path);

    expect([status, body]).toEqual([405, { error: 'Method not allowed; use POST' }]);
    expect(headers.allow).toBe('POST');
  });
});
