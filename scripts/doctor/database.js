// @ts-check
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { databaseUrlOf } from '../configuration.js';
import { dataFolder, ROOT } from '../environment.js';
import { isInstalled } from '../install.js';
import { codeOf } from '../processes.js';
import { failed, faultAndRemedy, fine, warned } from './finding.js';

/** @typedef {import('./finding.js').Finding} Finding */
/** @typedef {import('typeorm').DataSource} DataSource */

const NOTICEABLE_SKEW_MS = 2_000;
const HARMFUL_SKEW_MS = 60_000;
const CONNECTIONS = 1;
const PROBE_BYTES = 256 * 1024;
/** PostgreSQL's code for a full disk. */
const DISK_FULL = '53100';
const FIRST_OWNER = `select from installation_steps where step = 'first-owner'`;

/**
 * Checks the database of DATABASE_URL, otherwise the embedded one, which it does not start. The code of the start itself
 * determines whether the service can connect, and whether production rejects the database.
 */
export async function checkDatabase() {
  if (!isInstalled()) return [warned('database', 'not checked: the packages are not installed', 'npm start')];
  if (!existsSync(join(ROOT, 'dist/src/bootstrap/production.js'))) {
    return [warned('database', 'not checked: the service is not built yet', 'npm start builds it')];
  }
  const url = process.env.DATABASE_URL;
  if (url) return [...(await checkAt(url, 'the server of DATABASE_URL')), ...(await checkOwnerRole())];
  const area = join(dataFolder(), 'postgres');
  const embedded = await embeddedIn(area);
  if ('url' in embedded) return checkAt(embedded.url, `the embedded PostgreSQL (process ${embedded.pid})`);
  return [embedded.finding, ...(embedded.isNew ? await checkOwner(null) : [])];
}

/** @param {string} area @returns {Promise<{ url: string, pid: number } | { finding: Finding, isNew: boolean }>} */
async function embeddedIn(area) {
  // Their packages may not be installed.
  const { packagedServer } = await import('../embedded-postgres/programs.js');
  const { serverUserFor } = await import('../embedded-postgres/server-user.js');
  const { findPostmaster } = await import('../embedded-postgres/postmaster.js');
  const { findPasswords } = await import('../embedded-postgres/cluster.js');
  const { DATABASE, SERVICE_ROLE, urlOf } = await import('../embedded-postgres/database.js');
  const { major, version } = packagedServer();
  const cluster = join(area, major);
  serverUserFor(cluster);
  if (!existsSync(cluster)) {
    const message = `none yet: npm start creates one with the embedded PostgreSQL ${version}`;
    return { finding: fine('database', message), isNew: true };
  }
  const running = findPostmaster(cluster);
  const password = findPasswords(cluster)?.service;
  if (running && password !== undefined) {
    const address = { port: running.port, role: SERVICE_ROLE, password, database: DATABASE };
    return { url: urlOf(address), pid: running.pid };
  }
  const message = `the embedded PostgreSQL ${version} is not running; its content is checked only while it runs`;
  return { finding: fine('database', message), isNew: false };
}

/** @param {string} url @param {string} name */
async function checkAt(url, name) {
  return connected(url, { check: 'database', variable: 'DATABASE_URL' }, async (dataSource) => [
    fine('database', `${name} accepts connections`),
    ...(await checkPooler(dataSource)),
    await checkEncoding(dataSource),
    await checkExtensions(dataSource),
    ...(await checkAsProduction(dataSource)),
    await checkClock(dataSource),
    await checkMigrations(dataSource),
    ...(await checkOwner(dataSource)),
    ...(await checkStorage(dataSource)),
  ]);
}

/** The role of MIGRATION_DATABASE_URL, which runs the migrations. */
async function checkOwnerRole() {
  const url = process.env.MIGRATION_DATABASE_URL;
  if (!url) return [];
  return connected(url, { check: 'owner role', variable: 'MIGRATION_DATABASE_URL' }, async (dataSource) => {
    const { name, may } = await one(
      dataSource,
      `select current_user as name, has_schema_privilege('public', 'create') as may`,
    );
    if (may) return [fine('owner role', `${name} can run the migrations`)];
    const remedy = 'MIGRATION_DATABASE_URL must name the role that owns the database';
    return [failed('owner role', `${name} may not create tables, so it cannot run migrations`, remedy)];
  });
}

/**
 * Runs the checks on a connection of the service.
 * @param {string} url
 * @param {{ check: string, variable: string }} names
 * @param {(dataSource: DataSource) => Promise<Finding[]>} checks
 */
async function connected(url, { check, variable }, checks) {
  const { connect } = await built('bootstrap/boot.js');
  const address = { databaseUrl: await databaseUrlOf(url), databasePoolSize: CONNECTIONS };
  const dataSource = await connect(address, variable).catch(
    (/** @type {{ faults?: string[], fault?: string }} */ error) => {
      const [fault] = error.faults ?? [error.fault];
      if (fault === undefined) throw error;
      return failed(check, ...faultAndRemedy(fault));
    },
  );
  if ('verdict' in dataSource) return [dataSource];
  try {
    return await checks(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** PostgreSQL gives a client the id of its server process; a pooler gives it another one. @param {DataSource} dataSource */
async function checkPooler(dataSource) {
  if (process.env.DATABASE_DIRECT_URL) return [];
  const runner = dataSource.createQueryRunner();
  try {
    const { processID } = await runner.connect();
    const [{ id }] = await runner.query('select pg_backend_pid() as id');
    if (id === processID) return [];
  } finally {
    await runner.release();
  }
  const message = 'DATABASE_URL leads to a pooler, and DATABASE_DIRECT_URL is not set';
  const remedy =
    'set it to the address of the server itself, unless pool_mode is session: "Connection pooler" in docs/operations/database.md';
  return [warned('pooler', message, remedy)];
}

/**
 * Runs a query, because several settings determine which characters pg_trgm treats as letters. @param {DataSource} dataSource
 */
async function checkEncoding(dataSource) {
  const { encoding, ctype, trigrams } = await one(
    dataSource,
    `select pg_encoding_to_char(encoding) as encoding, datctype as ctype,
            to_regproc('show_trgm') is not null as trigrams
       from pg_database where datname = current_database()`,
  );
  if (encoding !== 'UTF8') {
    const remedy = `create a new database: createdb --encoding=UTF8 --template=template0`;
    return failed('encoding', `the encoding is ${encoding} instead of UTF8`, remedy);
  }
  const found = trigrams ? await one(dataSource, `select array_length(show_trgm('Москва'), 1) as count`) : null;
  const isAsciiOnly = found === null ? ctype === 'C' || ctype === 'POSIX' : !found.count;
  if (!isAsciiOnly) return fine('encoding', `UTF8, character type ${ctype}`);
  return warned(
    'encoding',
    `character type ${ctype}: searches ignore all letters but ASCII`,
    'create a new database: createdb --template=template0 --lc-ctype=C.UTF-8',
  );
}

/** @param {DataSource} dataSource */
async function checkExtensions(dataSource) {
  const { EXTENSIONS } = await import('../embedded-postgres/database.js');
  const rows = await dataSource.query(
    `select name, installed_version is not null as installed,
            (select bool_or(superuser and not trusted) from pg_available_extension_versions v
              where v.name = e.name and v.version = e.default_version) as reserved
       from pg_available_extensions e where name = any($1)`,
    [EXTENSIONS],
  );
  const { may } = await one(dataSource, `select has_database_privilege(current_database(), 'CREATE') as may`);
  const { superuser } = await one(
    dataSource,
    'select rolsuper as superuser from pg_roles where rolname = current_user',
  );
  const missing = EXTENSIONS.filter((name) => !rows.some((/** @type {{ name: string }} */ row) => row.name === name));
  if (missing.length > 0) {
    const remedy = 'install the contrib package of the server (postgresql-contrib)';
    return failed('extensions', `the server does not have ${missing.join(', ')}`, remedy);
  }
  const closed = rows.filter(({ installed, reserved }) => !installed && !superuser && (reserved || !may));
  if (closed.length > 0) {
    const names = closed.map(({ name }) => name);
    const remedy = `as a superuser, in this database: ${names.map((name) => `create extension ${name};`).join(' ')}`;
    return failed('extensions', `this role may not create ${names.join(', ')}`, remedy);
  }
  return fine('extensions', `${EXTENSIONS.join(', ')}: installed, or this role can create them`);
}

/** A start in production is rejected for the same reasons. @param {DataSource} dataSource */
async function checkAsProduction(dataSource) {
  /** @type {typeof import('../../src/bootstrap/production.js')} */
  const { demoDataFault, roleFault } = await built('bootstrap/production.js');
  const isProduction = process.env.NODE_ENV?.trim() === 'production';
  const role = await roleFault(dataSource);
  const demoData = isProduction ? await demoDataFault(dataSource) : null;
  const found = isProduction ? failed : warned;
  return [
    role === null ? fine('role', 'owns nothing and is no superuser') : found('role', ...faultAndRemedy(role)),
    ...(demoData === null ? [] : [failed('demo data', ...faultAndRemedy(demoData))]),
  ];
}

/** Writes a row that needs new space, and rolls back. @param {DataSource} dataSource */
async function checkStorage(dataSource) {
  const { known } = await one(dataSource, `select to_regclass('disk_probes') is not null as known`);
  if (!known) return [];
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`begin; set local lock_timeout = '1s'`);
    await runner.query('insert into disk_probes (content) values ($1)', [randomBytes(PROBE_BYTES)]);
    return [fine('storage', 'the database can write')];
  } catch (error) {
    const code = codeOf(error);
    if (code !== DISK_FULL) {
      return [failed('storage', `the database cannot write (${code})`, 'see the reason in its log')];
    }
    const remedy = 'free some space on the disk of the database server, or give it a larger one';
    return [failed('storage', `the database cannot write: its disk is full (${code})`, remedy)];
  } finally {
    await runner.query('rollback');
    await runner.release();
  }
}

/** Tokens and limits compare times of the process with times of the database. @param {DataSource} dataSource */
async function checkClock(dataSource) {
  const before = Date.now();
  const { time } = await one(dataSource, 'select extract(epoch from clock_timestamp()) * 1000 as time');
  const skew = Math.round(Number(time) - (before + Date.now()) / 2);
  const message = `the database's clock is ${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead'}`;
  const remedy = 'synchronize the clocks of both machines by NTP';
  if (Math.abs(skew) >= HARMFUL_SKEW_MS) return failed('clock', message, remedy);
  return Math.abs(skew) >= NOTICEABLE_SKEW_MS ? warned('clock', message, remedy) : fine('clock', message);
}

/** Checks whether the schema matches this build. @param {DataSource} dataSource */
async function checkMigrations(dataSource) {
  const { examineSchema } = await built('platform/database/migrator.js');
  /** @type {import('../../src/platform/database/migrator.js').ExaminedSchema} */
  const { comparison: schema, schemaVersion } = await examineSchema(dataSource);
  if (schema.state === 'unusable') return failed('migrations', ...faultAndRemedy(schema.fault));
  if (schema.state === 'current') return fine('migrations', 'all are applied');
  if (schema.state === 'newer') {
    return fine('migrations', `${schema.additional.join(', ')} of a newer build, which permits this one`);
  }
  const { pending } = schema;
  const { may } = await one(dataSource, `select has_schema_privilege('public', 'create') as may`);
  if (!may && process.env.DATABASE_URL && !process.env.MIGRATION_DATABASE_URL) {
    const remedy = 'set MIGRATION_DATABASE_URL to the role that owns the database and run platform migrate';
    return failed('migrations', `${pending.length} are pending, which this role may not run`, remedy);
  }
  if (process.env.MIGRATE?.trim() === 'false') {
    const remedy = 'platform migrate, before the service is started';
    return failed('migrations', `${pending.length} are pending, and MIGRATE is false`, remedy);
  }
  if (schemaVersion === 0) return fine('migrations', `none yet: platform start applies all ${pending.length}`);
  return warned('migrations', `${pending.join(', ')} pending`, 'platform migrate or platform start applies them');
}

/**
 * Checks whether an account can log in after the next start. Except in production, the first start creates one.
 * @param {DataSource | null} dataSource null: the database is created by the next start
 */
async function checkOwner(dataSource) {
  if (process.env.NODE_ENV !== 'production') return [];
  const { ACTIVE_OWNER, NO_OWNER } = await built('modules/identity/owner-login.js');
  if (dataSource && (await hasRows(dataSource, 'users', ACTIVE_OWNER))) {
    return [fine('owner', 'an active owner can log in')];
  }
  const isFirst = !dataSource || !(await hasRows(dataSource, 'installation_steps', FIRST_OWNER));
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = process.env;
  if (isFirst && email?.trim() && password?.trim()) {
    return [fine('owner', 'none yet: platform start creates the one of BOOTSTRAP_ADMIN_EMAIL')];
  }
  return [failed('owner', NO_OWNER.fault, NO_OWNER.remedy)];
}

/** @param {DataSource} dataSource @param {string} table @param {string} statement */
async function hasRows(dataSource, table, statement) {
  const { known } = await one(dataSource, `select to_regclass('${table}') is not null as known`);
  return known && (await dataSource.query(statement)).length > 0;
}

/** @param {DataSource} dataSource @param {string} statement */
async function one(dataSource, statement) {
  const [row] = await dataSource.query(statement);
  return row;
}

/** @param {string} name */
function built(name) {
  return import(pathToFileURL(join(ROOT, 'dist/src', name)).href);
}
