import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  requestToken,
  clientsOf,
  FORM,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  TOKEN,
} from './partners.js';
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

describe('invalid_request', () => {
  it.each([
    ['no body', () => app.post(TOKEN)],
    ['an empty form', () => calls.form('')],
    ['an empty JSON object', () => calls.json({})],
    ['no grant_type', () => calls.form(calls.inBody())],
    ['an empty grant_type', () => calls.form({ ...calls.inBody(), grant_type: '' })],
    [
      'both methods of authentication',
      () => calls.form({ ...GRANT, ...calls.inBody() }, { headers: { Authorization: calls.basic() } }),
    ],
    [
      'Basic and a secret in JSON',
      () => calls.json({ ...GRANT, ...calls.inBody() }, { headers: { Authorization: calls.basic() } }),
    ],
    [
      'Basic and another client_id in the body',
      () => calls.form({ ...GRANT, client_id: 'occ_other' }, { headers: { Authorization: calls.basic() } }),
    ],
    ['a repeated parameter', () => calls.form(`${calls.whole()}&scope=a&scope=a`)],
    ['a repeated unknown parameter', () => calls.form(`${calls.whole()}&x=1&x=2`)],
    [
      'a JSON member that is a list',
      () => calls.json({ ...GRANT, ...calls.inBody(), scope: ['connect:bookings:read'] }),
    ],
    ['a JSON member that is a number', () => calls.json({ ...GRANT, ...calls.inBody(), client_secret: 1 })],
    ['a JSON array', () => calls.json([GRANT])],
    [
      'broken JSON',
      () => app.post(TOKEN, undefined, { raw: '{"grant_type":', headers: { 'Content-Type': 'application/json' } }),
    ],
    ['plain text', () => calls.form({ ...GRANT, ...calls.inBody() }, { headers: { 'Content-Type': 'text/plain' } })],
    [
      'a form of another kind',
      () =>
        calls.form({ ...GRANT, ...calls.inBody() }, { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }),
    ],
    [
      'another charset',
      () =>
        calls.form(
          { ...GRANT, ...calls.inBody() },
          { headers: { 'Content-Type': `${FORM['Content-Type']}; charset=latin1` } },
        ),
    ],
    ['bytes that are not UTF-8', () => app.post(TOKEN, undefined, { raw: Buffer.from([0x61, 0xff]), headers: FORM })],
  ])('invalid_request is returned for %s', async (_, request) => {
    expectFault(await request(), 400, 'invalid_request');
  });

  it.each(['grant_type=client_credentials', 'client_secret=x', 'scope=connect:bookings:read', 'a'])(
    'invalid_request is returned for parameters in the query string: %s',
    async (query) => {
      const call = { raw: calls.whole(), headers: FORM };
      expectFault(await app.post(`${TOKEN}?${query}`, undefined, call), 400, 'invalid_request');
    },
  );
});

describe('unsupported_grant_type', () => {
  it.each(['password', 'authorization_code', 'CLIENT_CREDENTIALS', 'toString'])(
    'unsupported_grant_type is returned for %s',
    async (grantType) => {
      expectFault(await calls.form({ ...calls.inBody(), grant_type: grantType }), 400, 'unsupported_grant_type');
    },
  );
});

describe('invalid_client', () => {
  const revoked = async () => {
    const former = await newClient(app, operatorId);
    await app.as('platform').delete(`${clientsOf(operatorId)}/${former.id}`);
    return requestToken(app, former);
  };
  const expired = async () => {
    const former = await newClient(app, operatorId, { expiresAt: new Date(app.now().getTime() + 2000).toISOString() });
    app.travel({ ms: 2000 });
    return requestToken(app, former);
  };

  it.each([
    ['an unknown client', () => requestToken(app, { ...client, clientId: 'occ_000000000000000000000000' })],
    ['a client id that cannot be one', () => requestToken(app, { ...client, clientId: 'a\0b' })],
    ['a client id of a thousand characters', () => requestToken(app, { ...client, clientId: 'a'.repeat(1000) })],
    ['the ID of the resource', () => requestToken(app, { ...client, clientId: client.id })],
    ['a wrong secret', () => requestToken(app, { ...client, clientSecret: `${client.clientSecret}x` })],
    ['an empty secret', () => requestToken(app, { ...client, clientSecret: '' })],
    ['no client at all', () => calls.form(GRANT)],
    [
      'a wrong secret by HTTP Basic',
      () => calls.form(GRANT, { headers: { Authorization: calls.basic(client.clientId, 'wrong') } }),
    ],
    ['Basic without credentials', () => calls.form(GRANT, { headers: { Authorization: 'Basic' } })],
    ['Basic that is not base64', () => calls.form(GRANT, { headers: { Authorization: 'Basic %%%' } })],
    ['a revoked client', revoked],
    ['an expired client', expired],
  ])('invalid_client is the same response for %s', async (_, request) => {
    const answer = await request();
    expectFault(answer, 401, 'invalid_client');
    expect(answer.body).toMatchObject({ error_description: 'The client could not be authenticated' });
    expect(answer.headers['www-authenticate']).toBe('Basic realm="connect"');
  });

  it('invalid_client is returned for the secret of another client', async () => {
    const other = await newClient(app, operatorId);
    const { clientId } = client;
    expectFault(await requestToken(app, { clientId, clientSecret: other.clientSecret }), 401, 'invalid_client');
  });
});

describe('unauthorized_client', () => {
  it('unauthorized_client is returned while the grant is paused, and no longer when it is active again', async () => {
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
    const bound = await newClient(app, operatorId, { grantId });
    const grant = { id: grantId, operatorId, scopes: ['connect:*'] };

    await provision(app, { operatorGrants: [{ ...grant, status: 'paused' }] });
    expectFault(await requestToken(app, bound), 400, 'unauthorized_client');
    expectFault(await requestToken(app, { ...bound, clientSecret: 'wrong' }), 401, 'invalid_client');

    await provision(app, { operatorGrants: [{ ...grant, status: 'active' }] });
    expect((await requestToken(app, bound)).status).toBe(200);
  });

  it('unauthorized_client is returned while the operator is inactive', async () => {
    const operator = await newOperator(app);
    const idle = await newClient(app, operator);
    await provision(app, { operators: [{ id: operator, name: 'Partner', status: 'inactive' }] });
    expectFault(await requestToken(app, idle), 400, 'unauthorized_client');
  });
});

describe('errors around the token endpoint', () => {
  it('errors around the token endpoint have the error format of the token endpoint', async () => {
    expectFault(await app.get(TOKEN), 405, 'method_not_allowed');
    expectFault(await app.post('/connect/v1/oauth/authorize', {}), 404, 'not_found');
  });
});
