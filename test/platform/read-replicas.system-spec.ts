import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type ReplicaServer, startReplica } from '../../scripts/embedded-postgres/replica.js';
import { hire, type Member } from '../identity/staff.js';
import { openContext } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestRun } from '../setup/databases.js';
import { closeAfterTests } from '../setup/running.js';
import { lockChannels, until } from './locked-table.js';
import { endAll, ServiceProcess } from './service-process.js';

const CHANNELS = '/v1/admin/distribution/channels';
const TOKENS = '/v1/admin/identity/api-tokens';

let replica: ReplicaServer;
/** Two processes with the same replica, which may lag behind for longer than the tests take. */
let app: TestApp;
let other: ServiceProcess;
/** A process that searches in PostgreSQL, and whose replica may lag behind for a second. */
let strict: ServiceProcess;
/** A caller who never writes. */
let reader: Member;

describe('reads on a streaming replica', () => {
  beforeAll(async () => {
    const run = testRun();
    replica = await startReplica({
      primary: { dataDir: join(run.folder, 'postgres'), superuserUrl: run.adminUrl },
      dataDir: join(run.folder, 'replica'),
    });
    closeAfterTests(async () => {
      await replica.stop();
      await onServer(run.adminUrl, `select pg_drop_replication_slot('replica')`);
    });
    const env = serviceEnv(run);
    [app, other] = await Promise.all([startApp({ env }), ServiceProcess.start(env)]);
    closeAfterTests(endAll);
    strict = await ServiceProcess.start({
      ...env,
      DATABASE_REPLICA_MAX_LAG_MS: '1000',
      SEARCH_ADAPTER: 'postgres',
    });
    reader = await hire(app, ['owner']);
    // The service would write the last use of the session once a minute, and the reader would then read it from the primary.
    await app.sql(`update staff_sessions set last_used_at = now() + interval '1 hour'`);
    await replicaIsUsed();
  }, 120_000);

  it('the writer reads its own write from every process while the replica shows other callers the state before it', async () => {
    await replay('pause');
    const id = await newChannel();

    expect((await app.as('owner').get(`${CHANNELS}/${id}`)).status).toBe(200);
    expect((await other.get(`${CHANNELS}/${id}`)).status).toBe(200);
    expect((await reader.client.get(`${CHANNELS}/${id}`)).status).toBe(404);

    await replay('resume');
    await until(async () => (await reader.client.get(`${CHANNELS}/${id}`)).status === 200);
    await readsFromReplica(() => app.as('owner').get(`${CHANNELS}/${id}`));
  }, 60_000);

  it('writers that change from process to process after each write find each of their writes', async () => {
    await replicaSql(`alter system set recovery_min_apply_delay = '40ms'`, 'select pg_reload_conf()');
    const writes = Array.from({ length: 4 }, async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await newChannel();
        const path = `${CHANNELS}/${id}`;
        const found = await Promise.all([answered(() => app.as('owner').get(path)), answered(() => other.get(path))]);
        expect(found.map(({ status }) => status)).toEqual([200, 200]);
      }
    });
    await Promise.all(writes);
    await replicaSql('alter system reset recovery_min_apply_delay', 'select pg_reload_conf()');
  }, 60_000);

  it('after a crash of the primary, which empties the last writes, the writer still reads its own write', async () => {
    await replicaIsUsed();
    await replay('pause');
    const id = await newChannel();

    // What a crash does: the unlogged table is empty, and the connections are closed.
    const monitoring = `from pg_stat_activity where application_name = 'travel-operations-replicas' and datname = current_database()`;
    const ended = await primarySql('truncate write_positions', `select pid, pg_terminate_backend(pid) ${monitoring}`);
    const ids = ended.map(({ pid }) => pid).join(', ');
    const connected = `select ${monitoring} and state = 'idle' and pid not in (${ids})`;
    await until(async () => (await primarySql(connected)).length === ended.length);
    for (let round = 0; round < 30; round += 1) {
      for (const { status } of [await app.as('owner').get(`${CHANNELS}/${id}`), await other.get(`${CHANNELS}/${id}`)]) {
        expect(status).toBe(200);
      }
      await pause(20);
    }
    expect((await health())[replicaName()]).toBe('lags behind');

    await replay('resume');
    await replicaIsUsed();
  }, 60_000);

  it('a snapshot reads from the replica, does not move the request to the primary, and records no write', async () => {
    await replicaIsUsed();
    const database = app.nest.get(Database);
    const isStandby = () => database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    const writers = () => app.sql('select writer, written_at from write_positions order by writer');
    const before = await writers();
    await inRequest(async () => {
      expect(await database.snapshot(isStandby)).toEqual([{ standby: true }]);
      expect(await isStandby()).toEqual([{ standby: true }]);
      expect(await database.onPrimary(() => database.snapshot(isStandby))).toEqual([{ standby: false }]);
    });
    expect(await writers()).toEqual(before);
  }, 60_000);

  it('a snapshot that fails on the replica is repeated on the primary, as are later reads of the request', async () => {
    await replicaIsUsed();
    const database = app.nest.get(Database);
    const servers: boolean[] = [];
    const onlyOnPrimary = async () => {
      const [row] = await database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      servers.push(row?.standby ?? false);
      if (row?.standby) throw new Error('Not on this server');
      return 'read';
    };
    await inRequest(async () => {
      expect(await database.snapshot(onlyOnPrimary)).toBe('read');
      await database.snapshot(onlyOnPrimary);
    });
    expect(servers).toEqual([true, false, false]);
  }, 60_000);

  it('a search in PostgreSQL is answered by the replica', async () => {
    const search = () =>
      fetch(`${strict.url}/v1/public/catalog/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ vertical: 'products', mode: 'keyword' }),
      });
    await until(async () => {
      const answer = await search();
      const { total } = (await answer.json()) as { total?: number };
      return (total ?? 0) > 0 && (await metric('db_reads_total', 'replica', strict.url)) > 0;
    });
  }, 60_000);

  it('a write whose position cannot be recorded succeeds and is logged, and then every read uses the primary', async () => {
    await replicaIsUsed();
    await app.sql('alter table write_positions rename to hidden_positions');
    const id = await newChannel();
    const reads = await metric('db_reads_total', 'replica');
    expect((await app.as('owner').get(`${CHANNELS}/${id}`)).status).toBe(200);
    expect(await metric('db_reads_total', 'replica')).toBe(reads);
    await app.sql('alter table hidden_positions rename to write_positions');
    expect(logged('the position of a write was not recorded')).toBeGreaterThan(0);
    await replicaIsUsed();
  }, 60_000);

  it('a replica that lags behind for longer than permitted is not used until it has caught up', async () => {
    const state = async () => (await health(strict.url))[replicaName()];
    await until(async () => (await state()) === 'ok');
    await replay('pause');
    const id = await newChannel();
    await until(async () => (await state()) === 'lags behind');
    // Neither of them has written the channel.
    expect((await reader.client.get(`${CHANNELS}/${id}`)).status).toBe(404);
    const headers = { authorization: `Bearer ${reader.session}` };
    expect((await fetch(`${strict.url}${CHANNELS}/${id}`, { headers })).status).toBe(200);
    await replay('resume');
    await until(async () => (await state()) === 'ok');
  }, 60_000);

  it('a revoked token is rejected although the replica still has it', async () => {
    const body = { name: `Test ${randomUUID()}`, scopes: ['distribution:read'] };
    const { body: created } = await reader.client.post<{ data: { id: string; token: string } }>(TOKENS, body);
    const { id, token } = created.data;
    await until(
      async () => (await onReplica<{ id: string }>('select id from api_tokens where id = $1', [id])).length === 1,
    );
    expect((await app.with(token).get(CHANNELS)).status).toBe(200);
    await replay('pause');

    expect((await app.as('owner').delete(`${TOKENS}/${id}`)).status).toBe(200);
    expect((await app.with(token).get(CHANNELS)).status).toBe(401);

    await replay('resume');
  }, 60_000);

  it('a statement that is cancelled on the replica is repeated on the primary', async () => {
    const repeated = () => metric('db_replica_reads_repeated_total');
    const locked = `select from pg_locks where relation = 'channels'::regclass and mode = 'AccessExclusiveLock'`;
    const cancelled = `select pg_cancel_backend(pid) from pg_locks where relation = 'channels'::regclass and not granted`;
    const before = await repeated();
    // A slow answer of the primary makes the service distrust a replica that stands still, and then the attempt shows nothing.
    for (let attempt = 1; attempt <= 5 && (await repeated()) === before; attempt += 1) {
      await replicaIsUsed();
      const lock = await lockChannels();
      await until(async () => (await onReplica(locked)).length > 0);
      await replay('pause');
      await lock.release();

      let isReading = true;
      const reading = reader.client.get(CHANNELS).finally(() => (isReading = false));
      await until(async () => !isReading || (await replicaSql(cancelled)).length > 0);
      expect((await reading).status).toBe(200);
      await replay('resume');
    }
    expect(await repeated()).toBeGreaterThan(before);
  }, 180_000);

  it('no request fails while the replica stops and starts again, and then it is used again', async () => {
    await replicaIsUsed();
    const stopping = new AbortController();
    const statuses = new Set<number>();
    const readers = Array.from({ length: 4 }, async () => {
      while (!stopping.signal.aborted) {
        for (const { status } of [await reader.client.get(CHANNELS), await other.get(CHANNELS)]) statuses.add(status);
        await pause(5);
      }
    });

    await replica.stop();
    await until(async () => (await health())[replicaName()] === 'does not respond');
    expect((await app.get('/health/ready')).status).toBe(200);
    const before = await metric('db_reads_total', 'replica');
    await pause(200);
    expect(await metric('db_reads_total', 'replica')).toBe(before);

    await replica.start();
    await replicaIsUsed();
    stopping.abort();
    await Promise.all(readers);
    expect([...statuses]).toEqual([200]);
    expect(logged('does not respond')).toBeGreaterThan(0);
  }, 60_000);

  it('a server that is not a replica of the database, and one that was promoted, are not used', async () => {
    expect(Object.values(await health())).toEqual(['ok', 'is not a replica of this database']);

    await replicaSql('select pg_promote(true)');
    await until(async () => (await health())[replicaName()] === 'is no longer a replica');
    const before = await metric('db_reads_total', 'replica');
    expect((await reader.client.get(CHANNELS)).status).toBe(200);
    expect(await metric('db_reads_total', 'replica')).toBe(before);
    expect((await app.get('/health/ready')).body).toMatchObject({ status: 'degraded' });
  }, 60_000);
});

function serviceEnv(run: TestRun): Record<string, string> {
  return {
    // The second one is a database, but not a replica of this one.
    DATABASE_REPLICA_URLS: [replica.urlOf(process.env['DATABASE_URL'] ?? ''), foreignUrl(run)].join(','),
    DATABASE_REPLICA_MAX_LAG_MS: '60000',
    LOG_LEVEL: 'info',
    METRICS: 'true',
    JOBS: 'false',
  };
}

/** The database of the administrator on the same server: another database, and no replica. */
function foreignUrl({ adminUrl }: TestRun): string {
  return Object.assign(new URL(adminUrl), { hostname: 'localhost' }).href;
}

function replicaName(): string {
  return `127.0.0.1:${replica.port}`;
}

async function newChannel(): Promise<string> {
  const body = { name: `Channel ${randomUUID()}`, kind: 'agent' };
  const answer = await answered(() => app.as('owner').post<{ data: { id: string } }>(CHANNELS, body));
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

/** Runs the work as a request without a credential that may read from a replica. */
async function inRequest(work: () => Promise<void>): Promise<void> {
  const id = randomUUID();
  const client = { address: '192.0.2.1', userAgent: null };
  const context = { requestId: id, serverRequestId: id, actor: null, client, headers: new Map<string, string>() };
  await openContext({ ...context, mayReadFromReplica: true }, work);
}

/** The state of each replica. */
async function health(url = app.url): Promise<Record<string, string>> {
  const response = await fetch(`${url}/health/ready`);
  // A busy process rejects the request, and then names no parts.
  const body = (await response.json()) as { parts?: { replicas: { replicas: Record<string, string> } } };
  return body.parts?.replicas.replicas ?? {};
}

async function replicaIsUsed(): Promise<void> {
  await until(async () => (await health())[replicaName()] === 'ok');
  await readsFromReplica(() => reader.client.get(CHANNELS));
}

/** Repeats the call until a replica has answered it. */
async function readsFromReplica(call: () => Promise<{ status: number }>): Promise<void> {
  const before = await metric('db_reads_total', 'replica');
  await until(async () => {
    expect((await answered(call)).status).toBe(200);
    return (await metric('db_reads_total', 'replica')) > before;
  });
}

async function metric(name: string, label = '', url = app.url): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(name) && one.includes(label));
  return Number(line?.split(' ').at(-1) ?? 0);
}

function logged(text: string): number {
  return app.logs.filter((line) => line.includes(text)).length;
}

async function replay(change: 'pause' | 'resume'): Promise<void> {
  await replicaSql(`select pg_wal_replay_${change}()`);
  const paused = change === 'pause' ? 'paused' : 'not paused';
  await until(
    async () => (await replicaSql('select pg_get_wal_replay_pause_state() as state'))[0]?.['state'] === paused,
  );
}

/** As the superuser, on the replica. */
async function replicaSql(...statements: string[]): Promise<Record<string, unknown>[]> {
  return onServer(inThisDatabase(replica.urlOf(testRun().adminUrl)), ...statements);
}

/** As the superuser, on the primary. */
async function primarySql(...statements: string[]): Promise<Record<string, unknown>[]> {
  return onServer(inThisDatabase(testRun().adminUrl), ...statements);
}

function inThisDatabase(url: string): string {
  const { pathname } = new URL(process.env['DATABASE_URL'] ?? '');
  return Object.assign(new URL(url), { pathname }).href;
}

function testRun(): TestRun & { folder: string } {
  return JSON.parse(process.env['TEST_RUN'] ?? '') as TestRun & { folder: string };
}

async function onReplica<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: replica.urlOf(process.env['DATABASE_URL'] ?? '') });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function onServer(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
