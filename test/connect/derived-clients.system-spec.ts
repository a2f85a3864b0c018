import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  actingAs,
  requestToken,
  clientsOf,
  entriesOf,
  errorBody,
  newOperator,
  type OAuthClient,
  provision,
  uniqueName,
} from './partners.js';

const scopes = ['connect:*'];

let app: TestApp;
let operatorId: string;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
});

const inHours = (hours: number) => new Date(app.now().getTime() + hours * 3_600_000).toISOString();
const ask = (caller: TestClient, values: object = {}) =>
  caller.post<OAuthClient>(clientsOf(operatorId), { scopes, ...values });

async function create(caller: TestClient, values: object = {}): Promise<OAuthClient> {
  const { status, body, text } = await ask(caller, values);
  if (status !== 201) throw new Error(`The client was not created: ${text}`);
  return body;
}

/** A platform key, and a function that provisions it again with changes. */
async function newKey(values: object = {}) {
  const name = uniqueName('key');
  const { token } = newCredential('tpk');
  const change = (changes: object) => provision(app, { platformKeys: [{ name, scopes, ...values, ...changes }] });
  await change({ token });
  return { token, client: app.with(token), change };
}

const statusesOf = (node: TestApp, clients: OAuthClient[]) =>
  Promise.all(clients.map(async (client) => (await requestToken(node, client)).status));

/** Two clients of a caller, and one that was created by the second. */
async function family(caller: TestClient): Promise<OAuthClient[]> {
  const [first, second] = [await create(caller), await create(caller)];
  return [first, second, await create(await actingAs(app, second))];
}

describe('a client that is created with an expiring platform key', () => {
  it('a client that is created with an expiring platform key ends no later: a later end is 400, and without an end it ends with the key', async () => {
    const expiresAt = inHours(1);
    const { client: key } = await newKey({ expiresAt });
    const later = await ask(key, { expiresAt: inHours(2) });
    const message = 'expiresAt must not be later than the end of the credential that creates this one';
    const issues = [{ path: 'expiresAt', message, code: 'after_parent_end' }];
    expect([later.status, later.body]).toEqual([
      400,
      errorBody('invalid_request', { issues, fields: { expiresAt: [message] } }),
    ]);
    const child = await create(key);
    expect(child.expiresAt).toBe(expiresAt);
    expect((await create(await actingAs(app, child))).expiresAt).toBe(expiresAt);
  });

  it('a client that is created with an expiring platform key is the only one for which the key can make a secret: one that lasts longer is 409', async () => {
    const { client: key } = await newKey({ expiresAt: inHours(1) });
    const lasting = await create(app.as('platform'));
    const { status, body } = await key.post(`${clientsOf(operatorId)}/${lasting.clientId}/secrets`, {});
    expect([status, body]).toEqual([409, errorBody('grant_conflict', { reason: 'expiry' })]);
    const own = await create(key);
    expect((await key.post(`${clientsOf(operatorId)}/${own.clientId}/secrets`, {})).status).toBe(201);
  });
});

describe('revoking a client', () => {
  it('revokes the clients that it created, at every depth and on all processes', async () => {
    const other = await startApp();
    const [root] = await family(app.as('platform'));
    if (!root) throw new Error('No client');
    const caller = await actingAs(app, root);
    const descendants = await family(caller);
    const unrelated = await create(app.as('platform'));
    const token = (await requestToken(other, descendants[2] ?? root)).body.access_token;
    const withToken = async () => (await other.with(token).get(clientsOf(operatorId))).status;
    expect([await withToken(), await statusesOf(other, descendants)]).toEqual([200, [200, 200, 200]]);

    expect((await app.as('platform').delete(`${clientsOf(operatorId)}/${root.clientId}`)).status).toBe(200);
    expect(await statusesOf(app, [root, ...descendants])).toEqual([401, 401, 401, 401]);
    await eventually(async () => ((await withToken()) === 401 ? true : null));
    await eventually(async () => ((await statusesOf(other, descendants)).includes(200) ? null : true));
    expect(await statusesOf(other, [unrelated])).toEqual([200]);
    for (const { id } of descendants) {
      expect((await entriesOf(app, id)).map(({ action }) => action)).toEqual([
        'connect.oauth_client.create',
        'connect.oauth_client.revoke',
      ]);
    }
  });

  it('revoking a client leaves no client that was created at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const root = await create(app.as('platform'));
      const child = await create(await actingAs(app, root));
      const callers = [await actingAs(app, root), await actingAs(app, child)];
      const path = `${clientsOf(operatorId)}/${root.id}`;
      const creations = Array.from({ length: 6 }, (_, n) => ask(callers[n % 2] ?? app));
      const [answers] = await Promise.all([Promise.all(creations), app.as('platform').delete(path)]);

      expect(answers.filter(({ status }) => status !== 201 && status !== 401)).toEqual([]);
      const created = answers.flatMap(({ status, body }) => (status === 201 ? [body] : []));
      expect(await statusesOf(app, created)).toEqual(created.map(() => 401));
    }
  });
});

describe('revoking a platform key', () => {
  it('revoking a platform key keeps the clients that it created', async () => {
    const { client: key, change } = await newKey();
    const clients = await family(key);
    await change({ revoked: true });
    expect((await key.get(clientsOf(operatorId))).status).toBe(401);
    expect(await statusesOf(app, clients)).toEqual([200, 200, 200]);
  });

  it('with revokeChildren revokes the clients that it created, at every depth, also later and after a new token', async () => {
    const { client: key, change } = await newKey();
    const before = await family(key);
    const { token } = newCredential('tpk');
    await change({ token });
    const clients = [...before, await create(app.with(token))];
    const unrelated = await create(app.as('platform'));
    expect((await key.get(clientsOf(operatorId))).status).toBe(401);

    await change({ revokeChildren: true });
    await change({ revoked: true });
    expect(await statusesOf(app, clients)).toEqual([200, 200, 200, 200]);
    await change({ revoked: true, revokeChildren: true });
    expect(await statusesOf(app, [...clients, unrelated])).toEqual([401, 401, 401, 401, 200]);
    await change({ revoked: true, revokeChildren: true });
  });

  it('revoking a platform key that is bound to an operator leaves it no way to create clients of another operator', async () => {
    const { client: key } = await newKey({ operatorId });
    const other = await newOperator(app);
    const child = await create(key);
    for (const caller of [key, await actingAs(app, child)]) {
      const { status, body } = await caller.post(clientsOf(other), { scopes });
      expect([status, body]).toEqual([404, errorBody('not_found', { resource: 'operator' })]);
    }
    expect(child.operatorId).toBe(operatorId);
  });
});
