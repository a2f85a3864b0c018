import { beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { AbandonedJobs } from '../../../src/platform/jobs/abandoned-jobs.js';
import { lockWorker } from '../../../src/platform/database/watchdog.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { closeAfterTests } from '../../setup/running.js';
import { requestRendition, bill } from './rendering.js';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'travel-files-'));
  app = await startApp({ env: { JOBS: 'false', FILES_DIR: folder } });
});

const statusOf = async (id: string) =>
  (await app.sql<{ status: string }>('select status from invoice_renditions where id = $1', [id]))[0]?.status;
const workerOf = async (id: string) =>
  (
    await app.sql<{ worker: string | null }>(
      'select locked_by as worker from graphile_worker._private_jobs where key = $1',
      [id],
    )
  )[0]?.worker ?? null;

it('a rendition whose process is killed while it renders is rendered by another process within a minute', async () => {
  const { id } = await requestRendition(app.as('owner'), (await bill(app)).id);
  const holder = await newClient();
  await holder.query('begin');
  await holder.query('select from invoice_renditions where id = $1 for update', [id]);
  const killed = startService();
  await eventually(async () => (await workerOf(id)) !== null);
  await kill(killed);
  await holder.end();
  expect([await statusOf(id), await workerOf(id)]).toEqual(['pending', expect.stringMatching(/^pool-/)]);

  const startedAt = performance.now();
  startService();
  await eventually(async () => (await statusOf(id)) === 'ready');
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

it('the jobs of a worker are unlocked only after two checks in a row found that it has ended', async () => {
  const abandoned = app.nest.get(AbandonedJobs, { strict: false });
  await app.sql(`select from graphile_worker.add_job('test.locked', job_key := 'test-locked')`);
  await app.sql(
    `update graphile_worker._private_jobs set locked_by = 'pool-other', locked_at = now() where key = 'test-locked'`,
  );
  const live = await newClient();
  await live.query(lockWorker('pool-other'));
  for (let check = 1; check <= 3; check += 1) await abandoned.release('pool-own');
  expect(await workerOf('test-locked')).toBe('pool-other');

  await live.end();
  await abandoned.release('pool-own');
  expect(await workerOf('test-locked')).toBe('pool-other');
  await abandoned.release('pool-own');
  expect(await workerOf('test-locked')).toBeNull();
});

it('a worker never unlocks its own jobs', async () => {
  const abandoned = app.nest.get(AbandonedJobs, { strict: false });
  await app.sql(`select from graphile_worker.add_job('test.own', job_key := 'test-own')`);
  await app.sql(
    `update graphile_worker._private_jobs set locked_by = 'pool-own', locked_at = now() where key = 'test-own'`,
  );
  for (let check = 1; check <= 3; check += 1) await abandoned.release('pool-own');
  expect(await workerOf('test-own')).toBe('pool-own');
});

async function newClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
  await client.connect();
  return client;
}

/** Starts the built service in a separate process, which runs jobs. */
function startService(): ChildProcess {
  const env = { ...process.env, PORT: '0', JOBS: 'true', FILES_DIR: folder };
  const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: 'ignore' });
  closeAfterTests(async () => void child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
