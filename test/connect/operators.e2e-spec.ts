import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../setup/app.js';
import {
  actingAs,
  requestToken,
  clientsOf,
  entriesOf,
  newClient,
  newOperator,
  errorBody,
  uniqueName,
  withKey,
} from './partners.js';

const OPERATORS = '/connect/v1/operators';

interface Operator {
  id: string;
  name: string;
  status: string;
  version: number;
}

interface Grant {
  id: string;
  operatorId: string;
  scopes: string[];
  status: string;
  expiresAt: string | null;
  version: number;
}

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
});

const platform = () => app.as('platform');
const grantsOf = (operatorId: string) => `${OPERATORS}/${operatorId}/grants`;
const create = (id = uniqueName('op')) => platform().post<Operator>(OPERATORS, { id, name: 'Lakeside Tours' });
async function grant(operatorId: string, values: object = {}): Promise<Grant> {
  const body = { scopes: ['connect:bookings:*'], ...values };
  const answer = await platform().post<Grant>(grantsOf(operatorId), body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
}

describe('operators', () => {
  it('operators are created, read, listed and changed, each change with its ledger entry', async () => {
    const { status, body, headers } = await create();
    const path = `${OPERATORS}/${body.id}`;
    expect([status, headers['location'], headers['etag']]).toEqual([201, path, '"1"']);
    expect(body).toMatchObject({ name: 'Lakeside Tours', status: 'active', version: 1 });

    const changed = await platform().patch<Operator>(path, { name: 'Seaside' }, { headers: { 'If-Match': '"1"' } });
    expect(changed.body).toMatchObject({ id: body.id, name: 'Seaside', status: 'active', version: 2 });
    expect((await platform().get(path)).body).toEqual(changed.body);
    const page = await platform().get<{ data: Operator[]; total: number }>(`${OPERATORS}?limit=200`);
    expect(page.body.data).toContainEqual(changed.body);
    expect(page.body.data.map(({ id }) => id)).toEqual(page.body.data.map(({ id }) => id).sort());
    const actions = (await entriesOf(app, body.id)).map(({ action }) => action);
    expect(actions).toEqual(['connect.operator.create', 'connect.operator.update']);
  });

  it('operators have unique IDs: a duplicate is rejected with 409, also with concurrent requests', async () => {
    const id = uniqueName('op');
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(errorBody('operator_exists'));
  });

  it('operators are not changed with a stale version, a malformed ID or an empty body', async () => {
    const { body } = await create();
    const path = `${OPERATORS}/${body.id}`;
    const stale = await platform().patch(path, { name: 'X' }, { headers: { 'If-Match': '"7"' } });
    expect([stale.status, stale.body]).toEqual([412, errorBody('precondition_failed', { currentVersion: 1 })]);
    expect((await platform().patch(path, {})).status).toBe(400);
    expect((await platform().post(OPERATORS, { id: 'a b', name: 'X' })).status).toBe(400);
    const unknown = await platform().get(`${OPERATORS}/op_unknown`);
    expect([unknown.status, unknown.body]).toEqual([404, errorBody('not_found', { resource: 'operator' })]);
  });

  it('operators stop their clients at once when inactive, in another process within a second, and allow them again when active', async () => {
    const { body: operator } = await create();
    const client = await newClient(app, operator.id);
    const { body } = await requestToken(app, client);
    const statuses = async () => {
      other.travel({ ms: 1_000 });
      const calls = [app, other].map((node) => node.with(body.access_token).get(clientsOf(operator.id)));
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200]);
    await platform().patch(`${OPERATORS}/${operator.id}`, { status: 'inactive' });
    expect(await statuses()).toEqual([401, 401]);
    expect((await requestToken(app, client)).status).toBe(400);
    await platform().patch(`${OPERATORS}/${operator.id}`, { status: 'active' });
    expect(await statuses()).toEqual([200, 200]);
  });

  it('operators require the exact scope and a caller that is not bound to an operator', async () => {
    const { body: operator } = await create();
    const path = `${OPERATORS}/${operator.id}`;
    const writer = await withKey(app, ['connect:bookings:write', 'connect:oauth-clients:*']);
    const without = await writer.patch(path, { name: 'X' });
    expect([without.status, without.body]).toEqual([
      403,
      errorBody('forbidden', { requiredScope: 'connect:operators:write' }),
    ]);
    const bound = await withKey(app, ['connect:*'], operator.id);
    const itself = [
      await bound.patch(path, { name: 'X' }),
      await bound.post(OPERATORS, { id: uniqueName('op'), name: 'X' }),
      await bound.post(grantsOf(operator.id), { scopes: ['connect:bookings:read'] }),
    ];
    expect(itself.map(({ status, body }) => [status, body])).toEqual(itself.map(() => [403, errorBody('forbidden')]));
    const list = await bound.get<{ data: Operator[]; total: number }>(OPERATORS);
    expect([list.body.data.map(({ id }) => id), list.body.total]).toEqual([[operator.id], 1]);
  });
});

describe('grants', () => {
  it('grants are created, read, listed and changed, each change with its ledger entry', async () => {
    const operatorId = await newOperator(app);
    const made = await grant(operatorId, { expiresAt: '2034-12-31T23:59:59Z' });
    const path = `${grantsOf(operatorId)}/${made.id}`;
    expect(made).toMatchObject({ operatorId, status: 'active', expiresAt: '2034-12-31T23:59:59.000Z', version: 1 });

    const changed = await platform().patch<Grant>(path, { scopes: ['connect:bookings:read'], expiresAt: null });
    expect(changed.body).toMatchObject({ scopes: ['connect:bookings:read'], expiresAt: null, version: 2 });
    expect((await platform().get(path)).body).toEqual(changed.body);
    const second = await grant(operatorId);
    const list = await platform().get<{ data: Grant[]; total: number }>(grantsOf(operatorId));
    expect([list.body.data.map(({ id }) => id), list.body.total]).toEqual([[second.id, made.id], 2]);
    const actions = (await entriesOf(app, made.id)).map(({ action }) => action);
    expect(actions).toEqual(['connect.operator_grant.create', 'connect.operator_grant.update']);
  });

  it('grants stop their clients while they are paused, and permanently when they are revoked', async () => {
    const operatorId = await newOperator(app);
    const { id: grantId } = await grant(operatorId);
    const path = `${grantsOf(operatorId)}/${grantId}`;
    const client = await newClient(app, operatorId, { grantId });
    const token = (await requestToken(app, client)).body.access_token;
    const statuses = async () => {
      other.travel({ ms: 1_000 });
      const calls = [app, other].map((node) => node.with(token).get(clientsOf(operatorId)));
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200]);
    await platform().patch(path, { status: 'paused' });
    expect(await statuses()).toEqual([401, 401]);
    await platform().patch(path, { status: 'active' });
    expect(await statuses()).toEqual([200, 200]);
    await platform().patch(path, { status: 'revoked' });
    expect(await statuses()).toEqual([401, 401]);
    const back = await platform().patch(path, { status: 'active' });
    expect([back.status, back.body]).toEqual([409, errorBody('grant_revoked')]);
  });

  it('grants are rejected for an end in the past, an inactive operator and a grant of another operator', async () => {
    const operatorId = await newOperator(app);
    const past = await platform().post(grantsOf(operatorId), {
      scopes: ['connect:*'],
      expiresAt: '2020-01-01T00:00:00Z',
    });
    expect(past.status).toBe(400);
    const { id } = await grant(operatorId);
    const elsewhere = await platform().patch(`${grantsOf(await newOperator(app))}/${id}`, { status: 'paused' });
    expect([elsewhere.status, elsewhere.body]).toEqual([404, errorBody('not_found', { resource: 'grant' })]);
    await platform().patch(`${OPERATORS}/${operatorId}`, { status: 'inactive' });
    const inactive = await platform().post(grantsOf(operatorId), { scopes: ['connect:bookings:read'] });
    expect([inactive.status, inactive.body]).toEqual([409, errorBody('operator_inactive')]);
  });

  it('grants can be revoked by a caller that could not create them', async () => {
    const operatorId = await newOperator(app);
    const { id } = await grant(operatorId, { scopes: ['connect:*'] });
    const keeper = await withKey(app, ['connect:grants:write']);
    const path = `${grantsOf(operatorId)}/${id}`;
    expect((await keeper.patch(path, { status: 'paused' })).status).toBe(200);
    const resumed = await keeper.patch(path, { status: 'active' });
    expect([resumed.status, resumed.body]).toEqual([
      403,
      errorBody('forbidden', { requiredScope: 'connect:grants:write', excessScopes: ['connect:*'] }),
    ]);
    expect((await keeper.patch(path, { expiresAt: null })).status).toBe(403);
    expect((await keeper.patch(path, { status: 'revoked' })).status).toBe(200);
  });
});

const AREAS = ['bookings', 'flights', '*'];
const ACTIONS = ['read', 'write', '*'];
const scope = fc.oneof(
  { weight: 1, arbitrary: fc.constant('connect:*') },
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.constantFrom(...AREAS), fc.constantFrom(...ACTIONS))
      .map(([area, action]) => `connect:${area}:${action}`),
  },
);
const scopes = fc.uniqueArray(scope, { minLength: 1, maxLength: 3 });

/** The rule for scopes, implemented independently: a scope covers another one segment by segment. */
function covered(granted: string[], wanted: string): boolean {
  const parts = (one: string) => (one === 'connect:*' ? ['*', '*'] : one.split(':').slice(1));
  const [area, action] = parts(wanted);
  return granted.map(parts).some(([a, b]) => (a === '*' || a === area) && (b === '*' || b === action));
}

describe('a caller without the scopes of a grant', () => {
  it('a caller without the scopes of a grant cannot create it, extend it or resume it', async () => {
    const operatorId = await newOperator(app);
    const outcomes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(scopes, scopes, async (granted, wanted) => {
        const all = [...new Set([...granted, 'connect:grants:write'])];
        const key = await withKey(app, all);
        const expected = wanted.every((one) => covered(all, one));
        const created = await key.post<Grant>(grantsOf(operatorId), { scopes: wanted });
        expect(created.status).toBe(expected ? 201 : 403);

        const { id } = await grant(operatorId, { scopes: wanted });
        const path = `${grantsOf(operatorId)}/${id}`;
        for (const change of [{ scopes: wanted }, { expiresAt: '2034-01-01T00:00:00Z' }, { status: 'active' }]) {
          expect((await key.patch(path, change)).status).toBe(expected ? 200 : 403);
        }
        outcomes.add(created.status);
      }),
      { numRuns: 25 },
    );
    expect([...outcomes].sort()).toEqual([201, 403]);
  });

  it('a caller without the scopes of a grant cannot change it with the token of a client, which is bound to one operator', async () => {
    const operatorId = await newOperator(app);
    const { id: grantId } = await grant(operatorId, { scopes: ['connect:*'], expiresAt: '2034-12-31T23:59:59Z' });
    const client = await actingAs(app, await newClient(app, operatorId, { scopes: ['connect:*'], grantId }));
    const longer = await client.patch(`${grantsOf(operatorId)}/${grantId}`, { expiresAt: null });
    expect([longer.status, longer.body]).toEqual([403, errorBody('forbidden')]);
  });
});
