import { runMigrations as migrateJobs } from 'graphile-worker';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
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
 * Brings the schema up to date: the service's and the job queue's; `grant` follows under the same lock. Returns the names of
 * the migrations that ran. Throws ConfigurationError and changes nothing if other migrations were applied than this build
 * has, or if the role may not run them. `timeZone` is the organization's, in which migrations compute days of existing rows.
 */
export async function migrate(
  dataSource: DataSource,
  { timeZone = 'UTC', grant }: { timeZone?: string; grant?: () => Promise<void> } = {},
): Promise<string[]> {
  return oneAtATime(dataSource, async () => {
    const known = await knownMigrations(dataSource.migrations);
    const applied = await appliedMigrations((text) => dataSource.query(text));
    const fault = historyFault(applied, known);
    if (fault !== null) throw new ConfigurationError([`DATABASE_URL: ${fault}`]);
    const isPending = applied.length < known.length;
    if (isPending) await rejectOtherRoles(dataSource, known.length - applied.length);
    // The role of a service in production may not even create a table that exists.
    const ran = isPending ? await runMigrations(dataSource, known, timeZone) : [];
    await migrateJobs({ pgPool: poolOf(dataSource) });
    await grant?.();
    return ran;
  });
}

async function rejectOtherRoles(dataSource: DataSource, pending: number): Promise<void> {
  const [role] = await dataSource.query<{ name: string; may: boolean }[]>(
    `select current_user as name, has_schema_privilege('public', 'create') as may`,
  );
  if (!role || role.may) return;
  throw new ConfigurationError([
    `MIGRATION_DATABASE_URL: ${pending} migrations are pending, which the role ${role.name} may not run; expected the role that owns the database; for example see "Database roles" in docs/operations.md`,
  ]);
}

async function runMigrations(
  dataSource: DataSource,
  known: readonly KnownMigration[],
  timeZone: string,
): Promise<string[]> {
  // Written before the migrations run, so that after a crash no migration lacks its checksum.
  await dataSource.query(CREATE_CHECKSUMS);
  await dataSource.query(
    `insert into migration_checksums select * from unnest($1::text[], $2::text[])
     on conflict (name) do update set checksum = excluded.checksum`,
    [known.map(({ name }) => name), known.map(({ checksum }) => checksum)],
  );
  const runner = dataSource.createQueryRunner();
  try {
    // A setting, because a value in a statement of a migration would be part of its checksum.
    await runner.query(`select set_config('app.time_zone', $1, false)`, [timeZone]);
    // A migration of a large table takes longer than a statement of a request may.
    await runner.query('set statement_timeout = 0');
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    return (await executor.executePendingMigrations()).map(({ name }) => name);
  } finally {
    await runner.query(`select set_config('app.time_zone', '', false)`);
    await runner.query('reset statement_timeout');
    await runner.release();
  }
}

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query('select pg_try_advisory_lock($1) as locked', [LOCK_KEY])) as { locked: boolean }[];
  return row?.locked === true;
}
