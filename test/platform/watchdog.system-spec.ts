import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import { DatabaseProxy } from './database-proxy.js';
import { until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels';

let app: TestApp;
let proxy: DatabaseProxy;

interface Timed extends Answer {
  milliseconds: number;
}

async function timed(call: () => Promise<Answer>): Promise<Timed> {
  const began = performance.now();
  return { ...(await call()), milliseconds: performance.now() - began };
}

const list = () => timed(() => app.as('owner').get(CHANNELS));

/** Repeats the check until the service is ready again; returns the time in milliseconds. */
async function ready(status = 200): Promise<number> {
  const began = performance.now();
  while ((await app.get('/health/ready')).status !== status) {
    if (performance.now() - began > 8_000) throw new Error(`not ${status} within 8 s`);
    await pause(20);
  }
  return performance.now() - began;
}

function expectAway({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers['retry-after']).toBe('1');
  expect(body).toEqual({
    error: 'The database is unavailable',
    code: 'service_unavailable',
    requestId: headers['x-request-id'],
    details: { retryAfterMs: 1000 },
  });
}

/** Until the watchdog detects the outage, a request that waits for a connection only sees that all are in use. */
function expectAwayOrFull(answer: Answer): void {
  if ((answer.body as { code?: string }).code !== 'overloaded') return expectAway(answer);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
}

describe('the watchdog over the database', () => {
  beforeAll(async () => {
    proxy = await DatabaseProxy.start(process.env['DATABASE_URL'] ?? '');
    app = await startApp({ env: { DATABASE_URL: proxy.url, JOBS: 'false', DATABASE_POOL_SIZE: '4' } });
  });
  afterEach(async () => {
    proxy.pass();
    await ready();
  });
  afterAll(async () => {
    await app.close();
    await proxy.close();
  });

  describe('a database that does not answer any more', () => {
    it('with an unresponsive database, waiting requests are 503 within two seconds and later ones at once', async () => {
      expect((await list()).status).toBe(200);
      proxy.blackhole();

      // More than the pool has connections: some have one, the others wait for one.
      const waiting = await Promise.all(Array.from({ length: 12 }, list));
      waiting.forEach(expectAwayOrFull);
      expect(Math.max(...waiting.map(({ milliseconds }) => milliseconds))).toBeLessThan(2_000);

      await ready(503);
      const later = await Promise.all(Array.from({ length: 12 }, list));
      later.forEach(expectAway);
      expect(Math.max(...later.map(({ milliseconds }) => milliseconds))).toBeLessThan(750);
    });

    it('with an unresponsive database, the process stays live but not ready, and recovers within five seconds', async () => {
      proxy.blackhole();
      await ready(503);
      expect((await app.get('/health/live')).body).toEqual({ status: 'ok' });
      expect((await app.get('/health/ready')).body).toEqual({
        status: 'unavailable',
        parts: {
          database: { ok: false, milliseconds: expect.any(Number) },
          catalog: { ok: expect.any(Boolean) },
          disk: { ok: true },
        },
      });

      proxy.pass();
      expect(await ready()).toBeLessThan(5_000);
      expect((await list()).status).toBe(200);
    });

    it('with an unresponsive database, a credential that cannot be looked up is 503, not 401', async () => {
      proxy.blackhole();
      await ready(503);
      app.travel({ ms: 5_000 });
      const { status, body, headers } = await app.as('platform').get('/data/geo/v1/reference/languages');
      expect([status, body, headers['www-authenticate']]).toEqual([
        503,
        { code: 'SERVICE_UNAVAILABLE', message: 'The database is unavailable', retryAfterMs: 1000 },
        undefined,
      ]);
    });

    it('with an unresponsive database, the metrics can be read', async () => {
      proxy.blackhole();
      await ready(503);
      const { status, text } = await app.get('/metrics');
      expect(status).toBe(200);
      expect(text).toMatch(/^db_up 0$/m);
      expect(text).not.toMatch(/^jobs_waiting \d/m);
    });

    it('a database that rejects connections is 503 as well, and is used again once it accepts them', async () => {
      proxy.refuse();
      expectAway(await list());
      await ready(503);
      proxy.pass();
      expect(await ready()).toBeLessThan(5_000);
      expect((await list()).status).toBe(200);
    });

    it('a request that was rejected during an outage of the database is not committed partially', async () => {
      const create = () => app.as('owner').post(CHANNELS, { name: 'Half of a channel', kind: 'website' });
      const created = Array.from({ length: 4 }, create);
      await pause(2);
      proxy.refuse();
      const statuses = (await Promise.allSettled(created)).map((answer) => answer.status);
      expect(statuses).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
      proxy.pass();
      await ready();
      const [counted] = await app.sql<{ channels: number; entries: number }>(
        `select (select count(*) from channels where name = 'Half of a channel')::int as channels,
              (select count(*) from action_ledger_entries e join channels c on c.id = e.subject_id
               where c.name = 'Half of a channel')::int as entries`,
      );
      expect(counted?.entries).toBe(counted?.channels);
    });
  });

  describe('after an outage', () => {
    it('jobs and events continue after an outage of the database', async () => {
      const own = await DatabaseProxy.start(process.env['DATABASE_URL'] ?? '');
      const working = await startApp({ env: { DATABASE_URL: own.url } });
      own.blackhole();
      await until(async () => (await working.get('/health/ready')).status === 503);
      // Long enough for the queue to fail several times.
      await pause(5_000);
      own.pass();
      await until(async () => (await working.get('/health/ready')).status === 200);

      await working.nest.get(Jobs).add('platform.idempotency.purge', {});
      await working.as('owner').post(CHANNELS, { name: 'Announced after the outage', kind: 'website' });
      const left = async () => {
        const [row] = await working.sql<{ jobs: number; events: number }>(
          `select (select count(*) from graphile_worker.jobs where task_identifier = 'platform.idempotency.purge')::int as jobs,
                  (select count(*) from outbox_events)::int as events`,
        );
        return row;
      };
      await until(async () => {
        const { jobs, events } = (await left()) ?? {};
        return jobs === 0 && events === 0;
      });
      await working.close();
      await own.close();
    });
  });

  describe('a busy process', () => {
    it('a busy process does not mistake its own delay for that of the database', async () => {
      const until = performance.now() + 1_800;
      while (performance.now() < until);
      await pause(50);
      expect((await app.get('/health/ready')).status).toBe(200);
      expect((await list()).status).toBe(200);
    });
  });
});
