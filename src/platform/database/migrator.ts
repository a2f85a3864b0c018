import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { type DataSource, type Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import { ConfigurationError } from '../config/configuration-error.js';
import {
  compareSchema,
  CREATE_CHECKSUMS,
  type KnownMigration,
  knownMigrations,
  lastVersion,
  type RecordedSchema,
  recordedSchema,
  type SchemaComparison,
} from './migration-history.js';
import { addressOf, poolOf } from './service-pool.js';
import type { OwnerQuery } from './service-role.js';

const LOCK_KEY = 7_120_001;
const POLL_MS = 200;
/**
 * A migration waits for a table for a shorter time than a statement of a request does (2 s), because all statements on the
 * table wait behind it. Then it is repeated, so that long transactions of running processes end in between.
 */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_ATTEMPTS = 30;
/** Lock not available, deadlock. */
const COMPETITION = ['55P03', '40P01'];

/** Called while migrations run, for the progress that an operator sees. */
export interface MigrationProgress {
  /** Another process is migrating. */
  waiting?: () => void;
  started?: (name: string, position: number, total: number) => void;
  /** The migration is repeated, because transactions of other processes lock its tables. */
  repeated?: (name: string) => void;
}

/** The schema of a database compared with the needs of this build. */
export interface ExaminedSchema {
  comparison: SchemaComparison;
  /** The number of the last migration of this build. */
  buildVersion: number;
  /** The number of the last migration that was applied; 0: none. */
  schemaVersion: number;
  /** The version of the oldest build that may start on the schema; null if the schema does not store it yet. */
  oldestBuild: number | null;
}

interface MigrationOptions {
  /** The time zone of the organization, in which migrations compute days of existing rows. */
  timeZone?: string;
  /** Creates what depends on the server, after the migrations. */
  complete?: (query: OwnerQuery) => Promise<void>;
  /** Gives the role of the service its rights. */
  grant?: (query: OwnerQuery) => Promise<void>;
  progress?: MigrationProgress;
}

interface Run extends MigrationOptions {
  runner: QueryRunner;
  executor: MigrationExecutor;
}

/**
 * Serializes work that several processes may start at the same time. The lock belongs to a session, so the address is that of
 * the server itself.
 */
export async function oneAtATime<T>(url: string, work: () => Promise<T>, waiting?: () => void): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'travel-operations-lock', keepAlive: true });
  // The lock ends with the connection, which the next query would report.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Polling, because a session waiting in pg_advisory_lock holds a snapshot that CREATE INDEX CONCURRENTLY waits for.
    for (let attempt = 1; !(await tryLock(client)); attempt += 1) {
      if (attempt === 1) waiting?.();
      await pause(POLL_MS);
    }
    try {
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]).catch(() => undefined);
    }
  } finally {
    await client.end();
  }
}

/**
 * Brings the schema up to date: the service's and the job queue's, with the rights of the service's role. Returns the names of
 * the migrations that ran. Changes nothing if a newer build has migrated the schema and this one may run on it. Throws
 * ConfigurationError and changes nothing if this build cannot use the schema, or if the role may not run migrations.
 */
export async function migrate(dataSource: DataSource, options: MigrationOptions = {}): Promise<string[]> {
  return oneAtATime(
    addressOf(dataSource),
    async () => {
      const { known, recorded, comparison } = await compared(dataSource);
      if (comparison.state === 'unusable') throw new ConfigurationError([`DATABASE_URL: ${comparison.fault}`]);
      // The rights of this build may be fewer than processes of the newer one need.
      if (comparison.state === 'newer') return [];
      const pending = comparison.state === 'older' ? comparison.pending : [];
      if (pending.length > 0) await rejectOtherRoles(dataSource, pending.length);
      // First, so that a schema without pending migrations has the tables of the queue.
      await migrateJobs({ pgPool: poolOf(dataSource) });
      // The role of a service in production may not even create a table that exists.
      if (pending.length > 0) {
        await recordChecksums(dataSource, known);
        // Processes of the previous build need a right on a new table as soon as a trigger writes to it. A new database has none.
        const isServed = recorded.applied.length > 0;
        await runMigrations(dataSource, isServed ? options : { ...options, grant: undefined });
      }
      const query: OwnerQuery = (text, parameters) => dataSource.query(text, parameters);
      await options.complete?.(query);
      await options.grant?.(query);
      return pending;
    },
    options.progress?.waiting,
  );
}

/** Compares the schema with this build; changes nothing. */
export async function examineSchema(dataSource: DataSource): Promise<ExaminedSchema> {
  const { known, recorded, comparison } = await compared(dataSource);
  return {
    comparison,
    buildVersion: lastVersion(known),
    schemaVersion: lastVersion(recorded.applied),
    oldestBuild: recorded.oldestBuild,
  };
}

async function compared(
  dataSource: DataSource,
): Promise<{ known: KnownMigration[]; recorded: RecordedSchema; comparison: SchemaComparison }> {
  const known = await knownMigrations(dataSource.migrations);
  const recorded = await recordedSchema((text) => dataSource.query(text));
  return { known, recorded, comparison: compareSchema(recorded, known) };
}

async function rejectOtherRoles(dataSource: DataSource, pending: number): Promise<void> {
  const [role] = await dataSource.query<{ name: string; may: boolean }[]>(
    `select current_user as name, has_schema_privilege('public', 'create') as may`,
  );
  if (!role || role.may) return;
  throw new ConfigurationError([
    `MIGRATION_DATABASE_URL: ${pending} migrations are pending, which the role ${role.name} may not run; expected the role that owns the database; for example see "Database roles" in docs/operations/database.md`,
  ]);
}

/** Before the migrations run, so that after a crash no migration lacks its checksum. */
async function recordChecksums(dataSource: DataSource, known: readonly KnownMigration[]): Promise<void> {
  await dataSource.query(CREATE_CHECKSUMS);
  await dataSource.query(
    `insert into migration_checksums select * from unnest($1::text[], $2::text[])
     on conflict (name) do update set checksum = excluded.checksum`,
    [known.map(({ name }) => name), known.map(({ checksum }) => checksum)],
  );
}

async function runMigrations(dataSource: DataSource, options: MigrationOptions): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    // A setting, because a value in a statement of a migration would be part of its checksum.
    await runner.query(`select set_config('app.time_zone', $1, false)`, [options.timeZone ?? 'UTC']);
    // A migration of a large table takes longer than a statement of a request may.
    await runner.query('set statement_timeout = 0');
    const executor = new MigrationExecutor(dataSource, runner);
    const pending = await executor.getPendingMigrations();
    for (const [index, migration] of pending.entries()) {
      options.progress?.started?.(migration.name, index + 1, pending.length);
      await runMigration(migration, { ...options, runner, executor });
    }
  } finally {
    await runner.query(`select set_config('app.time_zone', '', false)`);
    await runner.query('reset statement_timeout');
    await runner.query('reset lock_timeout');
    await runner.release();
  }
}

/**
 * Runs the migration in its own transaction, together with the rights on the objects it creates. A migration with `transaction
 * = false` has no transaction and waits as long as needed: it only builds or removes indexes concurrently, and no statement
 * waits for that.
 */
async function runMigration(migration: Migration, { runner, executor, grant, progress }: Run): Promise<void> {
  const isAtomic = migration.instance?.transaction !== false;
  await runner.query(`set lock_timeout = ${isAtomic ? LOCK_TIMEOUT_MS : 0}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (isAtomic) await runner.startTransaction();
      await executor.executeMigration(migration);
      await grant?.((text, parameters) => runner.query(text, parameters));
      if (isAtomic) await runner.commitTransaction();
      return;
    } catch (error) {
      if (isAtomic) await runner.rollbackTransaction().catch(() => undefined);
      if (attempt === LOCK_ATTEMPTS || !COMPETITION.includes((error as { code?: string }).code ?? '')) {
        throw new Error(`The migration ${migration.name} failed: ${String((error as Error).message)}`, {
          cause: error,
        });
      }
      progress?.repeated?.(migration.name);
      await pause(LOCK_TIMEOUT_MS);
    }
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK_KEY]);
  return rows[0]?.locked === true;
}
