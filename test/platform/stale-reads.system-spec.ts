import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hire } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { TestRun } from '../setup/databases.js';
import { closeAfterTests } from '../setup/running.js';
import { lockTable, until } from './locked-table.js';
import { ReplicaServer } from './replica-server.js';

const CHANNELS = '/v1/admin/distribution/channels';
const EXPORT = '/v1/admin/action-ledger/entries/export';
const MINUTE_MS = 60_000;
const direct = process.env['DATABASE_URL'] ?? '';
const database = new URL(direct).pathname.slice(1);

let replica: ReplicaServer;
/** Simulates two processes, which share only the database. Their replica may lag behind for longer than the tests take. */
let apps: [TestApp, TestApp];
/** The session of a user who did not write in the last minutes. */
let reader: string;

describe('reads that may be stale', () => {
  beforeAll(async () => {
    const run = JSON.parse(process.env['TEST_RUN'] ?? '') as TestRun & { folder: string };
    const primary = { dataDir: join(run.folder, 'postgres'), superuserUrl: run.adminUrl };
    replica = await ReplicaServer.start(primary, join(run.folder, 'replica'));
    closeAfterTests(() => replica.remove());
    apps = [await start({}), await start({})];
    reader = (await hire(apps[0], ['owner'])).session;
    forgetWrites();
    for (const app of apps) await until(async () => (await stateOf(app)) === null);
  }, 120_000);

  it('a caller who has just written reads the primary from every process, while others may read an older state', async () => {
    await replay('pause');
    const id = await newChannel();
    for (const app of apps) {
      expect(await exported(app.as('owner'), id)).toBe(true);
      expect(await exported(app.with(reader), id)).toBe(false);
    }
    forgetWrites();
    expect(await exported(apps[1].as('owner'), id)).toBe(false);
    // Every other route reads the primary.
    expect((await answered(() => apps[1].with(reader).get(`${CHANNELS}/${id}`))).status).toBe(200);
    await replay('resume');
    await until(async () => exported(apps[0].with(reader), id));
  }, 60_000);

  it('reports, exports and the search of the storefront are read from the replica', async () => {
    const [app] = apps;
    const client = app.with(reader);
    const reads = [
      () => client.get('/v1/admin/finance/reports/receivables'),
      () => client.get('/v1/admin/finance/reports/receivables?format=csv'),
      () => client.get('/v1/admin/finance/aging?side=receivable'),
      () => client.get(EXPORT),
      () => app.post('/v1/public/catalog/search', { vertical: 'products', mode: 'keyword' }),
    ];
    const before = await readsOf(app);
    for (const read of reads) expect((await answered(read)).status).toBe(200);
    const after = await readsOf(app);
    expect(after.primary).toBe(before.primary);
    expect(after.replica).toBeGreaterThanOrEqual(before.replica + reads.length);
  }, 60_000);

  it('a read that the replica cancels is repeated on the primary', async () => {
    const [app] = apps;
    const before = await readsOf(app);
    const locks = (granted: boolean) =>
      `select from pg_locks where relation = 'action_ledger_entries'::regclass and granted = ${granted}`;
    const lock = await lockTable('action_ledger_entries');
    await until(async () => (await replica.sql(locks(true), database)).length > 0);
    await replay('pause');
    await lock.release();

    const reading = app.with(reader).get(EXPORT);
    await until(async () => (await replica.sql(locks(false), database)).length > 0);
    const terminated = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'travel-operations-reads'`;
    await replica.sql(terminated);
    expect((await reading).status).toBe(200);
    expect(await readsOf(app)).toEqual({ replica: before.replica + 1, primary: before.primary + 1 });
    await replay('resume');
  }, 60_000);

  it('a replica that lags behind for longer than permitted, or follows another database, is not used', async () => {
    const [strict, foreign] = [
      await start({ DATABASE_REPLICA_MAX_LAG_MS: '1000' }),
      await start({
        DATABASE_REPLICA_URL: Object.assign(new URL(replica.urlOf(direct)), { pathname: '/postgres' }).href,
      }),
    ];
    forgetWrites(strict);
    await until(async () => (await stateOf(foreign)) === 'is not a replica of this database');
    await until(async () => (await stateOf(strict)) === null);
    await replay('pause');
    const id = await newChannel();
    await until(async () => (await stateOf(strict)) === 'lags behind');
    expect(await exported(strict.with(reader), id)).toBe(true);
    await replay('resume');
    await until(async () => (await stateOf(strict)) === null);
  }, 60_000);

  it('no read fails while the replica stops and starts, and after its promotion the primary is read', async () => {
    const [app] = apps;
    const statuses = new Set<number>();
    let isReading = true;
    const readers = Array.from({ length: 2 }, async () => {
      while (isReading) statuses.add((await app.with(reader).get(EXPORT)).status);
    });
    await replica.stop();
    await until(async () => (await stateOf(app)) === 'does not respond');
    await until(async () => (await app.get<{ status: string }>('/health/ready')).body.status === 'degraded');
    await replica.launch();
    await until(async () => (await stateOf(app)) === null);
    await replica.sql('select pg_promote(true)');
    await until(async () => (await stateOf(app)) === 'is no longer a replica');
    isReading = false;
    await Promise.all(readers);
    // On a busy machine the primary may also seem unavailable.
    if (app.logs.some((line) => line.includes('the database does not respond'))) statuses.delete(503);
    expect([...statuses]).toEqual([200]);
    const before = await readsOf(app);
    expect((await answered(() => app.with(reader).get(EXPORT))).status).toBe(200);
    expect((await readsOf(app)).replica).toBe(before.replica);
  }, 90_000);
});

function start(env: Record<string, string>): Promise<TestApp> {
  const own = { DATABASE_REPLICA_URL: replica.urlOf(direct), DATABASE_REPLICA_MAX_LAG_MS: String(MINUTE_MS) };
  return startApp({ env: { ...own, METRICS: 'true', JOBS: 'false', LOG_LEVEL: 'info', ...env } });
}

/** Moves the clocks, so that no caller wrote in the last seconds. */
function forgetWrites(...others: TestApp[]): void {
  for (const app of [...apps, ...others]) app.travel({ ms: 3 * MINUTE_MS });
}

async function newChannel(): Promise<string> {
  const body = { name: `Channel ${randomUUID()}`, kind: 'agent' };
  const answer = await answered(() => apps[0].as('owner').post<{ data: { id: string } }>(CHANNELS, body));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.id;
}

/** Repeats the call while the watchdog of the primary, which a busy machine delays, rejects it. */
async function answered<Response extends { status: number }>(call: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    await pause(100);
  }
}

/** Returns whether the export of the ledger has the entry of the channel. */
async function exported(client: TestClient, channelId: string): Promise<boolean> {
  const { status, text } = await answered(() => client.get(`${EXPORT}?subjectId=${channelId}`));
  expect(status).toBe(200);
  return text.includes(channelId);
}

/** Returns the reason why the replica is not used; null if it is used. */
async function stateOf(app: TestApp): Promise<string | null> {
  // A process that is not ready names no replica.
  const { body } = await app.get<{ parts: { replica?: { reason: string | null } } }>('/health/ready');
  return body.parts.replica ? body.parts.replica.reason : 'not ready';
}

/** Reads that may be stale, by the server that answered. */
async function readsOf(app: TestApp): Promise<{ primary: number; replica: number }> {
  const { text } = await app.get('/metrics');
  const of = (server: string) =>
    Number(new RegExp(`^db_stale_reads_total\\{server="${server}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { primary: of('primary'), replica: of('replica') };
}

async function replay(change: 'pause' | 'resume'): Promise<void> {
  await replica.sql(`select pg_wal_replay_${change}()`);
  const state = change === 'pause' ? 'paused' : 'not paused';
  const asked = 'select pg_get_wal_replay_pause_state() as state';
  await until(async () => (await replica.sql<{ state: string }>(asked))[0]?.state === state);
}
