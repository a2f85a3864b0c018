import { describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { BEHIND_PROXY, makeCallers } from './callers.js';
import { lockChannels, until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels';

describe('more requests than a process may answer at the same time', () => {
  it('requests above the limit are 503 within 50 ms in the body of their surface, while health and other requests are served', async () => {
    const app = await startApp({ env: { MAX_IN_FLIGHT: '3', JOBS: 'false', DATABASE_POOL_SIZE: '12' } });
    const staff = app.as('owner');
    await staff.get(CHANNELS);
    const table = await lockChannels();
    const admitted = Array.from({ length: 3 }, () => staff.get(CHANNELS));
    await until(async () => (await table.waiting()) === 3);

    const durations: number[] = [];
    const rejected = await Promise.all(
      ['/v1/admin/nothing', '/vault/v1/x', '/data/x', '/connect/v1/x'].map(async (path) => {
        const began = performance.now();
        const answer = await app.get(path);
        durations.push(performance.now() - began);
        return answer;
      }),
    );
    const live = await app.get('/health/live');
    const metrics = await app.get('/metrics');
    await table.release();

    const [trade, plain, data] = rejected;
    expect(rejected.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      rejected.map(() => [503, '1']),
    );
    expect(trade?.body).toEqual({
      error: 'The service is busy',
      code: 'service_unavailable',
      requestId: trade?.headers['x-request-id'],
      details: { retryAfterMs: 1000 },
    });
    expect(trade?.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(plain?.body).toEqual({ error: 'The service is busy', retryAfterMs: 1000 });
    expect(data?.body).toEqual({ code: 'SERVICE_UNAVAILABLE', message: 'The service is busy', retryAfterMs: 1000 });
    // The fastest response, because the machine of a test may be busy.
    expect(Math.min(...durations)).toBeLessThan(50);
    expect([live.status, metrics.status]).toEqual([200, 200]);
    expect(metrics.text).toMatch(/^http_overload_rejections_total 4$/m);
    expect(metrics.text).toMatch(/^http_requests_admitted_at_most 3$/m);
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await staff.get(CHANNELS)).status).toBe(200);
  });

  it('requests are also rejected if the event loop is late, but never the few that cannot be the reason', async () => {
    const app = await startApp({
      env: {
        MAX_EVENT_LOOP_DELAY_MS: '1',
        MAX_IN_FLIGHT: '20',
        JOBS: 'false',
        DATABASE_POOL_SIZE: '10',
        ...BEHIND_PROXY,
      },
    });
    const callers = await makeCallers(app.as('owner'), 9);
    const table = await lockChannels();
    // Two of each caller, so that none of them waits for its turn.
    const waiting = [...callers, ...callers].map((get) => get(CHANNELS));
    await until(async () => (await table.waiting()) === 10);
    let isRejected = false;
    await until(async () => {
      const stop = performance.now() + 40;
      while (performance.now() < stop);
      isRejected = (await app.get('/foo')).status === 503;
      return isRejected;
    });
    await table.release();
    await Promise.all(waiting);
    expect(isRejected).toBe(true);
    expect((await app.get('/foo')).status).toBe(404);
  });
});

describe('a request that takes longer than its deadline', () => {
  it('a request that exceeds its deadline is 503, and its statement is cancelled', async () => {
    const app = await startApp({ env: { REQUEST_DEADLINE_MS: '300', JOBS: 'false', LOG_LEVEL: 'warn' } });
    const staff = app.as('owner');
    await staff.get(CHANNELS);
    const table = await lockChannels();
    const began = performance.now();
    const created = staff.post(CHANNELS, { name: 'Too late', kind: 'website' });
    const listed = staff.get(CHANNELS);
    await until(async () => (await table.waiting()) === 2);

    for (const { status, headers, body } of [await created, await listed]) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toEqual({
        error: 'The request took too long',
        code: 'service_unavailable',
        requestId: headers['x-request-id'],
        details: { retryAfterMs: 1000 },
      });
    }
    // Well before the two seconds of the lock timeout.
    expect(performance.now() - began).toBeLessThan(1_500);
    await until(async () => (await table.waiting()) === 0);
    expect(performance.now() - began).toBeLessThan(1_800);
    await table.release();

    const [found] = await app.sql<{ count: number }>(`select count(*)::int from channels where name = 'Too late'`);
    expect(found?.count).toBe(0);
    expect((await staff.get(CHANNELS)).status).toBe(200);
    expect(app.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
    expect(app.logs.filter((line) => line.includes('aborted at its deadline'))).toHaveLength(2);
  });

  it('a request that exceeds its deadline releases its Idempotency-Key, so that it can be repeated', async () => {
    const app = await startApp({ env: { REQUEST_DEADLINE_MS: '300', JOBS: 'false' } });
    const staff = app.as('owner');
    const table = await lockChannels();
    const call = { headers: { 'Idempotency-Key': 'deadline-and-again' } };
    const create = () => staff.post(CHANNELS, { name: 'In time at last', kind: 'website' }, call);
    expect((await create()).status).toBe(503);
    await table.release();
    await until(async () => (await create()).status === 201);
  });
});

describe('a pool whose connections are all in use', () => {
  it('a request that waits longer than a second for a connection is rejected, and the process stays ready', async () => {
    const app = await startApp({ env: { DATABASE_POOL_SIZE: '4', JOBS: 'false', ...BEHIND_PROXY } });
    const staff = app.as('owner');
    const callers = await makeCallers(staff, 20);
    await until(async () => (await app.get('/health/ready')).status === 200);
    await staff.get(CHANNELS);
    const table = await lockChannels();
    const durations: number[] = [];
    const answers = callers.map(async (get) => {
      const began = performance.now();
      const { status } = await get(CHANNELS);
      durations.push(performance.now() - began);
      return status;
    });
    await until(async () => (await table.waiting()) === 4);
    expect((await app.get('/health/ready')).status).toBe(200);
    // The readiness check did not wait for a connection.
    expect(durations).toEqual([]);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([503]));
    expect(Math.max(...durations)).toBeLessThan(3_500);
    await table.release();
    expect((await staff.get(CHANNELS)).status).toBe(200);
  });
});
