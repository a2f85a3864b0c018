// @ts-check
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { databaseUrlOf } from '../configuration.js';
import { dataFolder, ROOT } from '../environment.js';
import { isInstalled } from '../install.js';
import { codeOf } from '../processes.js';
import { newClient, remedyFor, textOf } from './connection.js';
import { failed, fine, warned } from './finding.js';

/** @typedef {import('./finding.js').Finding} Finding */
/** @typedef {import('pg').Client} Client */
/** @typedef {import('../../src/platform/database/migration-history.js').RecordedSchema} RecordedSchema */
/** @typedef {typeof import('../../src/platform/database/migration-history.js') & { known: { name: string, checksum: string }[] }} Build */

const OLDEST_VERSION = 150_000;
const NOTICEABLE_SKEW_MS = 2_000;
const HARMFUL_SKEW_MS = 60_000;
const PROBE_BYTES = 256 * 1024;
/** PostgreSQL's code for a full disk. */
const DISK_FULL = '53100';
const FIRST_OWNER = `select from installation_steps where step = 'first-owner'`;

/** The database of DATABASE_URL, else the embedded one, which is not started. */
export async function checkDatabase() {
  if (!isInstalled()) return [warned('database', 'not checked: the packages are not installed', 'npm start')];
  const url = process.env.DATABASE_URL;
  if (url) return checkAt(await databaseUrlOf(url), 'the server of DATABASE_URL');
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
  const client = await newClient(url);
  try {
    await client.connect();
  } catch (error) {
    const remedy = remedyFor(error) ?? 'DATABASE_URL must name a PostgreSQL 15 or newer';
    return [failed('database', `${name} cannot be used (${textOf(error)})`, remedy)];
  }
  try {
    return [
      fine('database', `${name} accepts connections`),
      ...(await checkPooler(client)),
      ...(await checkServer(client)),
      ...(await checkOwnerRole()),
    ];
  } finally {
    await client.end();
  }
}

/** The role of MIGRATION_DATABASE_URL, which runs the migrations. */
async function checkOwnerRole() {
  const url = process.env.DATABASE_URL && process.env.MIGRATION_DATABASE_URL;
  if (!url) return [];
  const client = await newClient(await databaseUrlOf(url));
  try {
    await client.connect();
    const { name, may } = await one(
      client,
      `select current_user as name, has_schema_privilege('public', 'create') as may`,
    );
    await client.end();
    if (may) return [fine('owner role', `${name} can run the migrations`)];
    const remedy = 'MIGRATION_DATABASE_URL must name the role that owns the database';
    return [failed('owner role', `${name} may not create tables, so it cannot run migrations`, remedy)];
  } catch (error) {
    const remedy = remedyFor(error) ?? 'MIGRATION_DATABASE_URL must name the role that owns the database';
    return [failed('owner role', `MIGRATION_DATABASE_URL cannot be used (${textOf(error)})`, remedy)];
  }
}

/** @param {Client} client */
async function checkServer(client) {
  return [
    await checkVersion(client),
    await checkEncoding(client),
    await checkExtensions(client),
    await checkRole(client),
    await checkClock(client),
    ...(await checkMigrations(client)),
    ...(await checkOwner(client)),
    ...(await checkStorage(client)),
  ];
}

/** PostgreSQL gives a client the id of its server process; a pooler gives it another one. @param {Client} client */
async function checkPooler(client) {
  if (process.env.DATABASE_DIRECT_URL) return [];
  const { id } = await one(client, 'select pg_backend_pid() as id');
  if (id === /** @type {Client & { processID?: number }} */ (client).processID) return [];
  const message = 'DATABASE_URL leads to a pooler, and DATABASE_DIRECT_URL is not set';
  const remedy =
    'set it to the address of the server itself, unless pool_mode is session: "Connection pooler" in docs/operations.md';
  return [warned('pooler', message, remedy)];
}

/** @param {Client} client */
async function checkVersion(client) {
  const { name, number } = await one(
    client,
    `select current_setting('server_version') as name, current_setting('server_version_num')::int as number`,
  );
  if (number >= OLDEST_VERSION) return fine('version', `PostgreSQL ${name}`);
  return failed(
    'version',
    `PostgreSQL ${name}; the service needs 15 or newer`,
    'update the server, or use another one',
  );
}

/** Tested by a query, because several settings determine which characters pg_trgm treats as letters. @param {Client} client */
async function checkEncoding(client) {
  const { encoding, ctype, trigrams } = await one(
    client,
    `select pg_encoding_to_char(encoding) as encoding, datctype as ctype,
            to_regproc('show_trgm') is not null as trigrams
       from pg_database where datname = current_database()`,
  );
  if (encoding !== 'UTF8') {
    const remedy = `create a new database: createdb --encoding=UTF8 --template=template0`;
    return failed('encoding', `the encoding is ${encoding} instead of UTF8`, remedy);
  }
  const found = trigrams ? await one(client, `select array_length(show_trgm('Москва'), 1) as count`) : null;
  const isAsciiOnly = found === null ? ctype === 'C' || ctype === 'POSIX' : !found.count;
  if (!isAsciiOnly) return fine('encoding', `UTF8, character type ${ctype}`);
  return warned(
    'encoding',
    `character type ${ctype}: searches ignore all letters but ASCII`,
    'create a new database: createdb --template=template0 --lc-ctype=C.UTF-8',
  );
}

/** @param {Client} client */
async function checkExtensions(client) {
  const { EXTENSIONS } = await import('../embedded-postgres/database.js');
  const { rows } = await client.query(
    `select name, installed_version is not null as installed,
            (select bool_or(superuser and not trusted) from pg_available_extension_versions v
              where v.name = e.name and v.version = e.default_version) as reserved
       from pg_available_extensions e where name = any($1)`,
    [EXTENSIONS],
  );
  const { may } = await one(client, `select has_database_privilege(current_database(), 'CREATE') as may`);
  const { superuser } = await one(client, 'select rolsuper as superuser from pg_roles where rolname = current_user');
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
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

/** @param {Client} client */
async function checkRole(client) {
  const { name, superuser } = await one(
    client,
    'select rolname as name, rolsuper as superuser from pg_roles where rolname = current_user',
  );
  // A start in production is rejected with such a role.
  const found = process.env.NODE_ENV?.trim() === 'production' ? failed : warned;
  const remedy = 'give the service a role of its own: "Database roles" in docs/operations.md; production demands it';
  if (!superuser && (await ownsTables(client))) {
    return found('role', `${name} owns the tables, so it could remove the protection of the ledger`, remedy);
  }
  if (!superuser) return fine('role', `${name} is not a superuser`);
  return found('role', `${name} is a superuser, for which no permission is checked`, remedy);
}

/** @param {Client} client */
async function ownsTables(client) {
  const text = `select from pg_tables where schemaname = 'public' and tableowner = current_user limit 1`;
  return ((await client.query(text)).rowCount ?? 0) > 0;
}

/** Writes rows that need new space, and rolls back. @param {Client} client */
async function checkStorage(client) {
  const { known } = await one(client, `select to_regclass('disk_probes') is not null as known`);
  if (!known) return [];
  try {
    await client.query(`begin; set local lock_timeout = '1s'`);
    await client.query('insert into disk_probes (content) values ($1)', [randomBytes(PROBE_BYTES)]);
    return [fine('storage', 'the database can write')];
  } catch (error) {
    const code = codeOf(error);
    if (code !== DISK_FULL)
      return [failed('storage', `the database cannot write (${code})`, 'see the reason in its log')];
    const remedy = 'free some space on the disk of the database server, or give it a larger one';
    return [failed('storage', `the database cannot write: its disk is full (${code})`, remedy)];
  } finally {
    await client.query('rollback');
  }
}

/** Tokens and limits compare times of the process with times of the database. @param {Client} client */
async function checkClock(client) {
  const before = Date.now();
  const { time } = await one(client, 'select extract(epoch from clock_timestamp()) * 1000 as time');
  const skew = Math.round(Number(time) - (before + Date.now()) / 2);
  const message = `the database's clock is ${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead'}`;
  const remedy = 'synchronize the clocks of both machines by NTP';
  if (Math.abs(skew) >= HARMFUL_SKEW_MS) return failed('clock', message, remedy);
  return Math.abs(skew) >= NOTICEABLE_SKEW_MS ? warned('clock', message, remedy) : fine('clock', message);
}

/** @param {Client} client @param {string} statement */
async function one(client, statement) {
  const { rows } = await client.query(statement);
  return rows[0];
}

/** Whether the schema is that of this build, and the database without demo data in production. @param {Client} client */
async function checkMigrations(client) {
  const build = await migrationsOfThisBuild();
  if (build === null) return [warned('migrations', 'not checked: the service is not built yet', 'npm start builds it')];
  const recorded = await build.recordedSchema(async (text) => (await client.query(text)).rows);
  const { may } = await one(client, `select has_schema_privilege('public', 'create') as may`);
  const canMigrate = may || !process.env.DATABASE_URL || Boolean(process.env.MIGRATION_DATABASE_URL);
  return [outcome(recorded, build, canMigrate), ...(await checkDemoData(client))];
}

/** @param {RecordedSchema} recorded @param {Build} build @param {boolean} canMigrate */
function outcome(recorded, { known, compareSchema }, canMigrate) {
  const { length: count } = recorded.applied;
  const schema = compareSchema(recorded, known);
  if (schema.state === 'unusable') {
    const at = schema.fault.lastIndexOf('; ');
    return failed('migrations', schema.fault.slice(0, at), schema.fault.slice(at + 2));
  }
  if (schema.state === 'current') return fine('migrations', `all ${count} are applied`);
  if (schema.state === 'newer') {
    return fine('migrations', `${schema.additional.join(', ')} of a newer build, which permits this one`);
  }
  const { pending } = schema;
  if (!canMigrate) {
    const remedy = 'set MIGRATION_DATABASE_URL to the role that owns the database and run platform migrate';
    return failed('migrations', `${pending.length} are pending, which this role may not run`, remedy);
  }
  if (process.env.MIGRATE?.trim() === 'false') {
    const remedy = 'platform migrate, before the service is started';
    return failed('migrations', `${pending.length} are pending, and MIGRATE is false`, remedy);
  }
  if (count === 0) return fine('migrations', `none yet: platform start applies all ${pending.length}`);
  return warned('migrations', `${pending.join(', ')} pending`, 'platform migrate or platform start applies them');
}

/** @param {Client} client */
async function checkDemoData(client) {
  if (process.env.NODE_ENV !== 'production' || !(await exists(client, 'installation_steps'))) return [];
  const { rowCount } = await client.query(`select from installation_steps where step = 'demo-data'`);
  if (!rowCount) return [];
  const message = 'the database contains demo data, whose credentials are known; production rejects it';
  return [failed('demo data', message, 'use another database for production: createdb')];
}

/** @param {Client} client @param {string} table */
async function exists(client, table) {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known;
}

/** @returns {Promise<Build | null>} null: not built */
async function migrationsOfThisBuild() {
  const files = ['dist/ormconfig.js', 'dist/src/platform/database/migration-history.js'].map((file) =>
    join(ROOT, file),
  );
  if (!files.every((file) => existsSync(file))) return null;
  const [{ default: dataSource }, history] = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  const migrations = dataSource.options.migrations.map((/** @type {new () => object} */ Migration) => new Migration());
  return { ...history, known: await history.knownMigrations(migrations) };
}

/**
 * Whether an account can log in after the next start. Except in production, the first start creates one.
 * @param {import('pg').Client | null} client null: the database is created by the next start
 */
async function checkOwner(client) {
  const file = join(ROOT, 'dist/src/modules/identity/owner-login.js');
  if (process.env.NODE_ENV !== 'production' || !existsSync(file)) return [];
  const { ACTIVE_OWNER, NO_OWNER } = await import(pathToFileURL(file).href);
  if (client && (await hasRows(client, 'users', ACTIVE_OWNER))) return [fine('owner', 'an active owner can log in')];
  const isFirst = !client || !(await hasRows(client, 'installation_steps', FIRST_OWNER));
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = process.env;
  if (isFirst && email?.trim() && password?.trim()) {
    return [fine('owner', 'none yet: platform start creates the one of BOOTSTRAP_ADMIN_EMAIL')];
  }
  return [failed('owner', NO_OWNER.fault, NO_OWNER.remedy)];
}

/** @param {import('pg').Client} client @param {string} table @param {string} statement */
async function hasRows(client, table, statement) {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known && ((await client.query(statement)).rowCount ?? 0) > 0;
}
