import { describe, expect, it, jest } from '@jest/globals';
import { join } from 'node:path';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/bootstrap/data-source.js';
import { migrate } from '../../src/platform/database/migrator.js';
import { grantServiceRights } from '../../src/platform/database/service-role.js';
import { runCommand } from '../identity/command.js';
import { Machine, PRODUCTION } from '../identity/machine.js';
import { newFolder, PROJECT, runScript, type Script } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';
import { closeAfterTests } from '../setup/running.js';

const LAST = '(select name from migrations order by timestamp desc limit 1)';
const FUTURE = `insert into migrations (timestamp, name) values (9990000000000, 'Future9990000000000')`;

/** Each test starts several processes, on a machine that may be busy. */
jest.setTimeout(300_000);

describe('platform migrate', () => {
  it('several migrations at once apply each migration once, and all of them succeed', async () => {
    const machine = await Machine.bare();
    const env = { DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder };
    const runs = await Promise.all([1, 2, 3].map(() => runCommand(['migrate'], env)));
    expect(runs.map(({ code, output }) => [code, output])).toEqual(runs.map(({ output }) => [0, output]));
    const applied = runs.map(({ output }) => Number(/^Applied (\d+) migrations\./m.exec(output)?.[1] ?? 0));
    const [row] = await machine.sql<{ count: number }>('select count(*)::int from migrations');
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, row?.count]);
    expect(runs.filter(({ output }) => output.includes('Another process is migrating')).length).toBeGreaterThan(0);
  });

  it('a migration that waits for a lock lets the statements behind it pass after a second, and is repeated until it has the lock', async () => {
    const machine = await Machine.set();
    const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 4 });
    const migrations = [...Object.values(options.migrations ?? {}), Widened9990000000000];
    const dataSource = await new DataSource({ ...options, migrations }).initialize();
    closeAfterTests(() => dataSource.destroy());
    const holder = await holding(machine, 'channels');
    let repeated = 0;
    const migrating = migrate(dataSource, { progress: { repeated: () => (repeated += 1) } });
    // Sends a request while the migration waits for its lock.
    await eventually(async () => ((await waitingFor(machine, 'channels')) ? true : null));
    const startedAt = performance.now();
    await machine.sql('select from channels limit 1');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await eventually(() => (repeated >= 2 ? true : null));
    await holder.end();
    expect(await migrating).toEqual(['Widened9990000000000']);
    expect(await machine.sql('select widened from channels')).toEqual([]);
  });

  it('an index is built concurrently while transactions of the service are open and another process wants to migrate', async () => {
    const machine = await Machine.set();
    const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 4 });
    const migrations = [...Object.values(options.migrations ?? {}), Indexed9990000000000];
    const [first, second] = await Promise.all(
      [1, 2].map(() => new DataSource({ ...options, migrations }).initialize()),
    );
    closeAfterTests(async () => void (await Promise.all([first?.destroy(), second?.destroy()])));
    if (!first || !second) throw new Error('no connection');
    const open = await holding(machine, 'channels', 'row exclusive');
    let repeated = 0;
    const progress = { repeated: () => (repeated += 1) };
    const applied = Promise.all([migrate(first, { progress }), migrate(second, { progress })]);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await open.end();
    expect((await applied).flat()).toEqual(['Indexed9990000000000']);
    expect(repeated).toBe(0);
    const valid = `select indisvalid as valid from pg_index where indexrelid = 'channels_tried'::regclass`;
    expect(await machine.sql(valid)).toEqual([{ valid: true }]);
  });

  it('the service has its rights on a new table in the transaction that creates it, because a trigger may write to it at once', async () => {
    const machine = await Machine.set();
    const role = new URL(await machine.serviceUrl()).username;
    const { options } = createDataSource({ databaseUrl: machine.databaseUrl, databasePoolSize: 4 });
    const migrations = [...Object.values(options.migrations ?? {}), NewTable9990000000000, Later9990000000010];
    const dataSource = await new DataSource({ ...options, migrations }).initialize();
    closeAfterTests(() => dataSource.destroy());
    const granted: Promise<object[]>[] = [];
    await migrate(dataSource, {
      grant: async (query) => void (await grantServiceRights(query, role, () => ['select', 'insert'])),
      progress: {
        started: (name) => {
          if (name !== 'Later9990000000010') return;
          granted.push(machine.sql(`select has_table_privilege('${role}', 'new_rows', 'insert') as granted`));
        },
      },
    });
    expect(await Promise.all(granted)).toEqual([[{ granted: true }]]);
  });

  it('in production a migration needs the addresses of the database and no key, and grants the rights of the service', async () => {
    const machine = await Machine.set();
    const serviceUrl = await machine.serviceUrl();
    await machine.sql(`revoke select on channels from ${new URL(serviceUrl).username}`);
    const program = [join(PROJECT, 'scripts/built-platform.js'), 'migrate'];
    const urls = { DATABASE_URL: serviceUrl, MIGRATION_DATABASE_URL: machine.databaseUrl };
    const run = runScript(newFolder(), program, { NODE_ENV: 'production', ...urls });
    expect([await run.end(), run.output()]).toEqual([0, expect.stringMatching(/^No migration is pending\. /)]);
    const right = `select has_table_privilege('${new URL(serviceUrl).username}', 'channels', 'select') as granted`;
    expect(await machine.sql(right)).toEqual([{ granted: true }]);

    const away = runScript(newFolder(), program, {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://a:b@db.test/travel',
    });
    expect([await away.end(), away.output()]).toEqual([
      78,
      expect.stringMatching(/DATABASE_URL: connects to another machine without verified TLS/),
    ]);
  });
});

describe('a service with MIGRATE=false', () => {
  it('a service that may not migrate ends with 78 on an empty database and on an older schema, and starts after platform migrate', async () => {
    const machine = await Machine.bare();
    const env = { NODE_ENV: 'test', DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder };
    const pending =
      /DATABASE_URL: the schema is older than this build needs \(\d+ migrations are pending, the first is \w+\), and MIGRATE is false; run 'platform migrate'/;
    const early = start(env);
    expect([await early.end(), early.output()]).toEqual([78, expect.stringMatching(pending)]);
    expect(await machine.sql(`select to_regclass('migrations') as history`)).toEqual([{ history: null }]);

    expect((await runCommand(['migrate'], { ...env, MIGRATE: 'false' })).code).toBe(0);
    await becomesReady(start(env));

    await machine.sql(`delete from migrations where name = ${LAST}`);
    const older = start(env);
    expect([await older.end(), older.output()]).toEqual([78, expect.stringMatching(pending)]);
    // Commands obey the setting as well.
    const command = await runCommand(['provision', '/dev/null'], { ...env, MIGRATE: 'false' });
    expect([command.code, command.output]).toEqual([78, expect.stringMatching(pending)]);
  });

  it('a production service with MIGRATE=false starts with a role that owns nothing on a newer schema that permits it, and ends with 78 on one that excludes it', async () => {
    const machine = await Machine.set();
    const env = {
      ...PRODUCTION,
      DATABASE_URL: await machine.serviceUrl(),
      DATA_DIR: machine.folder,
      BOOTSTRAP_ADMIN_EMAIL: 'owner@acme.test',
      BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven',
    };
    await machine.sql(FUTURE);
    await becomesReady(start(env));

    await machine.sql('update schema_compatibility set oldest_build = 9990000000000');
    const excluded = start(env);
    expect([await excluded.end(), excluded.output()]).toEqual([
      78,
      expect.stringMatching(/its schema excludes builds older than 9990000000000.*; start a newer build/),
    ]);
    const migrating = start({ ...env, MIGRATE: 'true', MIGRATION_DATABASE_URL: machine.databaseUrl });
    expect([await migrating.end(), migrating.output()]).toEqual([78, expect.stringMatching(/excludes builds older/)]);
  });
});

function start(env: NodeJS.ProcessEnv): Script {
  const settings = { EMBEDDER: 'none', PORT: '0', LOG_LEVEL: 'silent', MIGRATE: 'false', ...env };
  return runScript(newFolder(), [join(PROJECT, 'dist/src/main.js')], settings);
}

/** Waits until the service serves, and stops it. */
async function becomesReady(service: Script): Promise<void> {
  closeAfterTests(async () => void service.child.kill('SIGKILL'));
  await eventually(() => (service.output().includes('Ready.') ? true : null), service.output, 120);
  service.child.kill('SIGTERM');
  expect(await service.end()).toBe(0);
}

class Widened9990000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table channels add column widened int');
  }

  async down(): Promise<void> {}
}

class Indexed9990000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists channels_tried');
    await runner.query('create index concurrently channels_tried on channels (name, status)');
  }

  async down(): Promise<void> {}
}

class NewTable9990000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table new_rows (id int)');
  }

  async down(): Promise<void> {}
}

class Later9990000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('select pg_sleep(1)');
  }

  async down(): Promise<void> {}
}

async function waitingFor(machine: Machine, table: string): Promise<boolean> {
  const rows = await machine.sql(
    `select from pg_locks where not granted and relation = '${table}'::regclass
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.length > 0;
}

/** A transaction that locks a table until its connection ends. */
async function holding(machine: Machine, table: string, mode = 'access share'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: machine.databaseUrl });
  await client.connect();
  await client.query(`begin; lock table ${table} in ${mode} mode`);
  return client;
}
