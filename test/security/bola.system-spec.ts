import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  actingAs,
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  withKey,
} from '../connect/partners.js';
import type { Placed } from '../contract/served-document.js';
import { hire, SESSIONS } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { contents } from '../setup/tables.js';
import { guardedOperations, nameOf, pathWith, surfaceOf } from './calls.js';

/** The resources of one operator, by their kind. */
interface Estate {
  operatorId: string;
  clientId: string;
  rowId: string;
  grantId: string;
}

type Values = Record<string, string>;

const EVERYTHING = ['connect:*'];
/** Valid bodies, so that only the ids can be the reason of a rejection. */
const BODIES: Record<string, object> = {
  'POST /connect/v1/operators/{operatorId}/oauth-clients': { scopes: ['connect:bookings:read'] },
  'POST /connect/v1/operators/{operatorId}/oauth-clients/{clientId}/secrets': {},
  'POST /connect/v1/operators/{operatorId}/grants': { scopes: ['connect:bookings:read'] },
  'PATCH /connect/v1/operators/{operatorId}/grants/{grantId}': { status: 'paused' },
  'PATCH /connect/v1/operators/{operatorId}': { name: 'Taken over' },
  'PATCH /connect/v1/webhooks/endpoints/{endpointId}': { description: 'Taken over' },
  'POST /connect/v1/webhooks/endpoints/{endpointId}/secret-rotations': {},
  'POST /connect/v1/webhooks/endpoints/{endpointId}/replays': { from: '2026-01-01T00:00:00Z' },
  'PATCH /connect/v1/connector-providers/{providerKey}': { applicationFormSchema: { type: 'object' } },
};

let app: TestApp;
let operations: Placed[];
let [foreignEstate, ownEstate]: Estate[] = [];
let intruders: [string, TestClient][];

async function settle(): Promise<Estate & { client: OAuthClient }> {
  const operatorId = await newOperator(app);
  const grantId = await newGrant(app, operatorId, { scopes: EVERYTHING });
  const client = await newClient(app, operatorId, { scopes: EVERYTHING, grantId });
  return { operatorId, grantId, clientId: client.clientId, rowId: client.id, client };
}

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  const withPath = (await guardedOperations(app)).filter(({ path }) => path.includes('{'));
  operations = withPath.filter((operation) => surfaceOf(operation) === 'connect');
  const [one, other] = [await settle(), await settle()];
  [foreignEstate, ownEstate] = [one, other];
  const unbound = await newClient(app, other.operatorId, { scopes: EVERYTHING });
  intruders = [
    ['a platform key of another operator', await withKey(app, EVERYTHING, other.operatorId)],
    ['an access token under a grant of another operator', await actingAs(app, other.client)],
    ['an access token of another operator', await actingAs(app, unbound)],
  ];
});

/** All combinations of ids of both operators for the path of the operation, with at least one foreign id. */
function trespasses(operation: Placed): Values[] {
  const names = (operation.parameters ?? []).filter((found) => found.in === 'path').map(({ name }) => name);
  const own: Values = { ...ownEstate };
  const filled = names.reduce<Values[]>(
    (all, name) => {
      // One foreign id is enough if the own operator has no resource of this kind.
      const choices = own[name] === undefined ? idsOf(foreignEstate).slice(0, 1) : [...idsOf(foreignEstate), own[name]];
      return all.flatMap((values) => choices.map((choice) => ({ ...values, [name]: choice })));
    },
    [{}],
  );
  return filled.filter((values) => Object.values(values).some(isTheirs));
}

function idsOf(estate: Estate | undefined): string[] {
  return estate ? [estate.operatorId, estate.clientId, estate.rowId, estate.grantId] : [];
}

const isTheirs = (id: string) => idsOf(foreignEstate).includes(id);

/** An id of the same form that does not exist. */
const unknown = (id: string) => id.slice(0, -6) + (id.endsWith('000000') ? '111111' : '000000');

function call(client: TestClient, operation: Placed, values: Values): Promise<Answer<Record<string, unknown>>> {
  return client.request(operation.method, pathWith(operation, values), { body: BODIES[nameOf(operation)] });
}

/** The parts of a response that do not depend on the request. */
function comparable({ status, headers, body }: Answer<Record<string, unknown>>): unknown {
  const { requestId, ...rest } = body;
  expect(requestId).toBe(headers['x-request-id']);
  const { date: _, 'x-request-id': __, ratelimit: ___, ...same } = headers;
  return { status, body: rest, headers: same };
}

describe('the ids of another operator', () => {
  it('every id of another operator in every path is 404 like an unknown id with every credential, and no row changes', async () => {
    const before = await contents(app);
    let tried = 0;
    for (const operation of operations) {
      for (const values of trespasses(operation)) {
        const made = Object.entries(values).map(([name, id]) => [name, isTheirs(id) ? unknown(id) : id] as const);
        for (const [kind, intruder] of intruders) {
          const answer = await call(intruder, operation, values);
          const place = `${nameOf(operation)} ${JSON.stringify(values)} by ${kind}`;
          expect([place, answer.status]).toEqual([place, 404]);
          expect(comparable(answer)).toEqual(comparable(await call(intruder, operation, Object.fromEntries(made))));
          tried += 1;
        }
      }
    }
    expect(await contents(app)).toEqual(before);
    // Tests only operations that create, list and revoke clients, with all combinations of ids except the own operator's.
    expect(tried).toBeGreaterThanOrEqual(intruders.length * (4 + 4 + 4 + (5 * 5 - 1)));
  }, 180_000);

  it('ids of another operator are neither listed nor accepted in a body', async () => {
    const list = clientsOf(ownEstate?.operatorId ?? '');
    for (const [, intruder] of intruders) {
      const { status, text } = await intruder.get(`${list}?limit=200`);
      expect([status, idsOf(foreignEstate).filter((id) => text.includes(id))]).toEqual([200, []]);

      const body = { scopes: ['connect:bookings:read'] };
      const created = await intruder.post<Record<string, unknown>>(list, { ...body, grantId: foreignEstate?.grantId });
      const made = await intruder.post<Record<string, unknown>>(list, { ...body, grantId: 'grant_unknown' });
      expect(created.status).toBe(404);
      expect(created.body).toEqual({
        error: 'Not found',
        code: 'not_found',
        requestId: created.headers['x-request-id'],
        details: { resource: 'grant' },
      });
      expect(comparable(created)).toEqual(comparable(made));
    }
  });

  it('the Idempotency-Key of another operator gives no access to its resources', async () => {
    const [body, headers] = [{ scopes: ['connect:bookings:read'] }, { 'Idempotency-Key': 'the-key-of-another-one' }];
    const owner = await withKey(app, EVERYTHING, foreignEstate?.operatorId);
    const first = await owner.post<OAuthClient>(clientsOf(foreignEstate?.operatorId ?? ''), body, { headers });
    expect(first.status).toBe(201);

    for (const [, intruder] of intruders) {
      const same = await intruder.post(clientsOf(foreignEstate?.operatorId ?? ''), body, { headers });
      expect([same.status, same.text.includes(first.body.id)]).toEqual([404, false]);
      const own = await intruder.post<OAuthClient>(clientsOf(ownEstate?.operatorId ?? ''), body, { headers });
      expect([own.status, own.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expect(own.body.id).not.toBe(first.body.id);
    }
  });

  it('the owner of the ids is accepted by the same requests, so only the ids are the reason of the rejections', async () => {
    const owner = await withKey(app, EVERYTHING, foreignEstate?.operatorId);
    const { operatorId = '', grantId = '', clientId = '', rowId = '' } = foreignEstate ?? {};
    // Operations that delete come last; the tests of secrets check who may delete them.
    const called = operations
      .filter(({ path }) => path.includes('{operatorId}') && !path.includes('{secretId}'))
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    const statuses = async (values: Values) => {
      const seen: number[] = [];
      for (const operation of called) seen.push((await call(owner, operation, values)).status);
      return seen.sort();
    };
    // 403: a caller cannot extend its own permissions, neither as an operator nor by a grant.
    const itself = [403, 403, 403];
    const found = [200, 200, 200, 200, 200, 200, 200];
    expect(await statuses({ operatorId, grantId, clientId })).toEqual([...found, 201, 201, ...itself]);
    // The client is revoked by then and gets no new secret.
    expect(await statuses({ operatorId, grantId, clientId: rowId })).toEqual([...found, 201, ...itself, 409]);
  });
});

describe('the session of another user', () => {
  it('the session of another user is neither listed nor ended without identity:write: 404 with the body of an unknown one', async () => {
    const member = await hire(app, ['viewer']);
    const { body: page } = await member.client.get<{ data: { id: string }[] }>(SESSIONS);
    const [session] = page.data;
    const others = [(await hire(app, ['manager'])).client];
    const before = await contents(app);
    for (const other of others) {
      const ended = await other.delete<Record<string, unknown>>(`${SESSIONS}/${session?.id}`);
      const none = await other.delete<Record<string, unknown>>(`${SESSIONS}/${unknown(session?.id ?? '')}`);
      expect(ended.status).toBe(404);
      expect(comparable(ended)).toEqual(comparable(none));
      expect((await other.get(SESSIONS)).text).not.toContain(session?.id);
    }
    expect(await contents(app)).toEqual(before);
    expect((await member.client.get(SESSIONS)).status).toBe(200);
  });
});
