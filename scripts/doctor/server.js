// @ts-check
import { randomBytes } from 'node:crypto';
import { EXTENSIONS } from '../embedded-postgres/database.js';
import { codeOf } from '../processes.js';
import { failed, fine, warned } from './finding.js';
import { checkMigrations } from './migrations.js';
import { checkOwner } from './owner.js';

/** @typedef {import('pg').Client} Client */

const OLDEST_VERSION = 150_000;
const NOTICEABLE_SKEW_MS = 2_000;
const HARMFUL_SKEW_MS = 60_000;

/** What the service needs of the server and of its database. Changes nothing. @param {Client} client */
export async function checkServer(client) {
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

/** Asked by doing: several settings decide what a letter is to pg_trgm. @param {Client} client */
async function checkEncoding(client) {
  const { encoding, ctype, trigrams } = await one(
    client,
    `select pg_encoding_to_char(encoding) as encoding, datctype as ctype,
            to_regproc('show_trgm') is not null as trigrams
       from pg_database where datname = current_database()`,
  );
  if (encoding !== 'UTF8') {
    const remedy = `make a new database: createdb --encoding=UTF8 --template=template0`;
    return failed('encoding', `the database is in ${encoding}, and texts are in UTF-8`, remedy);
  }
  const found = trigrams ? await one(client, `select array_length(show_trgm('Москва'), 1) as count`) : null;
  const isBlind = found === null ? ctype === 'C' || ctype === 'POSIX' : !found.count;
  if (!isBlind) return fine('encoding', `UTF8, character type ${ctype}`);
  return warned(
    'encoding',
    `character type ${ctype}: searching ignores every letter that is not ASCII`,
    'make a new database with another one: createdb --template=template0 --lc-ctype=C.UTF-8',
  );
}

/** @param {Client} client */
async function checkExtensions(client) {
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
    return failed('extensions', `this role may not add ${names.join(', ')}`, remedy);
  }
  return fine('extensions', `${EXTENSIONS.join(', ')}: there, or to be added by this role`);
}

/** @param {Client} client */
async function checkRole(client) {
  const { name, superuser } = await one(
    client,
    'select rolname as name, rolsuper as superuser from pg_roles where rolname = current_user',
  );
  if (!superuser) return fine('role', `${name} is no superuser`);
  const remedy =
    'use a role of its own that owns the database: create role travel login; alter database … owner to travel';
  return warned('role', `${name} is a superuser, whom no rule of the database stops`, remedy);
}

const PROBE_BYTES = 256 * 1024;
/** What PostgreSQL reports of its own disk. */
const DISK_FULL = '53100';

/** Writes what takes new space, and rolls it back. Without its table there is nothing to write to. @param {Client} client */
async function checkStorage(client) {
  const { known } = await one(client, `select to_regclass('disk_probes') is not null as known`);
  if (!known) return [];
  try {
    await client.query(`begin; set local lock_timeout = '1s'`);
    await client.query('insert into disk_probes (content) values ($1)', [randomBytes(PROBE_BYTES)]);
    return [fine('storage', 'the database can write')];
  } catch (error) {
    const code = codeOf(error);
    if (code !== DISK_FULL) return [failed('storage', `the database cannot write (${code})`, 'its log says why')];
    const remedy = 'free some space on the disk of the database server, or give it a larger one';
    return [failed('storage', `the database cannot write: its disk is full (${code})`, remedy)];
  } finally {
    await client.query('rollback');
  }
}

/** The process and its database both write down times; tokens and limits compare them. @param {Client} client */
async function checkClock(client) {
  const asked = Date.now();
  const { time } = await one(client, 'select extract(epoch from clock_timestamp()) * 1000 as time');
  const skew = Math.round(Number(time) - (asked + Date.now()) / 2);
  const says = `the database's clock is ${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead'}`;
  const remedy = 'have both machines set their clocks by NTP';
  if (Math.abs(skew) >= HARMFUL_SKEW_MS) return failed('clock', says, remedy);
  return Math.abs(skew) >= NOTICEABLE_SKEW_MS ? warned('clock', says, remedy) : fine('clock', says);
}

/** @param {Client} client @param {string} statement */
async function one(client, statement) {
  const { rows } = await client.query(statement);
  return rows[0];
}
