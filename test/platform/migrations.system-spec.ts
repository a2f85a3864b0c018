import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DataSource, type DataSourceOptions, type MigrationInterface, type QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/bootstrap/data-source.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { runCommand } from '../identity/command.js';
import { Machine } from '../identity/machine.js';
import { doctor } from '../launcher/doctor.js';
import { newFolder, PROJECT, runScript } from '../launcher/folders.js';

/** Everything that defines the schema, by the names of its objects: ids differ between equal databases. */
const SCHEMA = `
  with named as (select oid, nspname as schema from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
  select kind, name, definition from (
    select 'column' as kind, format('%s.%s.%s', schema, relname, attname) as name,
           concat_ws(' ', row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod),
             attnotnull::text, attidentity::text, attgenerated::text, attcollation::regcollation::text, pg_get_expr(adbin, adrelid)) as definition
      from pg_attribute join pg_class c on c.oid = attrelid join named n on n.oid = relnamespace
      left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
      where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v', 'm')
    union all
    select 'relation', format('%s.%s', schema, relname), concat_ws(' ', relkind::text, relpersistence::text, relrowsecurity, reloptions)
      from pg_class join named n on n.oid = relnamespace where relkind <> 'c'
    union all
    select 'constraint', format('%s.%s.%s', schema, conrelid::regclass, conname), pg_get_constraintdef(o.oid)
      from pg_constraint o join named n on n.oid = connamespace
    union all
    select 'index', format('%s.%s', schema, relname), pg_get_indexdef(c.oid)
      from pg_class c join named n on n.oid = relnamespace where relkind = 'i'
    union all
    select 'view', format('%s.%s', schema, relname), pg_get_viewdef(c.oid)
      from pg_class c join named n on n.oid = relnamespace where relkind in ('v', 'm')
    union all
    select 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
      from pg_proc p join named n on n.oid = pronamespace where prokind in ('f', 'p')
    union all
    select 'trigger', format('%s.%s.%s', schema, relname, tgname), pg_get_triggerdef(t.oid)
      from pg_trigger t join pg_class c on c.oid = tgrelid join named n on n.oid = relnamespace where not tgisinternal
    union all
    select 'type', format('%s.%s', schema, typname), concat_ws(' ', typtype::text,
             (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = t.oid))
      from pg_type t join named n on n.oid = typnamespace
    union all
    select 'sequence', format('%s.%s', schema, relname), concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqcache)
      from pg_sequence join pg_class c on c.oid = seqrelid join named n on n.oid = relnamespace
    union all
    select 'extension', extname, extversion from pg_extension
  ) as objects order by kind, name, definition`;

/** The tables and functions of the schema that are not part of an extension. */
const REMAINING = `
  select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  union all
  select p.proname from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by name`;

/** A database that had the first migrations only, as in an older commit, and was then migrated. */
async function upgraded(count: number | null): Promise<Machine> {
  const machine = await Machine.bare();
  const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 2 });
  const known = Object.values(options.migrations ?? {}).sort((a, b) => timestampOf(a) - timestampOf(b));
  for (const migrations of count === null ? [known] : [known.slice(0, count), known]) {
    const dataSource = await new DataSource({ ...options, migrations }).initialize();
    const ran = await migrate(dataSource).finally(() => dataSource.destroy());
    expect(ran).toHaveLength(count === null || migrations.length === count ? migrations.length : known.length - count);
  }
  return machine;
}

function timestampOf(migration: unknown): number {
  return Number((migration as { name: string }).name.slice(-13));
}

it('a database of an older commit has exactly the schema of a new one after its upgrade', async () => {
  const fresh = await (await upgraded(null)).sql<object>(SCHEMA);
  expect(fresh.length).toBeGreaterThan(500);
  for (const count of [1, 5, 12]) {
    expect(await (await upgraded(count)).sql(SCHEMA)).toEqual(fresh);
  }
});

it('reverting every migration leaves no table and no function, and migrating again restores the same schema', async () => {
  const machine = await upgraded(null);
  const schema = await machine.sql(SCHEMA);
  const dataSource = await createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 2 }).initialize();
  try {
    for (let left = dataSource.migrations.length; left > 0; left--) await dataSource.undoLastMigration();
    expect(await machine.sql(REMAINING)).toEqual([{ name: 'migration_checksums' }, { name: 'migrations' }]);
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
  expect(await machine.sql(SCHEMA)).toEqual(schema);
});

class Slow9990000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('select pg_sleep(2.5)');
  }

  async down(): Promise<void> {}
}

it('a migration may take longer than a statement of a request, whose limit applies again afterwards', async () => {
  const machine = await Machine.set();
  const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 2 });
  const migrations = [...Object.values(options.migrations ?? {}), Slow9990000000000];
  const extra = { ...(options.extra as object), statement_timeout: 2_000 };
  const dataSource = await new DataSource({ ...options, migrations, extra } as DataSourceOptions).initialize();
  try {
    expect(await migrate(dataSource)).toEqual(['Slow9990000000000']);
    const limits = await Promise.all([1, 2].map(() => dataSource.query('show statement_timeout')));
    expect(limits).toEqual([1, 2].map(() => [{ statement_timeout: '2s' }]));
  } finally {
    await dataSource.destroy();
  }
});

it('an edited migration stops the start and migrate with exit code 78, and doctor reports it', async () => {
  const machine = await Machine.set();
  await machine.sql(`update migration_checksums set checksum = repeat('0', 64) where name like 'Vault1%'`);
  const env = { DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder };
  const start = runScript(newFolder(), [join(PROJECT, 'dist/src/main.js')], { NODE_ENV: 'development', ...env });
  const startCode = await start.end();
  const command = await runCommand(['migrate'], env);
  const found = await doctor(env);
  const [finding] = found.of('migrations');

  const expected = /the migration Vault1790000000400 has changed since it was applied; use the build/;
  expect([startCode, command.code, finding?.verdict]).toEqual([78, 78, 'FAIL']);
  for (const text of [start.output(), command.output, `${finding?.message}; ${finding?.remedy}`]) {
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/^ {4}at /m);
  }
});
