import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer, Call } from '../setup/http.js';
import {
  askForToken,
  clientsOf,
  FORM,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  TOKEN,
  type Token,
} from './partners.js';

let app: TestApp;
let operatorId: string;
let client: OAuthClient;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  client = await newClient(app, operatorId, { scopes: ['connect:bookings:*', 'connect:*:read'] });
});

const GRANT = { grant_type: 'client_credentials' };
const inBody = () => ({ client_id: client.clientId, client_secret: client.clientSecret });
const basic = (id = client.clientId, secret = client.clientSecret) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const form = (parameters: Record<string, string> | string, call: Call = {}) =>
  app.post<Token>(TOKEN, undefined, {
    raw: typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString(),
    ...call,
    headers: { ...FORM, ...call.headers },
  });
const json = (parameters: unknown, call: Call = {}) => app.post<Token>(TOKEN, parameters, call);

const issued = {
  access_token: expect.stringMatching(/^oat_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/),
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'connect:bookings:* connect:*:read',
};

const fault = (code: string) => ({
  error: code,
  error_description: expect.any(String),
  code,
  requestId: expect.any(String),
});

function expectFault(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual(fault(code));
  expect(answer.headers['cache-control']).toBe('private, no-store');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
}

describe('POST /connect/v1/oauth/token', () => {
  it.each([
    ['a form with the credentials in it', () => form({ ...GRANT, ...inBody() })],
    ['JSON with the credentials in it', () => json({ ...GRANT, ...inBody() })],
    ['a form, with the credentials by HTTP Basic', () => form(GRANT, { headers: { Authorization: basic() } })],
    ['JSON, with the credentials by HTTP Basic', () => json(GRANT, { headers: { Authorization: basic() } })],
    ['Basic in small letters', () => form(GRANT, { headers: { Authorization: basic().replace('Basic', 'basic') } })],
    [
      'Basic, form-encoded before it was joined',
      () => {
        const [id, secret] = [client.clientId, client.clientSecret].map((text) => text.replaceAll('_', '%5F'));
        return form(GRANT, { headers: { Authorization: basic(id, secret) } });
      },
    ],
    [
      'Basic, with the same client_id in the body',
      () => form({ ...GRANT, client_id: client.clientId }, { headers: { Authorization: basic() } }),
    ],
    [
      'a form with a charset',
      () => form({ ...GRANT, ...inBody() }, { headers: { 'Content-Type': `${FORM['Content-Type']};charset=UTF-8` } }),
    ],
    ['parameters that nobody knows', () => form({ ...GRANT, ...inBody(), audience: 'https://partner.example' })],
    ['parameters without a value, which count as left out', () => form({ ...GRANT, ...inBody(), scope: '' })],
    ['JSON members that are null, which count as left out', () => json({ ...GRANT, ...inBody(), scope: null })],
  ])('takes %s', async (_, ask) => {
    const { status, body, headers } = await ask();
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
  ])('ignores an Authorization header that is not Basic: %s', async (_, header) => {
    for (const ask of [form, json]) {
      const { status, body } = await ask({ ...GRANT, ...inBody() }, { headers: { Authorization: header() } });
      expect(status).toBe(200);
      expect(body).toEqual(issued);
    }
  });

  it('gives a token that the connect surface takes', async () => {
    const { body } = await askForToken(app, client);
    expect((await app.with(body.access_token).get(clientsOf(operatorId))).status).toBe(200);
  });

  it('gives another token each time', async () => {
    const tokens = await Promise.all([askForToken(app, client), askForToken(app, client)]);
    expect(new Set(tokens.map(({ body }) => body.access_token)).size).toBe(2);
  });
});

describe('the scope', () => {
  it.each([
    ['connect:bookings:write', 'connect:bookings:write'],
    ['connect:flights:read connect:bookings:*', 'connect:flights:read connect:bookings:*'],
    [' connect:bookings:read  connect:bookings:read ', 'connect:bookings:read'],
  ])('may be a part of what the client has: %s', async (scope, given) => {
    const { status, body } = await askForToken(app, client, { scope });
    expect(status).toBe(200);
    expect(body).toEqual({ ...issued, scope: given });
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
  ])('may not be more: %s', async (scope) => {
    expectFault(await askForToken(app, client, { scope }), 400, 'invalid_scope');
  });
});

describe('expires_in', () => {
  it('never goes past the end of the client', async () => {
    const expiresAt = new Date(app.now().getTime() + 600_000).toISOString();
    const { body } = await askForToken(app, await newClient(app, operatorId, { expiresAt }));
    expect(body.expires_in).toBeGreaterThan(570);
    expect(body.expires_in).toBeLessThanOrEqual(600);
  });

  it('never goes past the end of the grant', async () => {
    const expiresAt = new Date(app.now().getTime() + 300_000).toISOString();
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'], expiresAt });
    const { body } = await askForToken(app, await newClient(app, operatorId, { grantId }));
    expect(body.expires_in).toBeGreaterThan(270);
    expect(body.expires_in).toBeLessThanOrEqual(300);
  });
});

describe('invalid_request', () => {
  it.each([
    ['no body', () => app.post(TOKEN)],
    ['an empty form', () => form('')],
    ['an empty JSON object', () => json({})],
    ['no grant_type', () => form(inBody())],
    ['an empty grant_type', () => form({ ...inBody(), grant_type: '' })],
    ['both ways of authentication', () => form({ ...GRANT, ...inBody() }, { headers: { Authorization: basic() } })],
    ['Basic and a secret in JSON', () => json({ ...GRANT, ...inBody() }, { headers: { Authorization: basic() } })],
    [
      'Basic and another client_id in the body',
      () => form({ ...GRANT, client_id: 'occ_other' }, { headers: { Authorization: basic() } }),
    ],
    [
      'a repeated parameter',
      () => form(`grant_type=client_credentials&${new URLSearchParams(inBody())}&scope=a&scope=a`),
    ],
    [
      'a repeated unknown parameter',
      () => form(`grant_type=client_credentials&${new URLSearchParams(inBody())}&x=1&x=2`),
    ],
    ['a JSON member that is a list', () => json({ ...GRANT, ...inBody(), scope: ['connect:bookings:read'] })],
    ['a JSON member that is a number', () => json({ ...GRANT, ...inBody(), client_secret: 1 })],
    ['a JSON array', () => json([GRANT])],
    [
      'broken JSON',
      () => app.post(TOKEN, undefined, { raw: '{"grant_type":', headers: { 'Content-Type': 'application/json' } }),
    ],
    ['plain text', () => form({ ...GRANT, ...inBody() }, { headers: { 'Content-Type': 'text/plain' } })],
    [
      'a form of another kind',
      () => form({ ...GRANT, ...inBody() }, { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }),
    ],
    [
      'another charset',
      () => form({ ...GRANT, ...inBody() }, { headers: { 'Content-Type': `${FORM['Content-Type']}; charset=latin1` } }),
    ],
    ['bytes that are not UTF-8', () => app.post(TOKEN, undefined, { raw: Buffer.from([0x61, 0xff]), headers: FORM })],
  ])('is answered to %s', async (_, ask) => {
    expectFault(await ask(), 400, 'invalid_request');
  });

  it.each(['grant_type=client_credentials', 'client_secret=x', 'scope=connect:bookings:read', 'a'])(
    'is answered to parameters in the query string: %s',
    async (query) => {
      const raw = new URLSearchParams({ ...GRANT, ...inBody() }).toString();
      expectFault(await app.post(`${TOKEN}?${query}`, undefined, { raw, headers: FORM }), 400, 'invalid_request');
    },
  );
});

describe('unsupported_grant_type', () => {
  it.each(['password', 'authorization_code', 'CLIENT_CREDENTIALS', 'toString'])(
    'is answered to %s',
    async (grantType) => {
      expectFault(await form({ ...inBody(), grant_type: grantType }), 400, 'unsupported_grant_type');
    },
  );
});

describe('invalid_client', () => {
  const revoked = async () => {
    const gone = await newClient(app, operatorId);
    await app.as('platform').delete(`${clientsOf(operatorId)}/${gone.id}`);
    return askForToken(app, gone);
  };
  const expired = async () => {
    const gone = await newClient(app, operatorId, { expiresAt: new Date(app.now().getTime() + 2000).toISOString() });
    app.travel({ ms: 2000 });
    return askForToken(app, gone);
  };

  it.each([
    ['an unknown client', () => askForToken(app, { ...client, clientId: 'occ_000000000000000000000000' })],
    ['a client id that cannot be one', () => askForToken(app, { ...client, clientId: 'a\0b' })],
    ['the id of the row', () => askForToken(app, { ...client, clientId: client.id })],
    ['a wrong secret', () => askForToken(app, { ...client, clientSecret: `${client.clientSecret}x` })],
    ['an empty secret', () => askForToken(app, { ...client, clientSecret: '' })],
    ['no client at all', () => form(GRANT)],
    [
      'a wrong secret by HTTP Basic',
      () => form(GRANT, { headers: { Authorization: basic(client.clientId, 'wrong') } }),
    ],
    ['Basic that says nothing', () => form(GRANT, { headers: { Authorization: 'Basic' } })],
    ['Basic that is no base64', () => form(GRANT, { headers: { Authorization: 'Basic %%%' } })],
    ['a revoked client', revoked],
    ['an expired client', expired],
  ])('is one and the same answer to %s', async (_, ask) => {
    const answer = await ask();
    expectFault(answer, 401, 'invalid_client');
    expect(answer.body).toMatchObject({ error_description: 'The client could not be authenticated' });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="connect"');
  });

  it('is answered to the secret of another client', async () => {
    const other = await newClient(app, operatorId);
    const { clientId } = client;
    expectFault(await askForToken(app, { clientId, clientSecret: other.clientSecret }), 401, 'invalid_client');
  });
});

describe('unauthorized_client', () => {
  it('is answered while the grant is paused, and no longer when it is active again', async () => {
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
    const bound = await newClient(app, operatorId, { grantId });
    const grant = { id: grantId, operatorId, scopes: ['connect:*'] };

    await provision(app, { operatorGrants: [{ ...grant, status: 'paused' }] });
    expectFault(await askForToken(app, bound), 400, 'unauthorized_client');
    expectFault(await askForToken(app, { ...bound, clientSecret: 'wrong' }), 401, 'invalid_client');

    await provision(app, { operatorGrants: [{ ...grant, status: 'active' }] });
    expect((await askForToken(app, bound)).status).toBe(200);
  });

  it('is answered while the operator is deactivated', async () => {
    const operator = await newOperator(app);
    const idle = await newClient(app, operator);
    await provision(app, { operators: [{ id: operator, name: 'Partner', status: 'inactive' }] });
    expectFault(await askForToken(app, idle), 400, 'unauthorized_client');
  });
});

describe('the surroundings of the token endpoint', () => {
  it('answer in its shape as well', async () => {
    expectFault(await app.get(TOKEN), 405, 'method_not_allowed');
    expectFault(await app.post('/connect/v1/oauth/introspect', {}), 404, 'not_found');
  });
});
