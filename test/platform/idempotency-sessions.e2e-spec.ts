import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { DatabaseProxy } from './database-proxy.js';
import { closeAfterTests } from '../setup/running.js';
import { lockChannels, until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels';

interface Envelope {
  data: { id: string; version: number };
}

/** The owners of locks, by the names of this database's sessions. */
async function sessions(app: TestApp): Promise<(string | undefined)[]> {
  const rows = await app.sql<{ session: string }>(
    `select l.objid::text as session from pg_locks l join pg_database d on d.oid = l.database
     where d.datname = current_database() and l.locktype = 'advisory' and l.classid = 7120010 and l.granted
       and l.mode = 'ExclusiveLock'`,
  );
  return rows.map(({ session }) => session);
}

describe('an Idempotency-Key whose process has lost its session with the database', () => {
  it('an Idempotency-Key whose process has lost its database session is executed once, by the next request with the key', async () => {
    const app = await startApp({ env: { JOBS: 'false' } });
    const staff = app.as('owner');
    const { body: made } = await staff.post<Envelope>(CHANNELS, { name: `Taken over ${randomUUID()}` });
    const headers = { 'Idempotency-Key': randomUUID() };
    const change = () => staff.patch<Envelope>(`${CHANNELS}/${made.data.id}`, { description: 'Once' }, { headers });

    const table = await lockChannels();
    const first = change();
    await until(async () => (await table.waiting()) === 1);
    const early = await change();
    expect([early.status, early.body]).toEqual([
      409,
      {
        error: 'The first request with this key is still running',
        code: 'idempotency_in_progress',
        requestId: early.headers['x-request-id'],
        details: { retryAfterMs: 1000 },
      },
    ]);

    const [session] = await sessions(app);
    expect(session).toMatch(/^\d+$/);
    // Ends the session like the death of the process or of the server.
    await app.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'travel-operations-watchdog' and datname = current_database()`,
    );
    await until(async () => !(await sessions(app)).includes(session));
    const second = change();
    await until(async () => (await table.waiting()) === 2);
    await table.release();

    const [late, done] = await Promise.all([first, second]);
    expect([late.status, late.body]).toEqual([409, { ...Object(early.body), requestId: late.headers['x-request-id'] }]);
    expect([done.status, done.body.data.version]).toEqual([200, 2]);
    const replayed = await change();
    expect([replayed.headers['idempotent-replayed'], replayed.body]).toEqual(['true', done.body]);
    const entries = await app.sql(
      `select from action_ledger_entries where subject_id = $1 and action = 'distribution.channel.update'`,
      [made.data.id],
    );
    expect(entries).toHaveLength(1);
  });
});

describe('an Idempotency-Key that was stored although its statement failed', () => {
  it('an Idempotency-Key that was stored although its statement failed is free at once: the repeated request runs once', async () => {
    const proxy = await DatabaseProxy.start(process.env['DATABASE_URL'] ?? '');
    closeAfterTests(() => proxy.close());
    const app = await startApp({ env: { JOBS: 'false', DATABASE_URL: proxy.url } });
    const name = `Unheard ${randomUUID()}`;
    const headers = { 'Idempotency-Key': randomUUID() };
    const create = () => app.as('owner').post<Envelope>(CHANNELS, { name }, { headers });

    proxy.loseAnswerTo('insert into idempotency_keys');
    const unacknowledged = await create();
    expect([unacknowledged.status, unacknowledged.body]).toEqual([
      503,
      {
        error: expect.any(String),
        code: 'service_unavailable',
        requestId: unacknowledged.headers['x-request-id'],
        details: { retryAfterMs: expect.any(Number) },
      },
    ]);
    const again = await create();
    expect(again.status).toBe(201);
    expect(await app.sql('select from channels where name = $1', [name])).toHaveLength(1);
  });
});
