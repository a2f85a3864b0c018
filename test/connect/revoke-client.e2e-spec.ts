import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { startApp, type TestApp } from '../setup/app.js';
import {
  actingAs,
  requestToken,
  clientsOf,
  entriesOf,
  newClient,
  newOperator,
  type OAuthClient,
  provision,
  uniqueName,
  withKey,
  errorBody,
} from './partners.js';

let app: TestApp;
let operatorId: string;
let path: string;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  path = clientsOf(operatorId);
});

interface ErrorResponse {
  code: string;
  details: { fields: Record<string, string[]> };
}

describe('GET /connect/v1/operators/{operatorId}/oauth-clients/{clientId}', () => {
  it('a client is returned by both IDs without its secret, also after its revocation; unknown ones and those of another operator are 404', async () => {
    const { clientSecret: _secret, ...client } = await newClient(app, operatorId);
    const reader = await withKey(app, ['connect:photos:read'], operatorId);
    for (const id of [client.clientId, client.id]) {
      const { status, body } = await reader.get(`${path}/${id}`);
      expect([status, body]).toEqual([200, client]);
    }
    const { body: revoked } = await app.as('platform').delete(`${path}/${client.id}`);
    expect((await reader.get(`${path}/${client.id}`)).body).toEqual(revoked);

    const missing = [404, errorBody('not_found', { resource: 'oauth_client' })];
    for (const id of ['occ_000000000000000000000000', (await newClient(app, await newOperator(app))).id]) {
      const { status, body } = await reader.get(`${path}/${id}`);
      expect([status, body]).toEqual(missing);
    }
    expect((await reader.get(`${path}/a%20b`)).status).toBe(400);
    expect((await (await withKey(app, ['connect:photos:write'])).get(`${path}/${client.id}`)).status).toBe(403);
  });
});

describe('DELETE /connect/v1/operators/{operatorId}/oauth-clients/{clientId}', () => {
  it('revoking a client returns it with 200 and active false, without the secret', async () => {
    const { clientSecret: _secret, ...client } = await newClient(app, operatorId);

    const { status, body } = await app.as('platform').delete<OAuthClient>(`${path}/${client.clientId}`);

    expect(status).toBe(200);
    expect(body).toEqual({ ...client, active: false, revokedAt: expect.any(String) });
    expect(Date.parse(body.revokedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(client.createdAt));
  });

  it('revoking a client accepts the ID of the resource and the public ID', async () => {
    const client = await newClient(app, operatorId);
    const { status, body } = await app.as('platform').delete(`${path}/${client.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: client.id, active: false });
  });

  it('revoking a client is idempotent: a second call returns the same response and adds no ledger entry', async () => {
    const { clientSecret: _secret, ...client } = await newClient(app, operatorId);
    const first = await app.as('platform').delete<OAuthClient>(`${path}/${client.clientId}`);

    app.travel({ ms: 5 });
    const second = await app.as('platform').delete(`${path}/${client.id}`);

    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    const [, revocation, ...more] = await entriesOf(app, client.id);
    expect(more).toEqual([]);
    expect(revocation).toMatchObject({ action: 'connect.oauth_client.revoke', before: client, after: first.body });
  });

  it('concurrent requests revoke a client once', async () => {
    const client = await newClient(app, operatorId);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.as('platform').delete<OAuthClient>(`${path}/${client.id}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.revokedAt)).size).toBe(1);
    expect(await entriesOf(app, client.id)).toHaveLength(2);
  });

  it('revoking a client does not delete it; it is listed as revoked', async () => {
    const client = await newClient(app, operatorId);
    await app.as('platform').delete(`${path}/${client.id}`);

    const listed = async (query: string) =>
      (await app.as('platform').get<{ data: OAuthClient[] }>(`${path}?limit=200${query}`)).body.data.map(
        ({ id }) => id,
      );
    expect(await listed('')).toContain(client.id);
    expect(await listed('&active=false')).toContain(client.id);
    expect(await listed('&active=true')).not.toContain(client.id);
  });

  it('revoking a client requires a *:delete scope', async () => {
    const client = await newClient(app, operatorId);
    const { status, body } = await (
      await withKey(app, ['connect:bookings:write', 'connect:*:read'])
    ).delete(`${path}/${client.id}`);
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:delete' }));
    expect((await requestToken(app, client)).status).toBe(200);

    const caller = await withKey(app, ['connect:bookings:delete']);
    expect((await caller.delete(`${path}/${client.id}`)).status).toBe(200);
  });

  it.each([
    [['connect:photos:delete'], ['connect:*']],
    [['connect:photos:*'], ['connect:bookings:read', 'connect:flights:write']],
    [['connect:*:delete'], ['connect:flights:*']],
    [['connect:*'], ['connect:*']],
  ])(
    'a caller with %j can revoke a client with %j and its secret, but not replace the secret',
    async (held, scopes) => {
      const client = await newClient(app, operatorId, { scopes });
      const caller = await withKey(app, held, operatorId);
      const secrets = `${path}/${client.clientId}/secrets`;
      const [old] = (await app.as('platform').get<{ data: { id: string }[] }>(secrets)).body.data;
      await app.as('platform').post(secrets, {});
      expect((await caller.delete(`${secrets}/${old?.id}`)).status).toBe(200);
      expect((await caller.delete(`${path}/${client.clientId}`)).status).toBe(200);
      expect((await requestToken(app, client)).status).toBe(401);

      const kept = await newClient(app, operatorId, { scopes: [...scopes, 'connect:cruises:read'] });
      const replacing = await (
        await withKey(app, ['connect:photos:delete', 'connect:photos:write'])
      ).post(`${path}/${kept.clientId}/secrets`, {});
      expect(replacing.status).toBe(403);
    },
  );

  it('a caller of another operator cannot revoke a client', async () => {
    const client = await newClient(app, operatorId);
    const foreign = await withKey(app, ['connect:*'], await newOperator(app));
    const { status, body } = await foreign.delete(`${path}/${client.clientId}`);
    expect([status, body]).toEqual([404, errorBody('not_found', { resource: 'operator' })]);
  });

  it('revoking a client is not replayed for a caller that has lost its delete scope since', async () => {
    const client = await newClient(app, operatorId, { scopes: ['connect:bookings:read'] });
    const name = uniqueName('key');
    const { token } = newCredential('tpk');
    const withScopes = (scopes: string[]) => provision(app, { platformKeys: [{ name, scopes, token }] });
    const headers = { 'Idempotency-Key': uniqueName('revocation') };
    await withScopes(['connect:bookings:delete']);
    const revoked = await app.with(token).delete(`${path}/${client.id}`, { headers });
    await withScopes(['connect:photos:write']);
    const replayed = await app.with(token).delete(`${path}/${client.id}`, { headers });
    expect([revoked.status, replayed.status]).toEqual([200, 403]);
  });

  it.each(['a%20b', 'a.b', 'x'.repeat(129), 'a%00', 'a%2Fb'])(
    'revoking a client rejects the malformed ID %s with 400',
    async (malformed) => {
      const { status, body } = await app.as('platform').delete(`${path}/${malformed}`);
      const fault = { path: 'clientId', code: 'wrong_format', message: 'clientId must be the id of a client' };
      expect(status).toBe(400);
      expect(body).toEqual(errorBody('invalid_request', { issues: [fault], fields: { clientId: [fault.message] } }));
    },
  );

  it('revoking returns 404 for an unknown client, for a client of another operator and for an unknown operator', async () => {
    const foreign = await newClient(app, await newOperator(app));
    for (const id of ['occ_000000000000000000000000', foreign.id, foreign.clientId]) {
      const { status, body } = await app.as('platform').delete(`${path}/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(errorBody('not_found', { resource: 'oauth_client' }));
    }
    const { status, body } = await app.as('platform').delete(`${clientsOf('op_unknown')}/${foreign.id}`);
    expect(status).toBe(404);
    expect(body).toEqual(errorBody('not_found', { resource: 'operator' }));
    expect((await requestToken(app, foreign)).status).toBe(200);
  });
});

describe('a credential that is bound to an operator', () => {
  it('a credential that is bound to an operator can neither read nor revoke a client of another operator', async () => {
    const other = await newOperator(app);
    const [own, foreign] = [await newClient(app, operatorId, { scopes: ['connect:*'] }), await newClient(app, other)];
    const callers = [await withKey(app, ['connect:*'], operatorId), await actingAs(app, own)];

    for (const caller of callers) {
      const answers = [
        await caller.get(clientsOf(other)),
        await caller.delete(`${clientsOf(other)}/${foreign.clientId}`),
        await caller.delete(`${clientsOf(other)}/${foreign.id}`),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(404);
        expect(body).toEqual(errorBody('not_found', { resource: 'operator' }));
      }
      const { status, body } = await caller.delete(`${path}/${foreign.clientId}`);
      expect(status).toBe(404);
      expect(body).toEqual(errorBody('not_found', { resource: 'oauth_client' }));
      expect((await caller.get(path)).status).toBe(200);
    }
    expect((await requestToken(app, foreign)).status).toBe(200);
  });
});

describe('GET /connect/v1/operators/{operatorId}/oauth-clients', () => {
  it('the list of clients has them newest first, never with a secret', async () => {
    const operator = await newOperator(app);
    const made: Omit<OAuthClient, 'clientSecret'>[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { clientSecret: _secret, ...client } = await newClient(app, operator, { name: `Number ${n}` });
      made.unshift(client);
    }

    const whole = await app.as('platform').get(clientsOf(operator));
    expect(whole.status).toBe(200);
    expect(whole.body).toEqual({ data: made, total: 3, limit: 50, offset: 0 });
    const part = await app.as('platform').get(`${clientsOf(operator)}?limit=1&offset=1`);
    expect(part.body).toEqual({ data: made.slice(1, 2), total: 3, limit: 1, offset: 1 });
  });

  it('an invalid query for clients is rejected with 400', async () => {
    const { status, body } = await app.as('platform').get<ErrorResponse>(`${path}?active=yes`);
    expect([status, body.code, Object.keys(body.details.fields)]).toEqual([400, 'invalid_request', ['active']]);
  });

  it('the list of clients requires a connect scope with the action read, in any area', async () => {
    expect((await (await withKey(app, ['connect:flights:read'])).get(path)).status).toBe(200);
    const { status, body } = await (await withKey(app, ['connect:flights:write'])).get(path);
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:read' }));
  });
});
