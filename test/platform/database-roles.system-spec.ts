import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../src/bootstrap/boot.js';
import { migrateDatabase } from '../../src/bootstrap/migration.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { grantServiceRights } from '../../src/platform/database/service-role.js';
import { serviceRightsOf } from '../../src/platform/database/table-declarations.js';
import { PRODUCTION } from '../identity/machine.js';
import { PROJECT } from '../launcher/folders.js';
import { OwnServer, query } from './own-server.js';
import { endAll, ServiceProcess } from './service-process.js';

const ROLES = readFileSync(join(PROJECT, 'deploy/sql/roles.sql'), 'utf8');
const NAMES = ['travel_owner', 'travel_service', 'travel_backup', 'travel_monitoring'];
const DENIED = /permission denied|must be owner|read-only transaction/;

let own: OwnServer;
const urlOf = (role: string) => own.urlOf({ role, database: 'travel' });
const as = (role: string, text: string) => query(urlOf(role), text);

/** A server without roles and database of the service, like an operator's. */
async function emptyServer(): Promise<OwnServer> {
  const server = await OwnServer.start();
  await server.sql('drop database travel');
  await server.sql('drop role travel_owner, travel_service');
  await server.sql('create database travel');
  return server;
}

const env = (variables: Record<string, string> = {}) =>
  readEnv({ DATABASE_URL: urlOf('travel_service'), MIGRATION_DATABASE_URL: urlOf('travel_owner'), ...variables });

beforeAll(async () => {
  own = await emptyServer();
}, 120_000);
afterAll(endAll);

describe('deploy/sql/roles.sql', () => {
  it('the file of roles creates them in an empty database, and changes nothing when it is run again', async () => {
    await own.sql(ROLES, 'travel');
    await own.sql(ROLES, 'travel');
    await own.setPasswords(...NAMES);
    const roles = await own.sql(
      `select rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication as powerful, rolbypassrls as sees_all,
         rolpassword is not null as has_password
       from pg_authid where rolname like 'travel%' order by 1`,
    );
    expect(roles).toEqual(
      [...NAMES].sort().map((rolname) => ({
        rolname,
        powerful: false,
        sees_all: rolname === 'travel_backup',
        has_password: true,
      })),
    );
  });

  it('the migrations run as the owner and give the service exactly the declared rights', async () => {
    expect((await migrateDatabase(env())).applied.length).toBeGreaterThan(20);
    const owner = await connect({ databaseUrl: urlOf('travel_owner'), databasePoolSize: 2 }, 'MIGRATION_DATABASE_URL');
    const missing = await grantServiceRights(
      (text, values) => owner.query(text, values),
      'travel_service',
      serviceRightsOf,
    );
    await owner.destroy();
    expect(missing).toEqual([]);
  }, 120_000);

  it('the service starts in production with the role, which can neither create nor empty tables', async () => {
    const service = await ServiceProcess.start({
      ...PRODUCTION,
      DATABASE_URL: urlOf('travel_service'),
      MIGRATION_DATABASE_URL: '',
      DATA_DIR: join(own.folder, 'data'),
      BOOTSTRAP_ADMIN_EMAIL: 'maria@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven',
      DRAIN_SECONDS: '0',
      JOBS: 'true',
    });
    const ready = await fetch(`${service.url}/health/ready`);
    expect([ready.status, await service.end()]).toEqual([200, 0]);
    expect(await as('travel_service', 'select email from users')).toEqual([{ email: 'maria@example.com' }]);
    for (const statement of [
      'create table mine (id int)',
      'create temporary table mine (id int)',
      'create schema mine',
      'truncate users',
      'delete from action_ledger_entries',
      'drop table users',
    ]) {
      await expect(as('travel_service', statement)).rejects.toThrow(DENIED);
    }
    const [limits] = await as(
      'travel_service',
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
         current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(limits).toEqual({ statement: '5s', lock: '2s', idle: '10s' });
  }, 120_000);

  it('the role of backups reads every table and every row, and writes nothing', async () => {
    const unreadable = await as(
      'travel_backup',
      `select oid::regclass::text as name from pg_class
       where relkind in ('r', 'p', 'S') and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
         and not has_table_privilege(oid, 'select')`,
    );
    expect(unreadable).toEqual([]);
    await own.sql(`select graphile_worker.add_job('nothing')`, 'travel');
    // Reports an error instead of missing rows, as pg_dump does.
    const jobs = await query(urlOf('travel_backup'), 'select from graphile_worker._private_jobs');
    expect(jobs.length).toBeGreaterThan(0);
    await expect(as('travel_backup', 'delete from users')).rejects.toThrow(DENIED);
    await expect(as('travel_backup', 'begin; set transaction read write; delete from users; commit')).rejects.toThrow(
      DENIED,
    );
  });

  it('the role of the monitoring reads statistics of the server and no row of the service', async () => {
    const hidden = await as(
      'travel_monitoring',
      `select from pg_stat_activity where query = '<insufficient privilege>'`,
    );
    expect(hidden).toEqual([]);
    await expect(as('travel_monitoring', 'select from public.users')).rejects.toThrow(DENIED);
    expect(await as('travel_monitoring', 'select pg_database_size(current_database()) > 0 as known')).toEqual([
      { known: true },
    ]);
  });

  it('another role of the server cannot connect to the database', async () => {
    await own.sql('create role stranger login');
    await own.setPasswords('stranger');
    await expect(as('stranger', 'select')).rejects.toThrow(/permission denied for database/);
  });

  it('an administrator who is no superuser, as on a managed server, can run the file', async () => {
    await own.sql(`create role manager login createrole createdb`);
    await own.setPasswords('manager');
    await own.sql(`drop database travel`);
    await own.sql('drop role travel_owner, travel_service, travel_backup, travel_monitoring');
    await query(own.urlOf({ role: 'manager', database: 'postgres' }), 'create database travel');
    await query(own.urlOf({ role: 'manager', database: 'travel' }), ROLES);
    await query(own.urlOf({ role: 'manager', database: 'travel' }), ROLES);
    await own.setPasswords(...NAMES);
    expect((await migrateDatabase(env())).applied.length).toBeGreaterThan(20);
    // This administrator may not grant it.
    const isMonitor = `select pg_has_role('travel_monitoring', 'pg_monitor', 'member') as granted`;
    expect(await own.sql(isMonitor)).toEqual([{ granted: false }]);
  }, 120_000);
});
