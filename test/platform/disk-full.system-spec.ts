import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { Database } from '../../src/platform/database/database.js';
import { FileStore } from '../../src/platform/files/file-store.js';
import { doctor } from '../launcher/doctor.js';
import { startApp, type TestApp } from '../setup/app.js';
import { until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'error' } });
  await app.sql(`create function fail_with_full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
});

const create = (name: string) => app.as('owner').post(CHANNELS, { name, kind: 'affiliate' });
const disk = async () => {
  const { status, body } = await app.get<{ parts: { disk: { ok: boolean } } }>('/health/ready');
  return body.parts.disk.ok ? 'has space' : `full, ${status}`;
};

async function untilItHasSpace(): Promise<void> {
  for (let waited = 0; (await disk()) !== 'has space'; waited += 100) {
    if (waited > 60_000) throw new Error('the disk stays full');
    await pause(100);
  }
}

describe('a full disk of the database', () => {
  const TABLES = ['channels', 'disk_probes'];

  it('a full disk of the database rejects writes with 503; the log and doctor name the reason until a write succeeds', async () => {
    const metric = async () => /^disk_full\{.*$/m.exec((await app.get('/metrics')).text)?.[0] ?? null;
    expect([await disk(), await metric()]).toEqual(['has space', null]);
    for (const table of TABLES) {
      await app.sql(`create trigger full_disk before insert on ${table} execute function fail_with_full_disk()`);
    }
    const { status, body, headers } = await create('Full disk');
    expect([status, headers['retry-after']]).toEqual([503, '10']);
    expect(body).toEqual({
      error: 'The service cannot store data at the moment',
      code: 'service_unavailable',
      requestId: headers['x-request-id'],
      details: { retryAfterMs: 10_000 },
    });
    expect([await disk(), await metric()]).toEqual(['full, 503', 'disk_full{store="database"} 1']);
    expect((await app.as('owner').get(CHANNELS)).status).toBe(200);
    const logged = app.logs.filter((line) => line.includes('the disk is full'));
    expect(logged).toEqual([expect.stringMatching(/"store":"database"/)]);
    expect(logged[0]).toContain('No space left on device');

    // The state does not change while the probe cannot write.
    await pause(2_500);
    expect(await disk()).toBe('full, 503');
    const { of, wrong } = await doctor({ DATABASE_URL: process.env['DATABASE_URL'] });
    expect(wrong).toEqual(['FAIL storage']);
    expect(of('storage')[0]).toEqual({
      check: 'storage',
      verdict: 'FAIL',
      message: 'the database cannot write: its disk is full (53100)',
      remedy: 'free some space on the disk of the database server, or give it a larger one',
    });

    for (const table of TABLES) await app.sql(`drop trigger full_disk on ${table}`);
    await untilItHasSpace();
    expect(await metric()).toBeNull();
    expect((await create('Full disk')).status).toBe(201);
    expect((await doctor({ DATABASE_URL: process.env['DATABASE_URL'] })).wrong).toEqual([]);
  });
});

describe('a full disk of the file store', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('a full disk of the file store rejects a file with 503, and the process is ready and degraded until a write succeeds', async () => {
    const isOk = async () => (await app.get<{ status: string }>('/health/ready')).body.status === 'ok';
    await until(isOk);
    const file = await open('/dev/null', 'r');
    const handle = Object.getPrototypeOf(file) as typeof file;
    await file.close();
    // Simulates the error of the operating system, because only a separate file system could really be filled.
    const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    jest.spyOn(handle, 'writeFile').mockRejectedValue(noSpace);

    const stored = app.nest.get(FileStore).put(Buffer.from(`disk-full ${Date.now()}`));
    await expect(stored).rejects.toMatchObject({ status: 503, code: 'service_unavailable', retryAfterMs: 10_000 });
    const ready = await app.get<{ status: string; parts: object }>('/health/ready');
    expect([ready.status, ready.body.status, ready.body.parts]).toEqual([
      200,
      'degraded',
      expect.objectContaining({ disk: { ok: true }, files: { ok: false, reason: 'full' } }),
    ]);
    expect(app.logs.filter((line) => line.includes('"store":"files"'))).toEqual([expect.stringContaining('ENOSPC')]);

    jest.restoreAllMocks();
    await until(isOk);
  });
});

describe('a pool without a free connection', () => {
  it('a pool without a free connection is 503 overloaded on each surface, not an unavailable database', async () => {
    const busy = await startApp({ env: { DATABASE_POOL_SIZE: '4', JOBS: 'false' } });
    const pool = busy.nest.get(Database).pool();
    const taken: PoolClient[] = [];
    for (let client; (client = await pool.connect().catch(() => null));) taken.push(client);
    try {
      const message = 'Too many requests at once';
      const staff = await busy.as('owner').get(CHANNELS);
      expect([staff.status, staff.headers['retry-after'], staff.body]).toEqual([
        503,
        '1',
        {
          error: message,
          code: 'overloaded',
          requestId: staff.headers['x-request-id'],
          details: { retryAfterMs: 1000 },
        },
      ]);
      const data = await busy.as('platform').get('/data/geo/v1/reference/languages');
      expect([data.status, data.body]).toEqual([503, { code: 'OVERLOADED', message, retryAfterMs: 1000 }]);
      const realtime = await busy.as('platform').get('/realtime/v1/channels/bookings/messages');
      expect([realtime.status, realtime.body]).toEqual([503, { error: message, retryAfterMs: 1000 }]);
    } finally {
      for (const client of taken) client.release();
    }
  });
});
