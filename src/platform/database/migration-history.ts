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

type Query = (text: string) => Promise<unknown[]>;

const TIMESTAMP_DIGITS = 13;
const REMEDY = "delete the embedded database with 'npm run reset', or use a new database";

/** TypeORM's own table `migrations` permits no further columns, so checksums have a table of their own. */
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
  const ordered = [...migrations].sort((a, b) => timestampOf(a) - timestampOf(b));
  return Promise.all(
    ordered.map(async (migration) => ({ name: nameOf(migration), checksum: await checksumOf(migration) })),
  );
}

/** The migrations that the database records, in the order in which they run. */
export async function appliedMigrations(query: Query): Promise<AppliedMigration[]> {
  const [tables] = (await query(
    `select to_regclass('migrations') is not null as history, to_regclass('migration_checksums') is not null as checksums`,
  )) as { history: boolean; checksums: boolean }[];
  if (!tables?.history) return [];
  const source = tables.checksums
    ? 'select name, checksum from migrations left join migration_checksums using (name)'
    : 'select name, null as checksum from migrations';
  return (await query(`${source} order by timestamp, id`)) as AppliedMigration[];
}

/** Why this build cannot use a database with this history, with the remedy after a semicolon; null if it can. */
export function historyFault(applied: readonly AppliedMigration[], known: readonly KnownMigration[]): string | null {
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0) return `${namesOf(unknown)} was applied, which this build does not know; ${REMEDY}`;
  const unrecorded = applied.filter(({ checksum }) => checksum === null);
  if (unrecorded.length > 0)
    return `${namesOf(unrecorded)} was applied without a checksum, by an older build; ${REMEDY}`;
  const edited = applied.filter(({ name, checksum }) =>
    known.some((migration) => migration.name === name && migration.checksum !== checksum),
  );
  if (edited.length > 0) return `${namesOf(edited)} has changed since it was applied; ${REMEDY}`;
  const skipped = known
    .slice(0, applied.length)
    .filter(({ name }) => !applied.some((migration) => migration.name === name));
  if (skipped.length > 0) return `${namesOf(skipped)} was not applied, but later migrations were; ${REMEDY}`;
  return null;
}

function namesOf(migrations: readonly { name: string }[]): string {
  const [first] = migrations;
  const others = migrations.length - 1;
  return `the migration ${first?.name ?? ''}${others > 0 ? ` (and ${others} more)` : ''}`;
}

/** As TypeORM names them. */
function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

function timestampOf(migration: MigrationInterface): number {
  return Number(nameOf(migration).slice(-TIMESTAMP_DIGITS));
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
