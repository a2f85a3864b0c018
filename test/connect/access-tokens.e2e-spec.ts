import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AccessTokensService } from '../../src/modules/connect/oauth/access-tokens.service.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import {
  actingAs,
  requestToken,
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  errorBody,
} from './partners.js';

let app: TestApp;
let elsewhere: TestApp;
let operatorId: string;
beforeAll(async () => {
  [app, elsewhere] = [await startApp(), await startApp()];
  operatorId = await newOperator(app);
});

const use = async (node: TestApp, token: string, operator = operatorId) => node.with(token).get(clientsOf(operator));
const tokenOf = async (client: OAuthClient) => (await requestToken(app, client)).body.access_token;

describe('an access token', () => {
  it('an access token issued before the client is revoked is rejected at once, and by a second process within a second', async () => {
    const client = await newClient(app, operatorId);
    const token = await tokenOf(client);
    for (const node of [app, elsewhere]) expect((await use(node, token)).status).toBe(200);

    await app.as('platform').delete(`${clientsOf(operatorId)}/${client.clientId}`);

    const here = await use(app, token);
    expect(here.status).toBe(401);
    expect(here.body).toEqual(errorBody('unauthorized'));
    expect(here.headers['www-authenticate']).toBe('Bearer realm="connect", error="invalid_token"');
    elsewhere.travel({ ms: 1000 });
    const there = await use(elsewhere, token);
    expect(there.status).toBe(401);
    expect(there.body).toEqual(errorBody('unauthorized'));
    const kept = await app.sql('select revoked_at from oauth_access_tokens where client = $1', [client.id]);
    expect(kept).toEqual([{ revoked_at: expect.any(Date) }]);
  });

  it('an access token is valid for one hour', async () => {
    const client = await newClient(app, operatorId);
    const token = await tokenOf(client);
    const old = await startApp();

    old.travel({ ms: 3_590_000 });
    expect((await use(old, token)).status).toBe(200);
    old.travel({ ms: 20_000 });
    expect((await use(old, token)).status).toBe(401);
  });

  it('an access token ends with its client', async () => {
    const client = await newClient(app, operatorId, {
      expiresAt: new Date(app.now().getTime() + 60_000).toISOString(),
    });
    const token = await tokenOf(client);
    const later = await startApp();
    expect((await use(later, token)).status).toBe(200);

    later.travel({ ms: 60_000 });
    expect((await use(later, token)).status).toBe(401);
  });

  it('an access token is rejected while the grant of its client is paused, and accepted again afterwards', async () => {
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
    const token = await tokenOf(await newClient(app, operatorId, { grantId }));
    const grant = { id: grantId, operatorId, scopes: ['connect:*'] };
    expect((await use(app, token)).status).toBe(200);

    for (const [status, expected] of [
      ['paused', 401],
      ['active', 200],
      ['revoked', 401],
    ] as const) {
      await provision(app, { operatorGrants: [{ ...grant, status }] });
      expect([status, (await use(app, token)).status]).toEqual([status, expected]);
    }
  });

  it('an access token is rejected after the end of the grant', async () => {
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
    const token = await tokenOf(await newClient(app, operatorId, { grantId }));
    const past = new Date(app.now().getTime() - 1000).toISOString();
    await provision(app, { operatorGrants: [{ id: grantId, operatorId, scopes: ['connect:*'], expiresAt: past }] });
    expect((await use(app, token)).status).toBe(401);
  });

  it('an access token loses the scopes that are removed from its grant', async () => {
    const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
    const client = await newClient(app, operatorId, {
      grantId,
      scopes: ['connect:bookings:read', 'connect:keys:write'],
    });
    const caller = await actingAs(app, client);
    expect((await caller.post(clientsOf(operatorId), { scopes: ['connect:keys:write'] })).status).toBe(201);

    await provision(app, { operatorGrants: [{ id: grantId, operatorId, scopes: ['connect:bookings:read'] }] });

    const { status, body } = await caller.post(clientsOf(operatorId), { scopes: ['connect:bookings:read'] });
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:write' }));
    expect((await requestToken(app, client)).body.scope).toBe('connect:bookings:read');
    expect((await requestToken(app, client, { scope: 'connect:keys:write' })).body).toMatchObject({
      code: 'invalid_scope',
    });
  });

  it('an access token is rejected while its operator is inactive', async () => {
    const operator = await newOperator(app);
    const token = await tokenOf(await newClient(app, operator));
    await provision(app, { operators: [{ id: operator, name: 'Partner', status: 'inactive' }] });
    expect((await use(app, token, operator)).status).toBe(401);
  });

  it.each([
    '/realtime/v1/channels/any/messages',
    '/v1/admin/distribution/channels',
    '/data/geo/v1/reference/languages',
  ])('an access token is not accepted by %s', async (path) => {
    const caller = await actingAs(app, await newClient(app, operatorId, { scopes: ['connect:*'] }));
    expect((await caller.get(path)).status).toBe(401);
  });

  it('an access token is rejected if its secret part is changed', async () => {
    const client = await newClient(app, operatorId);
    const [one, other] = [await tokenOf(client), await tokenOf(client)];
    const mixed = `${one.slice(0, 20)}_${other.slice(21)}`;
    expect(mixed).toHaveLength(one.length);
    expect((await use(app, mixed)).status).toBe(401);
  });

  it('an access token is deleted from the database one day after its end, and not earlier', async () => {
    const client = await newClient(app, operatorId);
    await tokenOf(client);
    const kept = async () => (await app.sql('select from oauth_access_tokens where client = $1', [client.id])).length;
    const later = await startApp();

    later.travel({ hours: 24.9 });
    await later.nest.get(AccessTokensService, { strict: false }).purge();
    expect(await kept()).toBe(1);
    later.travel({ hours: 0.2 });
    await later.nest.get(AccessTokensService, { strict: false }).purge();
    expect(await kept()).toBe(0);
  });
});

describe('the authentication of a client', () => {
  it('the authentication of a client runs the same statements if the client is unknown, revoked or expired, or if the secret is wrong', async () => {
    const [client, revokedClient] = [await newClient(app, operatorId), await newClient(app, operatorId)];
    await app.as('platform').delete(`${clientsOf(operatorId)}/${revokedClient.id}`);
    const late = await newClient(app, operatorId);
    await app.sql(`update oauth_clients set expires_at = now() - interval '1 hour' where id = $1`, [late.id]);
    const queries = jest.spyOn(app.nest.get(Database).pool(), 'query');
    const statementsOf = async (clientId: string, clientSecret: string) => {
      queries.mockClear();
      expect((await requestToken(app, { clientId, clientSecret })).status).toBe(401);
      const statements = queries.mock.calls.map(([query]) => JSON.stringify(query).replace(/"values":.*/, ''));
      // Background jobs query the database as well.
      return statements.filter((statement) => statement.includes('oauth'));
    };

    const unknown = await statementsOf('occ_000000000000000000000000', client.clientSecret);
    const malformed = await statementsOf('nobody', client.clientSecret);
    const wrong = await statementsOf(client.clientId, 'wrong');
    const revoked = await statementsOf(revokedClient.clientId, revokedClient.clientSecret);
    const expired = await statementsOf(late.clientId, late.clientSecret);
    await tokenOf(client);
    const remembered = await statementsOf(client.clientId, 'wrong');
    queries.mockRestore();

    expect(unknown).toEqual([expect.stringContaining('oauth-client-authenticate')]);
    expect([malformed, wrong, revoked, expired, remembered]).toEqual(Array<string[]>(5).fill(unknown));
  });

  it('the authentication of a client locks no row: tokens are issued while a transaction changes the client', async () => {
    const client = await newClient(app, operatorId);
    const token = await tokenOf(client);
    const locked = app.nest.get(Database).transaction(async () => {
      const lock = 'select from oauth_clients where id = $1 for no key update';
      await app.nest.get(Database).query(lock, [client.id]);
      return [(await requestToken(app, client)).status, (await use(app, token)).status];
    });
    expect(await locked).toEqual([200, 200]);
  });
});
