// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { LaunchError } from '../launch-error.js';
import { digestOf } from './copies.js';
import { progressOf } from './progress.js';
import { neededKeys, restoredState } from './restored-state.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./backup-store.js').Manifest} Manifest */

const DUMP = 'database.dump';
const CONNECT_MS = 5_000;
const SCHEMAS = `select nspname as name from pg_namespace
  where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`;
const TABLES = `select count(*)::int as count from pg_class
  where relkind in ('r', 'p') and relnamespace in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`;
/** Connections of the roles of the service: those of monitoring programs do not matter. */
const CONNECTIONS = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename = any($1::text[])`;

/** The role that owns the tables, connected to the server itself: pg_dump changes settings that a pooler would share. */
function ownerUrl() {
  const { MIGRATION_DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_URL } = process.env;
  return MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL || DATABASE_URL || '';
}

/**
 * Dumps the database with pg_dump, as it was at one moment.
 * @param {string} target an empty folder
 * @param {AbortSignal} signal
 * @returns {Promise<Pick<Manifest, 'postgresVersion' | 'keyIds' | 'entries'>>}
 */
export async function dumpDatabase(target, signal) {
  const { version, major, tables, keyIds } = await onDatabase(async (client) => ({
    ...(await serverOf(client)),
    tables: (await client.query(TABLES)).rows[0].count,
    keyIds: await neededKeys(client),
  }));
  const program = clientOf('pg_dump', { major });
  // An unlogged table contains nothing that outlives a crash.
  const words = ['--format=custom', '--no-unlogged-table-data', '--lock-wait-timeout=60s', '--verbose'];
  const progress = progressOf('dumping the database', tables, (count) => `${count} tables`);
  const isStep = (/** @type {string} */ line) => line.includes('dumping contents of table') && progress.add(1);
  await runClient([program, ...words, `--file=${join(target, DUMP)}`], { major, signal, line: isStep });
  progress.end();
  const digest = await digestOf(join(target, DUMP));
  if (digest === null) throw new Error('pg_dump wrote no file');
  return { postgresVersion: version, keyIds, entries: [{ path: DUMP, ...digest }] };
}

/**
 * Rejects a restore that would damage what is there, before anything is read or written.
 * @param {Backup} backup
 * @param {{ replace: boolean }} options
 */
export async function rejectUnsuitableDatabase({ name, manifest }, { replace }) {
  const { major, version, tables, connections } = await onDatabase(async (client) => ({
    ...(await serverOf(client)),
    tables: (await client.query(TABLES)).rows[0].count,
    connections: (await client.query(CONNECTIONS, [rolesOfTheService()])).rows[0].count,
  }));
  if (major < Number(manifest.postgresVersion.split('.')[0])) {
    throw new LaunchError(
      `The backup ${name} was made by PostgreSQL ${manifest.postgresVersion}, and the server is ${version}.`,
      'Restore it to a server of that version or a newer one.',
    );
  }
  clientOf('pg_restore', { major });
  if (tables > 0 && !replace) {
    throw new LaunchError(
      `The database contains ${tables} tables.`,
      'Restore to a new, empty database and let DATABASE_URL name it afterwards; or add --replace, which deletes these tables.',
    );
  }
  if (connections > 0) {
    throw new LaunchError(`${connections} connections of the service use the database.`, 'Stop the service first.');
  }
}

/**
 * Restores a dump with pg_restore in one transaction.
 * @param {Backup} backup
 * @param {{ replace: boolean, signal: AbortSignal }} options
 */
export async function restoreDatabase({ folder }, { replace, signal }) {
  const { major } = await onDatabase(serverOf);
  const program = clientOf('pg_restore', { major });
  const { stdout } = spawnSync(program, ['--list', join(folder, DUMP)], { encoding: 'utf8', maxBuffer: 64 << 20 });
  const tables = stdout.match(/ TABLE DATA /g)?.length ?? 0;
  if (replace) await onDatabase(dropAll);
  const progress = progressOf('restoring the database', tables, (count) => `${count} tables`);
  const isStep = (/** @type {string} */ line) => line.includes('processing data for table') && progress.add(1);
  // The role that restores owns everything. Comments on extensions belong to the superuser who created them.
  const words = ['--no-owner', '--no-comments', '--exit-on-error', '--single-transaction', '--verbose'];
  await runClient([program, ...words, join(folder, DUMP)], { major, signal, line: isStep });
  progress.end();
  return onDatabase(async (client) => {
    await client.query('analyze');
    return restoredState(client);
  });
}

/** @param {pg.Client} client */
async function dropAll(client) {
  const { rows } = await client.query(SCHEMAS);
  await client.query('begin');
  for (const { name } of rows) await client.query(`drop schema ${client.escapeIdentifier(name)} cascade`);
  await client.query('create schema public');
  await client.query('grant usage on schema public to public');
  await client.query('commit');
}

/** @param {pg.Client} client @returns {Promise<{ version: string, major: number }>} */
async function serverOf(client) {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
  );
  return rows[0];
}

/**
 * @template T
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function onDatabase(work) {
  const client = new pg.Client({ connectionString: ownerUrl(), connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new LaunchError(
      'The database cannot be reached.',
      'Correct MIGRATION_DATABASE_URL or DATABASE_URL; `npm run doctor` names the fault.',
      { detail: String(error) },
    );
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function rolesOfTheService() {
  const { MIGRATION_DATABASE_URL, DATABASE_URL } = process.env;
  const urls = [MIGRATION_DATABASE_URL, DATABASE_URL].filter((url) => url !== undefined && url !== '');
  return urls.map((url) => decodeURIComponent(new URL(url ?? '').username));
}

/**
 * The client program of the server's version: in PATH, or where packages of several versions install it.
 * @param {'pg_dump' | 'pg_restore'} name
 * @param {{ major: number, path?: string }} options `path`: default PATH
 * @throws {LaunchError} missing, or of another version
 */
export function clientOf(name, { major, path = process.env.PATH }) {
  const folders = [
    '',
    `/usr/lib/postgresql/${major}/bin/`,
    `/usr/pgsql-${major}/bin/`,
    `/opt/homebrew/opt/postgresql@${major}/bin/`,
    `/usr/local/opt/postgresql@${major}/bin/`,
  ];
  const found = [];
  for (const program of folders.map((folder) => `${folder}${name}`)) {
    if (program.includes('/') && !existsSync(program)) continue;
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', env: { PATH: path } });
    const version = status === 0 ? /\d+(?:\.\d+)*/.exec(stdout)?.[0] : undefined;
    if (version === undefined) continue;
    if (Number(version.split('.')[0]) === major) return program;
    found.push(version);
  }
  const remedy = `Install the client of PostgreSQL ${major} (for example postgresql-client-${major}), or put its folder first in PATH.`;
  const [version] = found;
  if (version === undefined) throw new LaunchError(`The program ${name} is missing.`, remedy);
  const comparison = Number(version.split('.')[0]) < major ? 'older' : 'newer';
  throw new LaunchError(`${name} ${version} is ${comparison} than the server, which is PostgreSQL ${major}.`, remedy);
}

/**
 * @param {string[]} command
 * @param {{ major: number, signal: AbortSignal, line: (line: string) => void }} options
 */
async function runClient([program = '', ...words], { major, signal, line }) {
  const { url, variables } = addressOf(major);
  const child = spawn(program, [`--dbname=${url}`, ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: 'C', ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A Ctrl-C in the terminal must not reach it twice.
    detached: true,
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  /** @type {string[]} */
  const last = [];
  createInterface({ input: child.stderr }).on('line', (text) => {
    line(text);
    last.push(text);
    if (last.length > 10) last.shift();
  });
  /** @type {number | null} */
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code === 0) return;
  throw new LaunchError(`${program} failed with code ${code}.`, 'Its output above names the reason.', {
    detail: last.join('\n'),
    exitCode: 1,
  });
}

/**
 * The address for PostgreSQL's own programs: the password in the environment, which others cannot read as they can the command
 * line, and only parameters that the programs know.
 * @param {number} major
 */
function addressOf(major) {
  const url = new URL(ownerUrl());
  const password = decodeURIComponent(url.password);
  url.password = '';
  const known = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'target_session_attrs'];
  for (const name of [...url.searchParams.keys()]) if (!known.includes(name)) url.searchParams.delete(name);
  if (url.searchParams.get('sslmode') === 'no-verify') url.searchParams.set('sslmode', 'require');
  // Node.js has the authorities of the system by default, as PostgreSQL's programs do from version 16 on with this word.
  const verifies = url.searchParams.get('sslmode')?.startsWith('verify');
  if (verifies && !url.searchParams.has('sslrootcert') && major >= 16) url.searchParams.set('sslrootcert', 'system');
  return { url: url.href, variables: { PGPASSWORD: password } };
}
