import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect } from '../../src/boot.js';
import { ConfigurationError } from '../../src/platform/config/configuration-error.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { Machine } from '../identity/machine.js';
import { PROJECT } from '../launcher/folders.js';

const MIGRATIONS = join(PROJECT, 'src/migrations');
const NAME = 'Vault1790000000400';

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
      history: 'a newer build applied one more',
      change: `insert into migrations (timestamp, name) values (9990000000000, 'Future9990000000000')`,
      fault: 'the migration Future9990000000000 was applied, which this build does not know',
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
      expect(String(error)).toContain("; delete the embedded database with 'npm run reset', or use a new database");
      expect(await machine.sql('select name from migrations order by id')).toEqual(applied);
    },
  );
});

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
  expect(explained.filter((name) => withEntity.includes(name))).toEqual([]);
});

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
