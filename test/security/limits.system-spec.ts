import { describe, expect, it } from '@jest/globals';
import { requestToken, clientsOf, newOperator, type OAuthClient, withKey } from '../connect/partners.js';
import { SESSIONS, uniqueEmail } from '../identity/staff.js';
import { lockChannels, until } from '../platform/locked-table.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

/** In sequence, because the test is about their number, and a busy machine answers parallel requests with 503. */
async function times<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await call(index));
  return answers;
}

const EXEMPT = ['/health/live', '/health/ready', '/metrics'];
/** Neither the exempt paths nor their exempt method, although most of them look alike. */
const NOT_EXEMPT = [
  ['GET', '/health'],
  ['GET', '/health/x'],
  ['GET', '/health/live/x'],
  ['GET', '/health/live/'],
  ['GET', '/HEALTH/live'],
  ['GET', '/metrics/x'],
  ['HEAD', '/health/live'],
  ['POST', '/health/live'],
  ['OPTIONS', '/health/ready'],
  ['DELETE', '/metrics'],
] as const;

async function statuses(app: TestApp, calls: readonly (readonly [method: string, path: string])[]): Promise<number[]> {
  const answers = await Promise.all(calls.map(([method, path]) => app.request(method, path)));
  return answers.map(({ status }) => status);
}

describe('health checks and metrics', () => {
  it('health checks and metrics are exempt from the address limit by GET and their exact paths only', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.001', JOBS: 'false' } });
    await until(async () => (await app.get('/health/x')).status === 429);
    expect(await statuses(app, NOT_EXEMPT)).toEqual(NOT_EXEMPT.map(() => 429));
    expect(
      await statuses(
        app,
        EXEMPT.map((path) => ['GET', path] as const),
      ),
    ).not.toContain(429);
  });

  it('health checks and metrics are exempt from admission by GET and their exact paths only', async () => {
    const app = await startApp({ env: { MAX_IN_FLIGHT: '2', JOBS: 'false' } });
    const staff = app.as('owner');
    const list = () => staff.get('/v1/admin/distribution/channels');
    await list();
    const table = await lockChannels();
    const admitted = [list(), list()];
    await until(async () => (await table.waiting()) === 2);
    const rejected = await statuses(app, NOT_EXEMPT);
    const passed = await statuses(
      app,
      EXEMPT.map((path) => ['GET', path] as const),
    );
    await table.release();
    await Promise.all(admitted);
    expect(rejected).toEqual(NOT_EXEMPT.map(() => 503));
    expect([passed[0], passed[2]]).toEqual([200, 200]);
  });
});

describe('the limit on failed logins', () => {
  const failedLogins = async (app: TestApp, addressOf: (index: number) => string) => {
    const guess = (index: number) => {
      const call = { headers: { 'X-Forwarded-For': addressOf(index) } };
      return app.post(SESSIONS, { email: uniqueEmail(), password: 'a wrong guess' }, call);
    };
    const answers = await times(14, guess);
    return answers.filter(({ status }) => status === 429).length;
  };
  const proxied = { TRUSTED_PROXIES: '127.0.0.1,::1', JOBS: 'false' };

  it('the limit on failed logins counts a /64 of IPv6 as one address', async () => {
    const app = await startApp({ env: { ...proxied, RATE_LIMIT_FACTOR: '1' } });
    expect(await failedLogins(app, (index) => `2001:db8:1:2::${index + 1}`)).toBeGreaterThan(0);
    expect(await failedLogins(app, (index) => `2001:db8:1:${index + 10}::1`)).toBe(0);
  });

  it('the limit on failed logins counts an IPv4 address written as IPv6 as the IPv4 address', async () => {
    const app = await startApp({ env: { ...proxied, RATE_LIMIT_FACTOR: '1' } });
    const spellings = ['192.0.2.77', '::ffff:192.0.2.77', '::ffff:c000:24d'];
    expect(await failedLogins(app, (index) => spellings[index % 3] ?? '')).toBeGreaterThan(0);
  });

  it('the limit on failed logins is not multiplied by RATE_LIMIT_FACTOR', async () => {
    const app = await startApp({ env: { ...proxied, RATE_LIMIT_FACTOR: '100' } });
    expect(await failedLogins(app, () => '192.0.2.78')).toBeGreaterThan(0);
  });
});

describe('the limit on writes of an operator', () => {
  const NEW = { scopes: ['connect:bookings:read'] };
  const write = (client: TestClient, operatorId: string) => client.post(clientsOf(operatorId), NEW);

  it('the limit on writes of an operator is not used up by a credential without the scope', async () => {
    const operatorId = await newOperator(await startApp());
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1', JOBS: 'false' } });
    const attack = await times(20, () => write(app.as('limited'), operatorId));
    expect(new Set(attack.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await write(app.as('platform'), operatorId)).status).toBe(201);
  });

  it('the limit on writes of an operator is not used up by a credential of another operator', async () => {
    const generous = await startApp();
    const [victim, attacker] = [await newOperator(generous), await newOperator(generous)];
    const bound = await withKey(generous, ['connect:*'], attacker);
    const { body: client } = await bound.post<OAuthClient>(clientsOf(attacker), { scopes: ['connect:*'] });
    const token = (await requestToken(generous, client)).body.access_token;
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '1', JOBS: 'false' } });
    const attack = await times(15, () => write(app.with(token), victim));
    expect(new Set(attack.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await write(app.as('platform'), victim)).status).toBe(201);
  });

  it('the limit on writes of an operator does not replace that of the credential, which also counts rejected requests', async () => {
    const operatorId = await newOperator(await startApp());
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.01', JOBS: 'false' } });
    const answers = await times(5, () => write(app.as('limited'), operatorId));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]));
  });
});
