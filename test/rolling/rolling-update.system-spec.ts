import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { serviceProgram } from '../../scripts/service.js';
import { runCommand } from '../identity/command.js';
import { eventually } from '../launcher/wait.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import type { Credentials } from '../setup/credentials.js';
import { closeAfterTests } from '../setup/running.js';
import { buildOf, type EarlierBuild } from './earlier-build.js';

/**
 * The earlier build that runs beside the current one: the last commit before the newest migrations. A migration that excludes
 * it names a later commit here.
 */
const EARLIER = '8fe6ddb8';

const CHANNELS = '/v1/admin/distribution/channels';
const CONTRACTS = '/v1/admin/legal/contracts';
const INVOICES = '/v1/admin/finance/invoices';
const CLIENTS = 2;
const BETWEEN_REQUESTS_MS = 20;
const TOGETHER_MS = 4_000;
/** The build compiles, and processes start; on a busy machine. */
const WITHIN_MS = 480_000;

/** Requests to one process, and its responses. */
interface Traffic {
  /** Ids of the channels that it created. */
  channels: string[];
  /** Ids of the contracts that it created; triggers count them since a migration of the update. */
  contracts: string[];
  /** Ids of the renditions that it accepted; a job renders each. */
  renditions: string[];
  failures: string[];
  stop: () => Promise<void>;
}

interface World {
  env: Record<string, string>;
  credentials: Credentials;
  invoiceId: string;
  sql: <Row>(text: string, values?: unknown[]) => Promise<Row[]>;
}

let build: EarlierBuild;
let world: World;
/** Requests to a process of the earlier build that was started after the migration. */
let startedAgain: Traffic | null = null;
let earlier: ServiceProcess;
let present: ServiceProcess;
/** Sends requests to the earlier and the current version at the same time, then to each of them alone. */
const traffic: Traffic[] = [];

beforeAll(async () => {
  build = await buildOf(EARLIER);
  if ('reason' in build) return void process.stdout.write(`not run: rolling update (${build.reason})\n`);
  const program = serviceProgram(build.root);
  const { env, sql } = await emptyDatabase();

  // The earlier version is in production.
  earlier = await ServiceProcess.start(env, program);
  world = { env, sql, ...(await firstRows(env, sql)) };
  const beside = [send(earlier.url)];

  // The update: the schema first, then a process of the new version beside the old one.
  const migrated = await runCommand(['migrate'], env);
  expect([migrated.code, migrated.output]).toEqual([0, expect.stringMatching(/^Applied \d+ migrations\./m)]);
  present = await ServiceProcess.start({ ...env, MIGRATE: 'false' });
  beside.push(send(present.url));
  await pause(TOGETHER_MS);
  for (const sent of beside) await sent.stop();
  traffic.push(...beside);
  await settled();

  // A process is evicted in the middle of the update, and its orchestrator starts its build again.
  const replacement = await ServiceProcess.start({ ...env, MIGRATE: 'false' }, program);
  startedAgain = await sendFor(replacement.url, TOGETHER_MS / 4);
  expect(await replacement.end()).toBe(0);
  await settled();

  // The update is cancelled: the earlier version remains.
  expect(await present.end()).toBe(0);
  traffic.push(await sendFor(earlier.url, TOGETHER_MS / 2));
  await settled();

  // The update is completed, and the current version remains.
  present = await ServiceProcess.start({ ...env, MIGRATE: 'false' });
  expect(await earlier.end()).toBe(0);
  traffic.push(await sendFor(present.url, TOGETHER_MS / 2));
  await settled();
}, WITHIN_MS);

afterAll(endAll);

describe('a rolling update from the build of an earlier commit', () => {
  it('no request fails on either version while the schema is migrated and both run beside each other', () => {
    if (!('root' in build)) return;
    for (const { failures, channels, contracts, renditions } of traffic) {
      expect(failures).toEqual([]);
      expect(channels.length).toBeGreaterThan(2);
      expect(contracts.length).toBeGreaterThan(0);
      expect(renditions.length).toBeGreaterThan(0);
    }
  });

  it('a process of the earlier build that is started again on the migrated schema serves without a failed request', () => {
    if (!startedAgain) return;
    expect(startedAgain.failures).toEqual([]);
    expect(Math.min(startedAgain.channels.length, startedAgain.contracts.length)).toBeGreaterThan(0);
  });

  it('each version reads what the other one wrote, and counts it', async () => {
    if (!('root' in build)) return;
    for (const [path, table] of [
      [CHANNELS, 'channels'],
      [CONTRACTS, 'contracts'],
    ]) {
      const [row] = await world.sql<{ count: number }>(`select count(*)::int from ${table}`);
      const { total, data } = await read<{ total: number; data: unknown[] }>(`${path}?limit=1`);
      expect([data.length, total]).toEqual([1, row?.count]);
    }
    for (const id of traffic.map(({ channels }) => channels[0])) {
      expect(await read<{ data: { id: string } }>(`${CHANNELS}/${id}`)).toMatchObject({ data: { id } });
    }
  });

  it('the events of both versions are published once each', async () => {
    if (!('root' in build)) return;
    const ids = traffic.flatMap(({ channels }) => channels);
    const published = await world.sql<{ id: string; count: number }>(
      `select data ->> 'channelId' as id, count(*)::int from realtime_messages
       where event = 'channel.created' and data ->> 'channelId' = any ($1) group by 1`,
      [ids],
    );
    expect(published.filter(({ count }) => count !== 1)).toEqual([]);
    expect(new Set(published.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('the jobs of both versions are processed, whichever version remains', async () => {
    if (!('root' in build)) return;
    const ids = traffic.flatMap(({ renditions }) => renditions);
    const rows = await world.sql<{ id: string; status: string }>(
      'select id, status from invoice_renditions where id = any ($1)',
      [ids],
    );
    expect(rows).toHaveLength(ids.length);
    expect(rows.filter(({ status }) => !['ready', 'stale'].includes(status))).toEqual([]);
    expect(await world.sql('select task_identifier, last_error from graphile_worker.jobs where attempts > 0')).toEqual(
      [],
    );
  });

  it('the audit of both versions is one unbroken ledger, and the accounting rules hold', async () => {
    if (!('root' in build)) return;
    const verified = await runCommand(['ledger', 'verify'], world.env);
    expect([verified.code, verified.output]).toEqual([0, expect.stringMatching(/^Verified \d+ entries/m)]);
    const { data } = await read<{ data: { checks: { violations: number }[] } }>('/v1/admin/finance/integrity');
    expect(data.checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });
});

/** An empty database of the run with two roles, and the settings of a service on it. */
async function emptyDatabase(): Promise<Pick<World, 'env' | 'sql'>> {
  const { run, adminUrl, role, service } = JSON.parse(process.env['TEST_RUN'] ?? '') as {
    run: string;
    adminUrl: string;
    role: { user?: string; password?: string };
    service: { user?: string; password?: string };
  };
  const name = `${run}_rolling_${randomBytes(4).toString('hex')}`;
  const urlAs = ({ user, password }: { user?: string; password?: string }) => {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    if (user) Object.assign(url, { username: user, password });
    return url.href;
  };
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${name} ${role.user ? `owner ${role.user}` : ''}`).finally(() => admin.end());

  const owner = new pg.Pool({ connectionString: urlAs(role), max: 2 });
  const folder = mkdtempSync(join(tmpdir(), 'travel-rolling-'));
  closeAfterTests(async () => {
    await owner.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    DATABASE_URL: urlAs(service),
    MIGRATION_DATABASE_URL: urlAs(role),
    DATA_DIR: folder,
    LEDGER_CHECKPOINT_FILE: join(folder, 'checkpoints.jsonl'),
    JOBS: 'true',
    LOG_LEVEL: 'warn',
  };
  return { env, sql: async (text, values) => (await owner.query(text, values)).rows };
}

/** The credentials of the first start, and an issued invoice of the demo data. */
async function firstRows(
  { DATA_DIR = '' }: Record<string, string>,
  sql: World['sql'],
): Promise<Pick<World, 'credentials' | 'invoiceId'>> {
  const [invoice] = await sql<{ id: string }>(
    `select id from invoices where number is not null and type = 'invoice' order by id limit 1`,
  );
  const credentials = JSON.parse(readFileSync(join(DATA_DIR, 'credentials.json'), 'utf8')) as Credentials;
  return { credentials, invoiceId: invoice?.id ?? '' };
}

/** Clients that send requests until `stop`: they read, create rows with events, and request renditions. */
function send(url: string): Traffic {
  const found: Omit<Traffic, 'stop'> = { channels: [], contracts: [], renditions: [], failures: [] };
  let running = true;
  const client = async () => {
    for (let n = 0; running; n += 1) {
      await request(url, n, found);
      await pause(BETWEEN_REQUESTS_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    ...found,
    stop: async () => {
      running = false;
      await clients;
    },
  };
}

async function sendFor(url: string, milliseconds: number): Promise<Traffic> {
  const sent = send(url);
  await pause(milliseconds);
  await sent.stop();
  return sent;
}

async function request(url: string, n: number, found: Omit<Traffic, 'stop'>): Promise<void> {
  const { path, body, status, ids } = callOf(n, found);
  try {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${world.credentials.staff.token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    // A machine under load may reject a request before it does anything.
    if (response.status === 503 && text.includes('"overloaded"')) return;
    if (response.status !== status) found.failures.push(`${path} ${response.status} ${text}`);
    else ids?.push((JSON.parse(text) as { data: { id: string } }).data.id);
  } catch (error) {
    found.failures.push(`${path} ${String(error)}`);
  }
}

/** `ids` collects the ids of created rows. */
function callOf(
  n: number,
  { channels, contracts, renditions }: Omit<Traffic, 'stop'>,
): { path: string; status: number; body?: object; ids?: string[] } {
  switch (n % 8) {
    case 1:
    case 5:
      return { path: CHANNELS, status: 201, body: { name: `Rolling ${randomUUID()}` }, ids: channels };
    case 3:
      return { path: CONTRACTS, status: 201, body: { title: 'Rolling', body: '<p>Hello</p>' }, ids: contracts };
    case 7:
      return {
        path: `${INVOICES}/${world.invoiceId}/renditions`,
        status: 202,
        body: { format: 'html' },
        ids: renditions,
      };
    default:
      return { path: n % 4 === 0 ? CHANNELS : CONTRACTS, status: 200 };
  }
}

/** Waits until every event is published and no job is left that can run. */
async function settled(): Promise<void> {
  await eventually(
    async () => {
      const [left] = await world.sql<{ events: number; jobs: number }>(
        `select (select count(*)::int from outbox_events) as events,
                (select count(*)::int from graphile_worker.jobs where run_at <= now()) as jobs`,
      );
      return left?.events === 0 && left.jobs === 0 ? true : null;
    },
    () => `events or jobs are left; ${earlier.output.slice(-2_000)} ${present.output.slice(-2_000)}`,
    120,
  );
}

/** Requests to the process of the current build. */
async function read<Body>(path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${world.credentials.staff.token}` };
  const response = await fetch(`${present.url}${path}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}
