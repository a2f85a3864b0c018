/** @jest-environment-options {"application":"shared"} */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type DataSourceOptions } from 'typeorm';
import ormconfig from '../../ormconfig.js';
import { PROJECT } from '../launcher/folders.js';
import { startApp } from '../setup/app.js';

interface Column {
  type: string;
  isNullable: boolean;
  /** Returns the expression as PostgreSQL writes it, without casts; null if there is none. */
  default: string | null;
}

interface StoredColumn extends Column {
  table: string;
  name: string;
  isGenerated: boolean;
}

/** Columns without a member of the entity, and why. Generated columns need no reason: only SQL reads them. */
const ONLY_IN_SQL = {
  'booking_travelers.search_text': 'a trigger writes it; the desk searches it',
  'bookings.departure_moved_from': 'one statement writes both, and the source of reminders reads them',
  'bookings.departure_moved_at': 'see departure_moved_from',
  'invoices.search_text': 'a trigger writes it, because it contains the payer of the draft or of the issued document',
  'invoices.voided_on': 'a trigger writes the day of the books; reports read it',
  'payments.completed_at': 'a trigger writes it; reports as of a past day read it',
  'reminder_runs.requested_at': 'part of a key; the repository of the runs writes it',
  'reminder_runs.sent_on': 'the statement that ends a run writes it; limits of mails count it',
  'reminder_runs.created_at': 'for support',
  'reminder_runs.updated_at': 'for support',
  'webhook_deliveries.sequence': 'the database assigns it; the statements that claim deliveries read it',
};

let declared: Map<string, Column>;
let stored: Map<string, StoredColumn>;

beforeAll(async () => {
  const app = await startApp();
  const { entityMetadatas: entities, driver } = app.nest.get(DataSource);
  declared = new Map(
    entities.flatMap(({ tableName, columns }) =>
      columns.map((column) => {
        const { precision, scale, isArray, isNullable } = column;
        const size = typeof precision === 'number' ? `(${precision},${scale ?? 0})` : '';
        const type = `${driver.normalizeType(column)}${size}${isArray ? '[]' : ''}`;
        return [
          `${tableName}.${column.databaseName}`,
          { type, isNullable, default: plain(driver.normalizeDefault(column)) },
        ];
      }),
    ),
  );
  const tables = new Set(entities.map(({ tableName }) => tableName));
  const rows = await app.sql<StoredColumn>(`
    select class.relname as "table", attribute.attname as name,
      format_type(attribute.atttypid, attribute.atttypmod) as type, not attribute.attnotnull as "isNullable",
      pg_get_expr(value.adbin, value.adrelid) as "default", attribute.attgenerated <> '' as "isGenerated"
    from pg_attribute attribute join pg_class class on class.oid = attribute.attrelid
    left join pg_attrdef value on value.adrelid = class.oid and value.adnum = attribute.attnum
    where class.relnamespace = 'public'::regnamespace and attribute.attnum > 0 and not attribute.attisdropped`);
  stored = new Map(rows.filter(({ table }) => tables.has(table)).map((row) => [`${row.table}.${row.name}`, row]));
});

describe('the entities and the migrated schema', () => {
  it('each column of an entity exists with the same type, and is null in the same cases', () => {
    const known = ({ type, isNullable }: Column) => ({ type, isNullable });
    const found = [...declared.keys()].map((name) => {
      const column = stored.get(name);
      return [name, column ? known(column) : 'missing'];
    });
    expect(found).toEqual([...declared].map(([name, column]) => [name, known(column)]));
  });

  it('each column of a table is a member of its entity, generated, or listed with the reason', () => {
    const without = [...stored].filter(([name, { isGenerated }]) => !declared.has(name) && !isGenerated);
    expect(without.map(([name]) => name).sort()).toEqual(Object.keys(ONLY_IN_SQL).sort());
  });

  it('a default of an entity is that of its column, and one without is a constant for rows from before a migration', () => {
    const pairs = [...declared].map(([name, { default: own }]) => ({ name, own, column: stored.get(name) }));
    const inserted = pairs.filter(({ own }) => own !== null);
    expect(inserted.length).toBeGreaterThan(0);
    expect(inserted.map(({ own }) => own)).toEqual(inserted.map(({ column }) => plain(column?.default)));

    // The service writes every other column of a new row by itself.
    const others = pairs.filter(({ own, column }) => own === null && column?.default && !column.isGenerated);
    expect(
      others.filter(({ column }) => !/^(\d+|true|false|[a-z_]+|\{\}|\[\])$/.test(plain(column?.default) ?? '')),
    ).toEqual([]);
  });
});

it('no entity makes TypeORM add an index, because migrations create them', async () => {
  const { entityMetadatas } = (await startApp()).nest.get(DataSource);
  const added = entityMetadatas.flatMap(({ name, indices }) =>
    indices.filter((one) => one.synchronize).map(() => name),
  );
  expect(added).toEqual([]);
});

it('ormconfig.ts finds the entities and migrations that the service has', async () => {
  const app = await startApp();
  const url = process.env['MIGRATION_DATABASE_URL'] ?? '';
  const found = await new DataSource({ ...ormconfig.options, url } as DataSourceOptions).initialize();
  const of = ({ entityMetadatas, migrations }: DataSource) => ({
    tables: entityMetadatas.map(({ tableName }) => tableName).sort(),
    migrations: migrations.map(({ constructor }) => constructor.name).sort(),
  });
  const inService = of(app.nest.get(DataSource));
  const byName = of(found);
  await found.destroy();
  expect(byName.tables.length).toBeGreaterThan(50);
  expect(byName.migrations.length).toBeGreaterThan(90);
  expect(inService).toEqual(byName);
});

it.each(['migration:show', 'schema:log'])(
  "the TypeORM command '%s' works with ormconfig.ts",
  async (command) => {
    const args = [join(PROJECT, 'node_modules/typeorm/cli.js'), command, '-d', join(PROJECT, 'dist/ormconfig.js')];
    const env = { ...process.env, DATABASE_URL: process.env['MIGRATION_DATABASE_URL'], NODE_OPTIONS: '' };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 24 });
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/\[X\] 1 Platform1790000000000|schema/i)]);
  },
  60_000,
);

/** Removes the casts and quotes in which TypeORM and PostgreSQL differ. */
function plain(expression: string | null | undefined): string | null {
  return expression?.replace(/::[\w ]+(\[\])?/g, '').replace(/^'(.*)'$/, '$1') ?? null;
}
