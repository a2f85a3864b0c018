import { runMigrations as migrateJobs } from 'graphile-worker';
import type { DataSource, QueryRunner } from 'typeorm';
import { poolOf } from './pool.js';

const LOCK_KEY = 7_120_001;
const POLL_MS = 200;

/** Runs what several processes may start at once, one after the other. */
export async function oneAtATime<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    // Polling, because a session waiting in pg_advisory_lock holds a snapshot that CREATE INDEX CONCURRENTLY waits for.
    while (!(await tryLock(runner))) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      return await work();
    } finally {
      await runner.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    }
  } finally {
    await runner.release();
  }
}

/** Brings the schema up to date: ours and the job queue's. Returns the names of the migrations that ran. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  return oneAtATime(dataSource, async () => {
    const ran = await dataSource.runMigrations();
    await migrateJobs({ pgPool: poolOf(dataSource) });
    return ran.map(({ name }) => name);
  });
}

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query('select pg_try_advisory_lock($1) as locked', [LOCK_KEY])) as { locked: boolean }[];
  return row?.locked === true;
}
