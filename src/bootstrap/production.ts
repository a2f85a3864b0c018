import type { DataSource } from 'typeorm';
import { connect, examineProcessEnv } from './boot.js';
import { ConfigurationError, DatabaseUnavailableError } from '../platform/config/configuration-error.js';
import type { Env } from '../platform/config/env.js';

/** Selects rights over the whole server, of the role itself or of a role of which it is a member. */
const SERVER_RIGHTS = `
  select array_agg(distinct what order by what) filter (where holds) as rights
  from pg_roles role,
    lateral (values
      ('is a superuser', rolsuper),
      ('may create roles (CREATEROLE)', rolcreaterole),
      ('bypasses row security (BYPASSRLS)', rolbypassrls),
      ('may replicate the server (REPLICATION)', rolreplication),
      ('may use the files and programs of the server',
        rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
    ) as held (what, holds)
  where pg_has_role(current_user, role.oid, 'member')`;

/**
 * Selects ownership: the owner of a table, its schema or the database can drop its triggers, and a role that creates tables
 * owns them.
 */
const OWNED = `
  with own_schemas as (
    select oid, nspname, nspowner from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
  )
  select array_agg(what order by what) as owned from (
    select 'owns ' || count(*) || ' tables, such as ' || min(relname) as what
    from pg_class join own_schemas on own_schemas.oid = relnamespace
    where relkind in ('r', 'p', 'f') and pg_has_role(current_user, relowner, 'member')
    having count(*) > 0
    union all
    select 'owns the schema ' || nspname from own_schemas where pg_has_role(current_user, nspowner, 'member')
    union all
    select 'may create tables in the schema ' || nspname from own_schemas
    where has_schema_privilege(current_user, oid, 'create') and not pg_has_role(current_user, nspowner, 'member')
    union all
    select 'owns the database' from pg_database
    where datname = current_database() and pg_has_role(current_user, datdba, 'member')
  ) as found`;

const ROLE_REMEDY =
  'expected a role of the service that owns nothing and is no superuser; for example the one of "Database roles" in docs/operations/database.md';

/**
 * Reads the environment of a process that will serve. In production it also examines the database, to report all faults at
 * once. Throws ConfigurationError, and DatabaseUnavailableError if that is the only problem.
 */
export async function readCheckedEnv(): Promise<Env> {
  const { env, faults, productionDatabase } = examineProcessEnv();
  if (productionDatabase !== null) {
    try {
      faults.push(...(await databaseFaults(productionDatabase)));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || faults.length === 0) throw error;
      faults.push(error.fault);
    }
  }
  if (env === null || faults.length > 0) throw new ConfigurationError(faults);
  return env;
}

/**
 * Returns the reasons why production rejects a database: its role could remove the triggers that protect the ledger, or it
 * contains demo data, whose OAuth client has a published secret. Changes nothing.
 */
async function databaseFaults(settings: Parameters<typeof connect>[0]): Promise<readonly string[]> {
  let dataSource: DataSource;
  try {
    dataSource = await connect(settings);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  try {
    const found = [await roleFault(dataSource), await demoDataFault(dataSource)];
    return found.filter((fault) => fault !== null);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Returns null if the role cannot remove the triggers that protect the ledger.
 * @public `platform doctor` imports the built file
 */
export async function roleFault(dataSource: DataSource): Promise<string | null> {
  const [role] = await dataSource.query<{ name: string; rights: string[] | null }[]>(
    `select current_user as name, (${SERVER_RIGHTS})`,
  );
  const rights = role?.rights ?? [];
  // A superuser is a member of every role, so it would own everything.
  const [found] = rights.length > 0 ? [] : await dataSource.query<{ owned: string[] | null }[]>(OWNED);
  const reasons = [...rights, ...(found?.owned ?? [])];
  return reasons.length === 0 ? null : `DATABASE_URL: the role ${role?.name} ${reasons.join(', ')}; ${ROLE_REMEDY}`;
}

/** @public as above */
export async function demoDataFault(dataSource: DataSource): Promise<string | null> {
  const [table] = await dataSource.query<{ known: boolean }[]>(
    `select to_regclass('installation_steps') is not null as known`,
  );
  if (!table?.known) return null;
  const rows = await dataSource.query<object[]>(`select from installation_steps where step = 'demo-data'`);
  return rows.length === 0
    ? null
    : 'DATABASE_URL: leads to a database with demo data, whose credentials are known; expected one of its own for production; for example a new one (createdb), or without NODE_ENV=production this one';
}
