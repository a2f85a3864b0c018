import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { PlatformKeysService } from '../../src/modules/identity/api-tokens/platform-keys.service.js';
import { requestToken, newClient, newOperator, uniqueName } from '../connect/partners.js';
import { operationsOf, type Placed, readDocument } from '../contract/served-document.js';
import { retryWhileBusy } from '../finance/payments/payments.js';
import { login } from '../identity/staff.js';
import { subscriptionToken } from '../realtime/subscriptions.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Call } from '../setup/http.js';
import { contents } from '../setup/tables.js';
import { needsSubscription } from '../fuzz/draft.js';
import {
  bodyFor,
  expectUnauthorized,
  fewAtATime,
  guardedOperations,
  nameOf,
  pathWith,
  type Surface,
  surfaceOf,
} from './calls.js';

type Kind = 'vsk' | 'vss' | 'tpk' | 'oat' | 'rts';

const KINDS: Kind[] = ['vsk', 'vss', 'tpk', 'oat', 'rts'];
const ACCEPTED: Record<Surface, Kind[]> = {
  staff: ['vsk', 'vss'],
  connect: ['tpk', 'oat'],
  vault: ['tpk'],
  realtime: ['tpk', 'rts'],
  data: ['tpk'],
};

function acceptedBy(operation: Placed): Kind[] {
  return needsSubscription(operation) ? ['rts'] : ACCEPTED[surfaceOf(operation)];
}

let app: TestApp;
let operations: Placed[];
/** Creates one credential of each kind, with every scope that its kind can have. */
let tokens: Record<Kind, string>;
/** Formerly valid credentials. */
let over: Record<string, string>;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  operations = await guardedOperations(app);
  const { email, password, token } = app.credentials.staff;
  const client = await newClient(app, await newOperator(app), { scopes: ['connect:*'] });
  const { body } = await requestToken(app, client);
  tokens = {
    vsk: token,
    vss: await login(app, email, password),
    tpk: app.credentials.platformKey,
    oat: body.access_token,
    rts: await subscriptionToken(app),
  };
  over = {
    revoked: await platformKey({ revoked: true }),
    expired: await platformKey({ expiresAt: '2020-01-01T00:00:00Z' }),
  };
});

async function platformKey(members: object): Promise<string> {
  const { token } = newCredential('tpk');
  const key = {
    name: uniqueName('key'),
    scopes: ['connect:*', 'vault:write', 'realtime:subscribe', 'data:geo:read'],
    token,
  };
  await asSystem(() => app.nest.get(PlatformKeysService, { strict: false }).provide({ ...key, ...members }));
  return token;
}

/** All headers and parameters of the operation, and this one. */
function attempt(operation: Placed, call: Call) {
  const body = operation.requestBody ? bodyFor(operation, {}) : undefined;
  // A 503 of a busy machine does not depend on the credential: the request is repeated, as a client would do.
  return retryWhileBusy(() => app.request(operation.method, pathWith(operation), { body, ...call }));
}

const bearer = (token: string): Call => ({ headers: { Authorization: `Bearer ${token}` } });

/** Malformed variants of a credential that this surface accepts. */
const SHAPES: Record<string, (good: string, kind: Kind) => Call> = {
  'an empty header': () => ({ headers: { Authorization: '' } }),
  'no scheme': (good) => ({ headers: { Authorization: good } }),
  'another scheme': (good) => ({ headers: { Authorization: `Basic ${Buffer.from(good).toString('base64')}` } }),
  'the scheme alone': () => ({ headers: { Authorization: 'Bearer' } }),
  'two tokens': (good) => bearer(`${good} ${good}`),
  'a list of tokens': (good) => bearer(`${good},${good}`),
  'a token in quotes': (good) => bearer(`"${good}"`),
  'a token that is cut': (good) => bearer(good.slice(0, -1)),
  'a token with a character more': (good) => bearer(`${good}0`),
  'a secret with another checksum': (good) => bearer(good.slice(0, -6) + [...good.slice(-6)].reverse().join('')),
  "another credential's secret": (good, kind) => bearer(good.slice(0, 21) + newCredential(kind).token.slice(21)),
  'an unknown id': (_, kind) => bearer(newCredential(kind).token),
  'upper case': (good) => bearer(good.toUpperCase()),
  'a JSON web token without a signature': () => bearer('eyJhbGciOiJub25lIn0.eyJzY29wZXMiOlsiKiJdfQ.'),
  'a cookie': (good) => ({ headers: { Cookie: `token=${good}; access_token=${good}` } }),
  'a header of proxies': (good) => ({
    headers: { 'Proxy-Authorization': `Bearer ${good}`, 'X-Forwarded-User': 'owner' },
  }),
};
const WITHOUT_HEADER = ['a cookie', 'a header of proxies'];

describe('an operation that needs a credential', () => {
  it('every operation that needs a credential is 401 for credentials of other surfaces with any scope, and without one', async () => {
    const before = await contents(app);
    let rejectedCount = 0;
    for (const operation of operations) {
      const surface = surfaceOf(operation);
      const foreign = KINDS.filter((kind) => !acceptedBy(operation).includes(kind));
      for (const kind of foreign) expectUnauthorized(await attempt(operation, bearer(tokens[kind])), surface, true);
      expectUnauthorized(await attempt(operation, {}), surface, false);
      rejectedCount += foreign.length + 1;
    }
    expect(rejectedCount).toBeGreaterThanOrEqual(operations.length * 3);
    expect(await contents(app)).toEqual(before);
  });

  it.each(Object.entries(SHAPES))('every operation that needs a credential is 401 for %s', async (name, shape) => {
    await fewAtATime(
      operations.map((operation) => async () => {
        const surface = surfaceOf(operation);
        const [kind = 'tpk'] = acceptedBy(operation);
        const answer = await attempt(operation, shape(tokens[kind], kind));
        expectUnauthorized(answer, surface, !WITHOUT_HEADER.includes(name));
      }),
    );
  });

  it('every operation that needs a credential is 401 for a revoked key and for an expired one', async () => {
    for (const operation of operations.filter((found) => surfaceOf(found) !== 'staff')) {
      for (const token of Object.values(over)) {
        expectUnauthorized(await attempt(operation, bearer(token)), surfaceOf(operation), true);
      }
    }
  });

  it('the x-api-key header is accepted on the staff surface only', async () => {
    for (const operation of operations) {
      const surface = surfaceOf(operation);
      const [kind = 'tpk'] = acceptedBy(operation);
      const answer = await attempt(operation, { headers: { 'x-api-key': tokens[kind] } });
      if (surface === 'staff') expect([nameOf(operation), answer.status]).not.toEqual([nameOf(operation), 401]);
      else expectUnauthorized(answer, surface, false);
    }
  });

  it('no operation accepts a token in its query', async () => {
    for (const operation of operations) {
      const surface = surfaceOf(operation);
      const [kind = 'tpk'] = acceptedBy(operation);
      const path = `${pathWith(operation)}?access_token=${tokens[kind]}`;
      expectUnauthorized(await app.request(operation.method, path), surface, false);
    }
  });
});

describe('an operation that needs no credential', () => {
  it('an operation that needs no credential ignores it: a valid one, an invalid one and none get the same response', async () => {
    const open = operationsOf(await readDocument(app)).filter(({ security }) => security?.length === 0);
    expect(open.length).toBeGreaterThan(0);
    for (const operation of open) {
      const calls = [{}, bearer(tokens.vsk), bearer(tokens.tpk), bearer('wrong')];
      const answers = await Promise.all(calls.map((call) => attempt(operation, call)));
      const seen = answers.map(({ status, text, headers }) => [
        status,
        text.replace(headers['x-request-id'] ?? '', '').replace(/ nonce="[^"]+"/g, ''),
      ]);
      expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    }
  });
});
