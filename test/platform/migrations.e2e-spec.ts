import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/bootstrap/data-source.js';
import { connect } from '../../src/bootstrap/boot.js';
import { ConfigurationError } from '../../src/platform/config/configuration-error.js';
import type { Env } from '../../src/platform/config/env.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { verifySchema } from '../../src/bootstrap/migration.js';
import { examineSchema, migrate } from '../../src/platform/database/migrator.js';
import { Machine } from '../identity/machine.js';
import { PROJECT } from '../launcher/folders.js';
import { closeAfterTests } from '../setup/running.js';

const MIGRATIONS = join(PROJECT, 'src/migrations');
const NAME = 'Vault1790000000400';
/** Schemas from this migration on store the oldest build that may run on them. */
const FIRST_COMPATIBLE = 1794000001000;

describe('a database whose migrations are not those of this build', () => {
  it.each([
    {
      history: 'an applied migration was edited',
      change: `update migration_checksums set checksum = repeat('0', 64) where name = '${NAME}'`,
      fault: `the migration ${NAME} has changed since it was applied`,
    },
    {
      history: 'an older build recorded no checksums',
      change: 'drop table migration_checksums',
      fault: /the migration Platform1790000000000 \(and \d+ more\) was applied without a checksum, by an older build/,
    },
    {
      history: 'another build applied an unknown one, before the last one of this build',
      change: `insert into migrations (timestamp, name) values (1790000000410, 'Foreign1790000000410')`,
      fault: 'the migration Foreign1790000000410 was applied, which this build does not know',
    },
    {
      history: 'one in the middle was never applied',
      change: `delete from migrations where name = '${NAME}'`,
      fault: `the migration ${NAME} was not applied, but later migrations were`,
    },
  ])(
    'a database with other migrations than this build is rejected with a remedy and not changed: $history',
    async ({ change, fault }) => {
      const machine = await Machine.set();
      await machine.sql(change);
      const applied = await machine.sql('select name from migrations order by id');
      const dataSource = await connect(readEnv({ ...process.env, DATABASE_URL: machine.databaseUrl }));
      const error: unknown = await migrate(dataSource).catch((thrown: unknown) => thrown);
      await dataSource.destroy();
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(fault);
      expect(String(error)).toContain('; use the build that migrated it, restore a backup, or use a new database');
      expect(await machine.sql('select name from migrations order by id')).toEqual(applied);
    },
  );
});

/** A database with the schema of this build and a connection to it. */
async function migrated(change: string): Promise<{ machine: Machine; dataSource: DataSource; env: Env }> {
  const machine = await Machine.set();
  await machine.sql(change);
  const env = readEnv({ ...process.env, DATABASE_URL: machine.databaseUrl, MIGRATION_DATABASE_URL: '' });
  const dataSource = await connect(env);
  closeAfterTests(() => dataSource.destroy());
  return { machine, dataSource, env };
}

describe('a schema that a newer build has migrated', () => {
  const FUTURE = `insert into migrations (timestamp, name) values (9990000000000, 'Future9990000000000');`;

  it('a start accepts a newer schema that permits this build, and leaves migrations, queue and rights to the newer one', async () => {
    const { dataSource, env } = await migrated(FUTURE);
    let granted = false;
    expect(await migrate(dataSource, { grant: async () => void (granted = true) })).toEqual([]);
    expect(granted).toBe(false);
    expect(await verifySchema(env)).toMatchObject({ applied: [], schemaVersion: 9_990_000_000_000 });
  });

  it('a start rejects a newer schema that excludes this build, with or without the right to migrate', async () => {
    const { dataSource, env } = await migrated(
      `${FUTURE} update schema_compatibility set oldest_build = 9990000000000`,
    );
    const fault =
      /DATABASE_URL: its schema excludes builds older than 9990000000000, and this build has version \d{13}; start a newer/;
    await expect(migrate(dataSource)).rejects.toThrow(ConfigurationError);
    await expect(migrate(dataSource)).rejects.toThrow(fault);
    await expect(verifySchema(env)).rejects.toThrow(ConfigurationError);
    await expect(verifySchema(env)).rejects.toThrow(fault);
  });

  it('without the right to migrate, a start rejects an older schema with the first migration that is missing, and changes nothing', async () => {
    const last = '(select name from migrations order by timestamp desc limit 1)';
    const { machine, env } = await migrated(`delete from migrations where name = ${last}`);
    const before = await machine.sql('select name from migrations order by id');
    const older =
      /older than this build needs \(1 migrations are pending, the first is \w+\d{13}\), and MIGRATE is false; run 'platform migrate'/;
    await expect(verifySchema(env)).rejects.toThrow(ConfigurationError);
    await expect(verifySchema(env)).rejects.toThrow(older);
    expect(await machine.sql('select name from migrations order by id')).toEqual(before);
  });

  it('the oldest build that the schema permits is the version of a known migration', async () => {
    const { dataSource } = await migrated('select');
    const { oldestBuild, buildVersion, schemaVersion } = await examineSchema(dataSource);
    const versions = dataSource.migrations.map((migration) =>
      Number((migration.name ?? migration.constructor.name).slice(-13)),
    );
    expect(versions).toContain(oldestBuild);
    expect(schemaVersion).toBe(buildVersion);
  });
});

it('a migration that removes, renames or restricts something states why older builds still run, or excludes them', () => {
  const files = readdirSync(MIGRATIONS).filter((file) => Number(file.slice(0, 13)) > FIRST_COMPATIBLE);
  const silent = files.filter((file) => breaksOlderBuilds(readFileSync(join(MIGRATIONS, file), 'utf8')));
  expect(silent).toEqual([]);
});

it.each([
  ['alter table invoices drop column note', true],
  ['alter table invoices rename column note to notes', true],
  ['alter table invoices alter column note set not null', true],
  ['alter table invoices alter column note type varchar(20)', true],
  ['alter table invoices add constraint note_length check (length(note) < 20)', true],
  ['alter table invoices add column note text not null', true],
  ['drop function count_invoices', true],
  ['alter table invoices add column note text', false],
  ["alter table invoices add column note text not null default ''", false],
  ['create table notes (id text primary key, constraint short check (length(id) < 20))', false],
  ['drop index concurrently if exists notes_id', false],
  ['create index concurrently notes_id on notes (id)', false],
])('whether a statement can break an older build is recognized: %s', (statement, expected) => {
  const migration = `async up(runner) { await runner.query(\`${statement}\`); } async down() { drop table invoices }`;
  expect(breaksOlderBuilds(migration)).toBe(expected);
  expect(breaksOlderBuilds(`// Older builds: they do not use it.\n${migration}`)).toBe(false);
});

function breaksOlderBuilds(migration: string): boolean {
  if (/Older builds: \S|update schema_compatibility/.test(migration)) return false;
  const [up = ''] = migration.split('async down(');
  return /\b(drop (table|column|function|view|type|trigger|constraint|index(?! concurrently if exists))|rename (to|column|constraint)|set not null|alter column \w+ (set data )?type|add constraint|add column \w+ [^,;]*not null(?! default))\b/i.test(
    up,
  );
}

/** The first migration of which the rule below is required. */
const FIRST_UNLOCKED = 1796100000000;

it('a migration neither reads nor writes all rows of a table while running processes wait for the table', async () => {
  const { options } = createDataSource({ databaseUrl: '', databasePoolSize: 1 });
  const migrations = Object.values(options.migrations ?? {}) as (new () => MigrationInterface)[];
  const recent = migrations.filter(({ name }) => Number(name.slice(-13)) >= FIRST_UNLOCKED);
  const locking = [];
  for (const migration of recent) {
    const { transaction, statements } = await recorded(new migration());
    if (transaction !== false && locksTables(statements)) locking.push(migration.name);
  }
  expect(recent.length).toBeGreaterThan(0);
  expect(locking).toEqual([]);
});

it.each([
  ['create index notes_id on notes (id)', true],
  ['create unique index notes_id on notes (id)', true],
  ['alter table notes add constraint short check (length(id) < 20)', true],
  ['alter table notes add constraint once unique (id)', true],
  ['alter table notes add column currency text check (length(currency) = 3)', true],
  ['alter table notes add column owner_id text references users', true],
  ['alter table notes alter column id set not null', true],
  ['alter table notes add column day date; alter table notes validate constraint short', true],
  ['alter table notes add column day date; alter table users add column day date', true],
  ['update notes set day = created_at', true],
  ['delete from notes', true],
  ['create index concurrently notes_id on notes (id)', false],
  ['alter table notes add constraint short check (length(id) in (1, 2)) not valid, add column day date', false],
  [
    'alter table notes add column owner_id text, add constraint owner foreign key (owner_id) references users not valid',
    false,
  ],
  ['alter table notes validate constraint short; alter table users validate constraint short', false],
  ['create table pages (id text check (length(id) < 20)); create index pages_id on pages (id)', false],
  ['create trigger pages_kept before update or delete on pages for each row execute function refuse_change()', false],
])('whether a statement reads or writes all rows under a lock is recognized: %s', (statement, expected) => {
  expect(locksTables([statement])).toBe(expected);
});

/** The statements that a migration sends. */
async function recorded(migration: MigrationInterface): Promise<{ transaction?: boolean; statements: string[] }> {
  const statements: string[] = [];
  const runner = { query: async (text: string) => (statements.push(text), []) };
  await migration.up(runner as QueryRunner);
  return { ...(migration.transaction === undefined ? {} : { transaction: migration.transaction }), statements };
}

/** Returns whether one transaction locks several tables, or one table while it reads or writes all rows. */
function locksTables(sent: readonly string[]): boolean {
  // Semicolons in the body of a function separate no statements of the migration.
  const statements = sent.flatMap((text) => text.replace(/\$\$[^]*?\$\$/g, "''").split(';')).map((text) => text.trim());
  const created = statements.map((text) => /^create (?:unlogged )?table (\w+)/.exec(text)?.[1]);
  const altered = new Set<string>();
  for (const statement of statements) {
    const index = /^create (?:unique )?index (?!concurrently)\w+ on (\w+)/.exec(statement);
    const write = /^(?:update|delete from) (\w+)/.exec(statement);
    if ([index, write].some((match) => match && !created.includes(match[1]))) return true;
    const [, table = '', change = ''] = /^alter table (\w+)([^]*)/.exec(statement) ?? [];
    if (table === '' || created.includes(table) || /^\s+validate constraint/.test(change)) continue;
    if (readsAllRows(change)) return true;
    altered.add(table);
  }
  const validates = statements.some((text) => text.includes('validate constraint'));
  return altered.size > (validates ? 0 : 1);
}

/** Returns whether PostgreSQL reads the rows of a table to verify an addition. */
function readsAllRows(change: string): boolean {
  if (/set not null|alter column \w+ (set data )?type|\bunique\b|primary key/.test(change)) return true;
  const added = change.split(/\badd /).slice(1);
  return added.some((part) => /\bcheck\b|\breferences\b/.test(part) && !/not valid/.test(part));
}

it('every table has an entity, or the migration that creates it states the reason for having none', async () => {
  const machine = await Machine.set();
  const tables = await machine.sql<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('migrations', 'migration_checksums')`);
  const dataSource = await connect(readEnv({ ...process.env, DATABASE_URL: machine.databaseUrl }));
  const withEntity = dataSource.entityMetadatas.map(({ tableName }) => tableName);
  await dataSource.destroy();
  const explained = readdirSync(MIGRATIONS).flatMap((file) =>
    explainedIn(readFileSync(join(MIGRATIONS, file), 'utf8')),
  );
  const without = tables.map(({ name }) => name).filter((name) => !withEntity.includes(name));
  expect(without.filter((name) => !explained.includes(name))).toEqual([]);
  expect(explained.filter((name) => withEntity.includes(name))).toEqual(ENTITY_CAME_LATER);
});

/** Their migrations, which are never edited, say why they had no entity at first. */
const ENTITY_CAME_LATER = ['realtime_channels', 'realtime_messages'];

/** The tables that a migration creates after a comment `No entity: <reason>`, on the statement or on the class. */
function explainedIn(migration: string): string[] {
  const [head = '', ...statements] = migration.split('await runner.query(');
  const ofClass = head.slice(0, head.indexOf('export class'));
  return statements.flatMap((statement, index) => {
    const before = [head, ...statements][index] ?? '';
    const comment = ofClass + before.slice(before.lastIndexOf(');\n') + 1);
    const tables = [...statement.matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, table = '']) => table);
    return /No entity: \S/.test(comment) ? tables : [];
  });
}
