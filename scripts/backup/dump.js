// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { databaseUrlOf } from '../configuration.js';
import { LaunchError } from '../launch-error.js';
import { digestOf } from './copies.js';
import { recordLastBackup } from './last-backup.js';
import { progressOf } from './progress.js';
import { neededFiles, neededKeys, restoredState } from './restored-state.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/**
 * A copy of a database. `fileKeys` are the keys of the stored files that rows name.
 * @typedef {Pick<import('./manifest.js').Manifest, 'postgresVersion' | 'folders' | 'keyIds' | 'entries'> & { fileKeys: string[]
 * }} DatabaseCopy
 */

const DUMP = 'database.dump';
const CONNECT_MS = 5_000;
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** The schemas of the service. Others belong to other programs: they are neither dumped nor deleted. */
const SCHEMAS = ['public', 'graphile_worker'];
const OTHER_SCHEMAS = `select nspname as name from pg_namespace
  where nspname !~ '^pg_' and nspname <> 'information_schema' and nspname <> all($1::text[])`;
const SERVER = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int / 10000 as major, count(*)::int as tables from pg_class
  where relkind in ('r', 'p') and relnamespace in (select oid from pg_namespace where nspname = any($1::text[]))
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`;
/** Counts connections of the service's roles; connections of monitoring programs do not matter. */
const CONNECTIONS = `pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and usename`;

/** Returns the address of the tables' owner without a pooler, because pg_dump changes settings that a pooler would share. */
function ownerUrl() {
  const { MIGRATION_DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_URL } = process.env;
  return MIGRATION_DATABASE_URL || DATABASE_DIRECT_URL || DATABASE_URL || '';
}

/**
 * Dumps a consistent state of the database with pg_dump.
 * @param {string} target an empty folder
 * @param {AbortSignal} signal
 * @returns {Promise<DatabaseCopy>}
 */
export async function copyDatabase(target, signal) {
  // A role that reads every table is sufficient.
  const url = process.env.BACKUP_DATABASE_URL || ownerUrl();
  const { version, major, tables, others, ...needed } = await onDatabase(url, async (client) => ({
    ...(await serverOf(client)),
    others: (await client.query(OTHER_SCHEMAS, [SCHEMAS])).rows.map(({ name }) => client.escapeIdentifier(name)),
    keyIds: await neededKeys(client),
    fileKeys: await neededFiles(client),
  }));
  // An unlogged table contains nothing that outlives a crash.
  const words = ['--format=custom', '--no-unlogged-table-data', '--lock-wait-timeout=60s', '--verbose'];
  words.push('--no-publications', '--no-subscriptions', ...others.map((name) => `--exclude-schema=${name}`));
  const progress = progressOf('dumping the database', tables, tablesOf);
  const line = (/** @type {string} */ text) => text.includes('dumping contents of table') && progress.add(1);
  const command = [clientOf('pg_dump', { major }), ...words, `--file=${join(target, DUMP)}`];
  await start(command, { address: addressOf(url, major), stdio: ['ignore', 'ignore', 'pipe'], signal, line }).ended;
  progress.end();
  chmodSync(join(target, DUMP), 0o600);
  const digest = /** @type {{ bytes: number, sha256: string }} */ (await digestOf(join(target, DUMP)));
  return { postgresVersion: version, folders: [], ...needed, entries: [{ path: DUMP, ...digest }] };
}

/** @param {string} startedAt of a complete backup */
export async function recordBackup(startedAt) {
  await onDatabase(process.env.BACKUP_DATABASE_URL || ownerUrl(), (client) => recordLastBackup(client, startedAt));
}

/**
 * Rejects a restore that would damage existing data, before it reads or writes anything.
 * @param {Backup} backup
 * @param {{ replace: boolean }} options
 */
export async function rejectUnsuitable({ name, manifest }, { replace }) {
  const { major, version, tables, connections } = await onDatabase(ownerUrl(), async (client) => ({
    ...(await serverOf(client)),
    connections: (await client.query(`select from ${CONNECTIONS} = any($1::text[])`, [rolesOfTheService()])).rowCount,
  }));
  if (major < Number(manifest.postgresVersion.split('.')[0])) {
    throw new LaunchError(
      `The backup ${name} was made by PostgreSQL ${manifest.postgresVersion}, and the server is ${version}.`,
      'Restore it to a server of that version or a newer one.',
    );
  }
  for (const program of /** @type {const} */ (['pg_restore', 'psql'])) clientOf(program, { major });
  if (tables > 0 && !replace) {
    throw new LaunchError(
      `The database contains ${tables} tables.`,
      'Restore to a new, empty database and let DATABASE_URL name it afterwards; or add --replace, which deletes these tables.',
    );
  }
  if (connections) {
    throw new LaunchError(`${connections} connections of the service use the database.`, 'Stop the service first.');
  }
}

/**
 * Restores a dump in one transaction, which with `replace` also deletes the current tables: psql executes the commands that
 * pg_restore writes. The last of them is the commit, so if one of the programs or this process ends before it, the database is
 * unchanged.
 * @param {Backup} backup
 * @param {{ replace: boolean, signal: AbortSignal }} options
 * @returns {Promise<import('./restored-state.js').RestoredState & { setAside: null }>}
 */
export async function restoreDatabase({ folder }, { replace, signal }) {
  const { major } = await onDatabase(ownerUrl(), serverOf);
  const [program, dump] = [clientOf('pg_restore', { major }), join(folder, DUMP)];
  const { stdout } = spawnSync(program, ['--list', dump], { encoding: 'utf8', maxBuffer: 64 << 20 });
  const progress = progressOf('restoring the database', stdout.match(/ TABLE DATA /g)?.length ?? 0, tablesOf);
  // The restoring role owns everything. Comments on extensions belong to the superuser who created them.
  const words = ['--no-owner', '--no-comments', '--single-transaction', '--verbose', '--file=-', dump];
  const line = (/** @type {string} */ text) => text.includes('processing data for table') && progress.add(1);
  const reader = start([program, ...words], { stdio: ['ignore', 'pipe', 'pipe'], signal, line });
  const psql = [clientOf('psql', { major }), '--no-psqlrc', '--no-password', '--quiet', '--set=ON_ERROR_STOP=1'];
  const writer = start(psql, { address: addressOf(ownerUrl(), major), stdio: ['pipe', 'ignore', 'pipe'], signal });
  writer.stdin?.write(beginning(replace));
  // A pipe fails because a program ended, and that program reports the reason.
  const piped = reader.stdout && writer.stdin && pipeline(reader.stdout, writer.stdin).catch(() => undefined);
  const results = await Promise.allSettled([writer.ended, reader.ended, piped]);
  const reason = results.find((result) => result.status === 'rejected')?.reason;
  if (reason instanceof LaunchError) {
    throw new LaunchError(
      'The dump could not be restored; the database is unchanged.',
      'The output above names the reason. If a role or an extension is missing, run deploy/sql/roles.sql in this database first.',
      { detail: reason.detail, exitCode: reason.exitCode },
    );
  }
  if (reason !== undefined) throw reason;
  progress.end();
  return onDatabase(ownerUrl(), async (client) => {
    await client.query('analyze');
    return { ...(await restoredState(client)), setAside: null };
  });
}

/**
 * Returns the beginning of the transaction, which pg_restore's own `begin` continues. It looks for a service that was started
 * meanwhile after the deletion, because from then on the locks keep others out.
 * @param {boolean} replace
 */
function beginning(replace) {
  const roles = rolesOfTheService().map(pg.escapeLiteral).join(', ');
  const deletion = `${SCHEMAS.map((name) => `drop schema if exists ${name} cascade;`).join(' ')}
    create schema public; grant usage on schema public to public;`;
  return `begin; set local lock_timeout = '10s'; set client_min_messages = error; ${replace ? deletion : ''}
    do $$ begin
      if exists (select from ${CONNECTIONS} in (${roles})) then
        raise exception 'connections of the service use the database: stop the service first';
      end if;
    end $$;\n`;
}

/** @param {number} count */
function tablesOf(count) {
  return `${count} tables`;
}

/** `tables`: the number of those of the service. @param {pg.Client} client @returns {Promise<{ version: string, major: number, tables: number }>} */
async function serverOf(client) {
  const { rows } = await client.query(SERVER, [SCHEMAS]);
  return rows[0];
}

/**
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function onDatabase(url, work) {
  const connectionString = await databaseUrlOf(url);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new LaunchError(
      'The database cannot be reached.',
      'Correct MIGRATION_DATABASE_URL or DATABASE_URL, for a backup BACKUP_DATABASE_URL; `platform doctor` names the fault.',
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
 * Finds the client program of the server's version, in PATH or where packages of several versions install it.
 * @param {'pg_dump' | 'pg_restore' | 'psql'} name
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
 * Starts a client program. `ended` rejects if it fails, with the last lines that it wrote to standard error.
 * @param {string[]} command
 * @param {{ address?: { url: string, password: string }, stdio: import('node:child_process').StdioOptions, signal: AbortSignal,
 *   line?: (line: string) => void }} options
 */
function start([program = '', ...words], { address, stdio, signal, line = () => undefined }) {
  // Other users can read the command line, but not the environment.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C', PGPASSWORD: address?.password };
  if (address) words.push(`--dbname=${address.url}`);
  // Prevents a Ctrl-C in the terminal from reaching the program twice.
  const child = spawn(program, words, { env, stdio, signal, detached: true });
  /** @type {string[]} */
  const last = [];
  createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stderr) }).on('line', (text) => {
    line(text);
    if (last.push(text) > 10) last.shift();
  });
  const end = async () => {
    /** @type {unknown} */
    let failure = null;
    child.once('error', (error) => (failure = error));
    /** @type {number | null} */
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code === 0) return;
    throw (
      failure ??
      new LaunchError(`${program} failed with code ${code}.`, 'Its output above names the reason.', {
        detail: last.join('\n'),
        exitCode: 1,
      })
    );
  };
  return { stdin: child.stdin, stdout: child.stdout, ended: end() };
}

/**
 * Returns the address for PostgreSQL's own programs: without the password, with only the parameters that the programs know, and
 * with the service's TLS settings.
 * @param {string} text
 * @param {number} major
 */
export function addressOf(text, major) {
  const url = new URL(text);
  const { searchParams: parameters } = url;
  const password = decodeURIComponent(url.password);
  url.password = '';
  // The driver verifies the server if a URL without sslmode has one of these; the programs would accept any server, or none.
  const isVerified =
    ['true', '1'].includes(parameters.get('ssl') ?? '') || TLS_FILES.some((name) => parameters.has(name));
  if (isVerified && !parameters.has('sslmode')) parameters.set('sslmode', 'verify-full');
  const known = ['sslmode', ...TLS_FILES, 'host', 'port', 'target_session_attrs'];
  for (const name of [...parameters.keys()]) if (!known.includes(name)) parameters.delete(name);
  // Node.js trusts the authorities of the system by default; with this value, PostgreSQL's programs do so from version 16 on.
  const verifies = parameters.get('sslmode')?.startsWith('verify');
  if (verifies && !parameters.has('sslrootcert') && major >= 16) parameters.set('sslrootcert', 'system');
  return { url: url.href, password };
}
