import { runMigrations as migrateJobs } from 'graphile-worker';
import type { DataSource, QueryRunner } from 'typeorm';
import { ConfigurationError } from '../config/configuration-error.js';
import {
  appliedMigrations,
  CREATE_CHECKSUMS,
  historyFault,
  knownMigrations,
  type KnownMigration,
} from './migration-history.js';
import { poolOf } from './pool.js';

const LOCK_KEY = 7_120_001;
const POLL_MS = 200;

/** Runs work that several processes may start at the same time, one after the other. */
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

/**
 * Brings the schema up to date: the service's and the job queue's. Returns the names of the migrations that ran. Throws
 * ConfigurationError and changes nothing if other migrations were applied than this build has.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  return oneAtATime(dataSource, async () => {
    const known = await knownMigrations(dataSource.migrations);
    const applied = await appliedMigrations((text) => dataSource.query(text));
    const fault = historyFault(applied, known);
    if (fault !== null) throw new ConfigurationError([`DATABASE_URL: ${fault}`]);
    // The role of a service in production may not even create a table that exists.
    const ran = applied.length < known.length ? await runMigrations(dataSource, known) : [];
    await migrateJobs({ pgPool: poolOf(dataSource) });
    return ran;
  });
}

async function runMigrations(dataSource: DataSource, known: readonly KnownMigration[]): Promise<string[]> {
  // Written before the migrations run, so that after a crash no migration lacks its checksum.
  await dataSource.query(CREATE_CHECKSUMS);
  await dataSource.query(
    `insert into migration_checksums select * from unnest($1::text[], $2::text[])
     on conflict (name) do update set checksum = excluded.checksum`,
    [known.map(({ name }) => name), known.map(({ checksum }) => checksum)],
  );
  return (await dataSource.runMigrations()).map(({ name }) => name);
}

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query('select pg_try_advisory_lock($1) as locked', [LOCK_KEY])) as { locked: boolean }[];
  return row?.locked === true;
}
