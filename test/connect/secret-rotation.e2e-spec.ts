import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { tablesWith } from '../setup/tables.js';
import {
  requestToken,
  clientsOf,
  entriesOf,
  newClient,
  newOperator,
  type OAuthClient,
  errorBody,
  withKey,
} from './partners.js';

interface Secret {
  id: string;
  clientId: string;
  live: boolean;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  clientSecret?: string;
}

let app: TestApp;
let operatorId: string;
beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'trace' } });
  operatorId = await newOperator(app);
});

const pathOf = ({ clientId }: OAuthClient) => `${clientsOf(operatorId)}/${clientId}/secrets`;
const rotate = (client: OAuthClient, body: object = {}, headers = {}) =>
  app.as('platform').post<Secret>(pathOf(client), body, { headers });
const list = async (client: OAuthClient) =>
  (await app.as('platform').get<{ data: Secret[] }>(pathOf(client))).body.data;
const statusWith = async (client: OAuthClient, clientSecret = '') =>
  (await requestToken(app, { ...client, clientSecret })).status;

describe('a new secret', () => {
  it('a new secret is valid beside the current one until the end of the overlap', async () => {
    const client = await newClient(app, operatorId);
    const { status, body, headers } = await rotate(client, { overlapSeconds: 600 });

    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^oasc_/),
        clientId: client.clientId,
        live: true,
        createdAt: expect.any(String),
        expiresAt: null,
        revokedAt: null,
        clientSecret: expect.stringMatching(/^ocs_[0-9A-Za-z]{49}$/),
      },
    ]);
    expect(headers['cache-control']).toBe('no-store');
    expect(await statusWith(client, client.clientSecret)).toBe(200);
    expect(await statusWith(client, body.clientSecret)).toBe(200);
    const [newer, older] = await list(client);
    expect([newer?.id, newer?.expiresAt, older?.live]).toEqual([body.id, null, true]);
    expect(Date.parse(older?.expiresAt ?? '') - Date.parse(body.createdAt)).toBe(600_000);

    app.travel({ ms: 600_000 });
    expect(await statusWith(client, client.clientSecret)).toBe(401);
    expect(await statusWith(client, body.clientSecret)).toBe(200);
    expect((await list(client)).map(({ live }) => live)).toEqual([true, false]);
    app.travel({ ms: -600_000 });
  });

  it('a new secret replaces the old one at once without an overlap, and after one day by default', async () => {
    const [client, patient] = [await newClient(app, operatorId), await newClient(app, operatorId)];
    await rotate(client, { overlapSeconds: 0 });
    expect(await statusWith(client, client.clientSecret)).toBe(401);

    const { body } = await rotate(patient);
    const [, old] = await list(patient);
    expect(Date.parse(old?.expiresAt ?? '') - Date.parse(body.createdAt)).toBe(86_400_000);
  });

  it('a new secret is rejected while the client has two valid secrets; two concurrent rotations add one', async () => {
    const client = await newClient(app, operatorId);
    const answers = await Promise.all([rotate(client), rotate(client), rotate(client)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const rejection = answers.find(({ status }) => status === 409);
    expect(rejection?.body).toEqual(errorBody('secret_limit_reached', { limit: 2 }));
    const [, old] = await list(client);
    await app.as('platform').delete(`${pathOf(client)}/${old?.id}`);
    expect((await rotate(client)).status).toBe(201);
  });

  it('a new secret appears in no later response, log line, table or idempotent replay', async () => {
    const client = await newClient(app, operatorId);
    const key = { 'Idempotency-Key': `rotate-${client.id}` };
    const first = await rotate(client, {}, key);
    const again = await rotate(client, {}, key);

    const secret = first.body.clientSecret ?? '';
    const { clientSecret: _, ...rest } = first.body;
    expect([again.status, again.body]).toEqual([201, rest]);
    expect((await list(client)).filter((one) => 'clientSecret' in one)).toEqual([]);
    expect(app.logs.join('\n')).not.toContain(secret.slice(4));
    expect(await tablesWith(app, [secret.slice(4)])).toEqual([]);
  });

  it('a new secret requires a caller with the scopes of the client: otherwise 403 with the excess scopes', async () => {
    const client = await newClient(app, operatorId, { scopes: ['connect:bookings:read', 'connect:flights:write'] });
    const poor = await withKey(app, ['connect:bookings:*']);
    const { status, body } = await poor.post(pathOf(client), {});
    expect([status, body]).toEqual([
      403,
      errorBody('forbidden', { requiredScope: '*:write', excessScopes: ['connect:flights:write'] }),
    ]);
    expect(await list(client)).toHaveLength(1);
  });

  it('a new secret is rejected for a revoked client (409), an unknown client (404) and an invalid overlap (400)', async () => {
    const client = await newClient(app, operatorId);
    const wild = [await rotate(client, { overlapSeconds: -1 }), await rotate(client, { overlapSeconds: 2_592_001 })];
    expect(wild.map(({ status }) => status)).toEqual([400, 400]);
    await app.as('platform').delete(`${clientsOf(operatorId)}/${client.clientId}`);
    expect((await rotate(client)).body).toEqual(errorBody('client_inactive'));
    const unknown = await rotate({ ...client, clientId: 'occ_000000000000000000000000' });
    expect([unknown.status, unknown.body]).toEqual([404, errorBody('not_found', { resource: 'oauth_client' })]);
  });
});

describe('revoking a secret', () => {
  it('revoking a secret ends the tokens of a secret that has already expired', async () => {
    const client = await newClient(app, operatorId);
    const stolen = (await requestToken(app, client)).body.access_token;
    await rotate(client, { overlapSeconds: 0 });
    const bearer = app.with(stolen);
    expect((await bearer.get(clientsOf(operatorId))).status).toBe(200);
    const [, old] = await list(client);

    const ended = await app.as('platform').delete<Secret>(`${pathOf(client)}/${old?.id}`);

    expect([ended.status, ended.body]).toEqual([200, { ...old, revokedAt: expect.any(String) }]);
    expect((await bearer.get(clientsOf(operatorId))).status).toBe(401);
    const entries = await entriesOf(app, old?.id ?? '');
    expect(entries.at(-1)).toMatchObject({ action: 'connect.oauth_client_secret.revoke', before: old });
  });

  it('revoking a secret ends only the tokens that were issued with it; a second call returns the same response', async () => {
    const client = await newClient(app, operatorId);
    const { body: newer } = await rotate(client);
    const old = (await requestToken(app, client)).body.access_token;
    const young = (await requestToken(app, { ...client, clientSecret: newer.clientSecret ?? '' })).body.access_token;
    const [, first] = await list(client);

    const ended = await app.as('platform').delete<Secret>(`${pathOf(client)}/${first?.id}`);
    const again = await app.as('platform').delete<Secret>(`${pathOf(client)}/${first?.id}`);

    expect(ended.body).toEqual({ ...first, live: false, revokedAt: expect.any(String) });
    expect(again.body).toEqual(ended.body);
    const statuses = [old, young].map(async (token) => (await app.with(token).get(clientsOf(operatorId))).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
    expect(await statusWith(client, client.clientSecret)).toBe(401);
    const actions = (await entriesOf(app, first?.id ?? '')).map(({ action }) => action);
    expect(actions).toEqual(['connect.oauth_client_secret.revoke']);
  });

  it('revoking a secret returns 409 for the only valid secret, and 404 for a secret of another client', async () => {
    const [client, neighbour] = [await newClient(app, operatorId), await newClient(app, operatorId)];
    const [only] = await list(client);
    const last = await app.as('platform').delete(`${pathOf(client)}/${only?.id}`);
    expect([last.status, last.body]).toEqual([409, errorBody('last_secret')]);
    const foreign = await app.as('platform').delete(`${pathOf(neighbour)}/${only?.id}`);
    expect([foreign.status, foreign.body]).toEqual([404, errorBody('not_found', { resource: 'oauth_client_secret' })]);
    expect(await statusWith(client, client.clientSecret)).toBe(200);
  });
});
