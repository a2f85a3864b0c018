import { createHash } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration with the checksum of its statements. */
export interface KnownMigration {
  name: string;
  checksum: string;
}

/** A migration as the database records it; one of a build that recorded no checksums has none. */
export interface AppliedMigration {
  name: string;
  checksum: string | null;
}

/** The database's record of its schema. */
export interface RecordedSchema {
  /** Migrations in the order in which they run. */
  applied: AppliedMigration[];
  /** The version of the oldest build that may run on the schema; null before the migration that stores it. */
  oldestBuild: number | null;
}

/** The schema of a database compared with the one that a build needs. */
export type SchemaComparison =
  | { state: 'current' }
  /** The build has further migrations. */
  | { state: 'older'; pending: string[] }
  /** A newer build has applied further migrations, after which this build may still run. */
  | { state: 'newer'; additional: string[] }
  /** `fault`: why the build cannot use the database, with the remedy after a semicolon. */
  | { state: 'unusable'; fault: string };

type Query = (text: string) => Promise<unknown[]>;

const TIMESTAMP_DIGITS = 13;
const REMEDY = 'use the build that migrated it, restore a backup, or use a new database';

/** TypeORM's own table `migrations` permits no further columns, so checksums have a separate table. */
export const CREATE_CHECKSUMS = `
  create table if not exists migration_checksums (
    name text primary key,
    checksum text not null check (checksum ~ '^[0-9a-f]{64}$')
  )`;

/**
 * The migrations of this build in the order in which they run. A checksum is the SHA-256 of the statements that `up`
 * sends, so it is the same on every platform and with every compiler: comments in SQL count, those in TypeScript do not.
 */
export async function knownMigrations(migrations: readonly MigrationInterface[]): Promise<KnownMigration[]> {
  const ordered = [...migrations].sort((a, b) => versionOf(nameOf(a)) - versionOf(nameOf(b)));
  return Promise.all(
    ordered.map(async (migration) => ({ name: nameOf(migration), checksum: await checksumOf(migration) })),
  );
}

/** The number of the last of these migrations, which is the version of a schema and of a build; 0 if there is none. */
export function lastVersion(migrations: readonly { name: string }[]): number {
  return Math.max(0, ...migrations.map(({ name }) => versionOf(name)));
}

export async function recordedSchema(query: Query): Promise<RecordedSchema> {
  const [tables] = (await query(
    `select to_regclass('migrations') is not null as history, to_regclass('migration_checksums') is not null as checksums,
            to_regclass('schema_compatibility') is not null as compatibility`,
  )) as { history: boolean; checksums: boolean; compatibility: boolean }[];
  if (!tables?.history) return { applied: [], oldestBuild: null };
  const source = tables.checksums
    ? 'select name, checksum from migrations left join migration_checksums using (name)'
    : 'select name, null as checksum from migrations';
  const applied = (await query(`${source} order by timestamp, id`)) as AppliedMigration[];
  if (!tables.compatibility) return { applied, oldestBuild: null };
  const [row] = (await query('select oldest_build::text from schema_compatibility')) as { oldest_build: string }[];
  return { applied, oldestBuild: row ? Number(row.oldest_build) : null };
}

export function compareSchema(
  { applied, oldestBuild }: RecordedSchema,
  known: readonly KnownMigration[],
): SchemaComparison {
  const build = lastVersion(known);
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name));
  const additional = unknown.filter(({ name }) => versionOf(name) > build);
  const foreign = oldestBuild === null ? unknown : unknown.filter((migration) => !additional.includes(migration));
  if (foreign.length > 0) return unusable(`${namesOf(foreign)} was applied, which this build does not know; ${REMEDY}`);
  if (oldestBuild !== null && oldestBuild > build) {
    return unusable(
      `its schema excludes builds older than ${oldestBuild}, and this build has version ${build}; start a newer build`,
    );
  }
  const recorded = applied.filter((migration) => !unknown.includes(migration));
  const unrecorded = recorded.filter(({ checksum }) => checksum === null);
  if (unrecorded.length > 0)
    return unusable(`${namesOf(unrecorded)} was applied without a checksum, by an older build; ${REMEDY}`);
  const edited = recorded.filter(({ name, checksum }) =>
    known.some((migration) => migration.name === name && migration.checksum !== checksum),
  );
  if (edited.length > 0) return unusable(`${namesOf(edited)} has changed since it was applied; ${REMEDY}`);
  const pending = known.filter(({ name }) => !applied.some((migration) => migration.name === name));
  const skipped = pending.filter(({ name }) => versionOf(name) < lastVersion(applied));
  if (skipped.length > 0) return unusable(`${namesOf(skipped)} was not applied, but later migrations were; ${REMEDY}`);
  if (pending.length > 0) return { state: 'older', pending: pending.map(({ name }) => name) };
  if (additional.length > 0) return { state: 'newer', additional: additional.map(({ name }) => name) };
  return { state: 'current' };
}

function unusable(fault: string): SchemaComparison {
  return { state: 'unusable', fault };
}

function namesOf(migrations: readonly { name: string }[]): string {
  const [first] = migrations;
  const others = migrations.length - 1;
  return `the migration ${first?.name ?? ''}${others > 0 ? ` (and ${others} more)` : ''}`;
}

/** Names as TypeORM derives them. */
function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

function versionOf(name: string): number {
  return Number(name.slice(-TIMESTAMP_DIGITS));
}

async function checksumOf(migration: MigrationInterface): Promise<string> {
  const statements: unknown[] = [];
  const query = async (...statement: unknown[]) => {
    statements.push(statement);
    return [];
  };
  // Changes by other methods would not be part of the checksum.
  const recorder = new Proxy(
    {},
    {
      get: (_, member) => {
        if (member === 'query') return query;
        throw new Error(`${nameOf(migration)} uses ${String(member)}; a migration sends statements by query alone`);
      },
    },
  );
  await migration.up(recorder as QueryRunner);
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex');
}
