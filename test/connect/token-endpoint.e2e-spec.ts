/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { requestToken, clientsOf, FORM, newClient, newGrant, newOperator, type OAuthClient } from './partners.js';
import { expectFault, GRANT, TokenCalls } from './token-calls.js';

let app: TestApp;
let operatorId: string;
let client: OAuthClient;
let calls: TokenCalls;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  client = await newClient(app, operatorId, { scopes: ['connect:bookings:*', 'connect:*:read'] });
  calls = new TokenCalls(app, client);
});

const issued = {
  access_token: expect.stringMatching(/^oat_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/),
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'connect:bookings:* connect:*:read',
};

describe('POST /connect/v1/oauth/token', () => {
  it.each([
    ['a form with the credentials in it', () => calls.form({ ...GRANT, ...calls.inBody() })],
    ['JSON with the credentials in it', () => calls.json({ ...GRANT, ...calls.inBody() })],
    [
      'a form, with the credentials by HTTP Basic',
      () => calls.form(GRANT, { headers: { Authorization: calls.basic() } }),
    ],
    [
      'JSON, with the credentials by HTTP Basic',
      () => calls.json(GRANT, { headers: { Authorization: calls.basic() } }),
    ],
    [
      'Basic in small letters',
      () => calls.form(GRANT, { headers: { Authorization: calls.basic().replace('Basic', 'basic') } }),
    ],
    [
      'Basic, form-encoded before it was joined',
      () => {
        const [id, secret] = [client.clientId, client.clientSecret].map((text) => text.replaceAll('_', '%5F'));
        return calls.form(GRANT, { headers: { Authorization: calls.basic(id, secret) } });
      },
    ],
    [
      'Basic, with the same client_id in the body',
      () => calls.form({ ...GRANT, client_id: client.clientId }, { headers: { Authorization: calls.basic() } }),
    ],
    [
      'a form with a charset',
      () =>
        calls.form(
          { ...GRANT, ...calls.inBody() },
          { headers: { 'Content-Type': `${FORM['Content-Type']};charset=UTF-8` } },
        ),
    ],
    ['unknown parameters', () => calls.form({ ...GRANT, ...calls.inBody(), audience: 'https://partner.example' })],
    ['parameters without a value, which are ignored', () => calls.form({ ...GRANT, ...calls.inBody(), scope: '' })],
    [
      'JSON members that are null, which count as left out',
      () => calls.json({ ...GRANT, ...calls.inBody(), scope: null }),
    ],
  ])('the token endpoint accepts %s', async (_, request) => {
    const { status, body, headers } = await request();
    expect(status).toBe(200);
    expect(body).toEqual(issued);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['pragma']).toBe('no-cache');
  });

  it.each([
    ['an API key', () => `Bearer ${app.credentials.platformKey}`],
    ['an expired token', () => 'Bearer oat_0000000000000000_0'],
    ['no scheme', () => 'anything'],
    ['an empty value', () => ''],
    ['a scheme that only starts like Basic', () => 'BasicX y'],
    ['Digest', () => 'Digest username="a"'],
  ])('the token endpoint ignores an Authorization header that is not Basic: %s', async (_, header) => {
    const parameters = { ...GRANT, ...calls.inBody() };
    const call = { headers: { Authorization: header() } };
    for (const { status, body } of [await calls.form(parameters, call), await calls.json(parameters, call)]) {
      expect(status).toBe(200);
      expect(body).toEqual(issued);
    }
  });

  it('the token endpoint issues a token that the connect surface accepts', async () => {
    const { body } = await requestToken(app, client);
    expect((await app.with(body.access_token).get(clientsOf(operatorId))).status).toBe(200);
  });

  it('the token endpoint issues a different token each time', async () => {
    const tokens = await Promise.all([requestToken(app, client), requestToken(app, client)]);
    expect(new Set(tokens.map(({ body }) => body.access_token)).size).toBe(2);
  });
});

describe('the scope', () => {
  it.each([
    ['connect:bookings:write', 'connect:bookings:write'],
    ['connect:flights:read connect:bookings:*', 'connect:flights:read connect:bookings:*'],
    [' connect:bookings:read  connect:bookings:read ', 'connect:bookings:read'],
  ])('the scope of a token can be a part of the scopes of the client: %s', async (scope, granted) => {
    const { status, body } = await requestToken(app, client, { scope });
    expect(status).toBe(200);
    expect(body).toEqual({ ...issued, scope: granted });
  });

  it.each([
    'connect:flights:write',
    'connect:bookings:read connect:flights:write',
    'connect:*',
    'connect:*:*',
    '*:write',
    '*',
    'vault:write',
    'connect:bookings',
    'connect:bookings:read\0',
    Array.from({ length: 65 }, (_, n) => `connect:area-${n}:read`).join(' '),
  ])('the scope of a token cannot exceed the scopes of the client: %s', async (scope) => {
    expectFault(await requestToken(app, client, { scope }), 400, 'invalid_scope');
  });
});

describe('expires_in', () => {
  it('expires_in never exceeds the end of the client', async () => {
    const expiresAt = new Date(app.now().getTime() + 600_000).toISOString();
    const { body } = await requestToken(app, await newClient(app, operatorId, { expiresAt }));
    expect(body.expires_in).toBeGreaterThan(570);
    expect(body.expires_in).toBeLessThanOrEqual(600);
  });

  it('expires_in never exceeds the end of the grant', async () => {
    const expiresAt = new Date(app.now().getTime() + 300_000).toISOString();
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'], expiresAt });
    const { body } = await requestToken(app, await newClient(app, operatorId, { grantId }));
    expect(body.expires_in).toBeGreaterThan(270);
    expect(body.expires_in).toBeLessThanOrEqual(300);
  });
});
