// @ts-check
import { createHmac, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { codeOf, isAlive } from '../processes.js';
import { findPostmaster, stopPostmaster, wordsOf } from './postmaster.js';
import { completeReplacement, syncFolder } from './replacement.js';
import { failure, run, serverProcess } from './server-user.js';

/** @typedef {import('./server-user.js').ServerUser} ServerUser */
/** @typedef {import('./programs.js').Programs} Programs */
/** @typedef {{ superuser: string, owner: string, service: string }} Passwords */

const NEEDED_BYTES = 300 * 1024 * 1024;
/** Only this machine can connect: over TCP on the loopback address, with a password. */
const HOST_BASED_AUTHENTICATION = 'host all all 127.0.0.1/32 scram-sha-256\n';
const COMPLETE = ['PG_VERSION', 'global/pg_control', 'pg_hba.conf'];

/**
 * Creates the cluster unless it exists. It is created under another name and renamed when it is complete, so that a cluster
 * is complete even if two processes create it at the same time or one is killed meanwhile.
 * @param {string} cluster its data folder
 * @param {{ programs: Programs, user: ServerUser, durable: boolean, log: (line: string) => void }} options
 * @throws {LaunchError} disk full, no permission
 */
export async function ensureCluster(cluster, { programs, user, durable, log }) {
  completeReplacement(cluster);
  if (isComplete(cluster)) return;
  setAside(cluster, log);
  rejectFullDisk(dirname(cluster));
  await removeAbandonedDrafts(cluster);
  const draft = mkdtempSync(`${cluster}.draft-${process.pid}-`);
  try {
    if (user.identity.uid !== undefined) chownSync(draft, user.identity.uid, user.identity.gid ?? -1);
    await initialise(draft, { programs, user, durable });
    await renewPasswords(draft, { programs, user });
    writeFileSync(join(draft, 'pg_hba.conf'), HOST_BASED_AUTHENTICATION);
    renameSync(draft, cluster);
    if (durable) syncFolder(dirname(cluster));
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
    log('Another process has created the database at the same time; it is used.');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} cluster */
function isComplete(cluster) {
  return COMPLETE.every((file) => existsSync(join(cluster, file)));
}

/**
 * Sets and keeps a new password of the superuser while no server runs (PostgreSQL's single-user mode requires none).
 * @param {string} cluster
 * @param {{ programs: Programs, user: ServerUser }} options
 */
export async function renewPasswords(cluster, { programs, user }) {
  const passwords = newPasswords();
  const { path, ...process } = serverProcess(cluster, user);
  const settings = wordsOf({ exit_on_error: 'on', log_checkpoints: 'off' });
  const words = ['--single', '-D', path, ...settings, 'postgres'];
  const input = `alter role postgres password '${passwords.superuser}';\n`;
  const { code, output } = await run([programs.postgres, ...words], { ...process, input });
  if (code !== 0) throw failure('The password of the database could not be set.', output);
  keepPasswords(cluster, passwords);
}

/** @param {string} draft @param {{ programs: Programs, user: ServerUser, durable: boolean }} options */
async function initialise(draft, { programs, user, durable }) {
  const { path, ...process } = serverProcess(draft, user);
  const options = [
    '--username=postgres',
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
  ];
  options.push('--builtin-locale=C.UTF-8', ...(durable ? [] : ['--no-sync']));
  let failures = '';
  // pg_trgm identifies letters by the character type: under C only ASCII counts, and "Москва" would have no trigrams.
  for (const characterType of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    const { code, output } = await run(
      [programs.initdb, '-D', path, ...options, `--lc-ctype=${characterType}`],
      process,
    );
    if (code === 0) return;
    failures += output;
    if (!output.includes('invalid locale name')) break;
  }
  throw failure(`The database could not be created in ${dirname(draft)}.`, failures);
}

/**
 * A folder with the name of the cluster that is not a complete cluster is damaged or does not come from this program: it is
 * renamed and never deleted.
 * @param {string} cluster
 * @param {(line: string) => void} log
 */
function setAside(cluster, log) {
  if (!existsSync(cluster)) return;
  if (readdirSync(cluster).length === 0) return rmSync(cluster, { recursive: true });
  const aside = `${cluster}.incomplete-${new Date().toISOString().replaceAll(':', '')}`;
  renameSync(cluster, aside);
  log(`${cluster} contains no complete database; it was renamed to ${aside}, and a new one is created.`);
}

/** @param {string} area */
function rejectFullDisk(area) {
  const { bavail, bsize } = statfsSync(area);
  if (bavail * bsize >= NEEDED_BYTES) return;
  throw new LaunchError(
    `Only ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free in ${area}; a database needs 300 MB.`,
    'Free some space, or set DATA_DIR to a folder on a larger disk.',
  );
}

/**
 * Deletes the drafts of processes that were killed, and ends the servers that they left: a restore runs one on a cluster in
 * its draft. The name of a draft contains the process id.
 * @param {string} cluster
 */
export async function removeAbandonedDrafts(cluster) {
  const parent = dirname(cluster);
  for (const name of readdirSync(parent)) {
    const creator = /\.draft-(\d+)-/.exec(name)?.[1];
    if (!creator || isAlive(Number(creator))) continue;
    const server = findPostmaster(join(parent, name, basename(cluster)));
    if (server !== null) await stopPostmaster(server.pid);
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * The passwords of a cluster. The cluster contains them, so that both are copied and deleted together.
 * @param {string} cluster
 * @returns {Passwords | null} null if there is none yet, or the file was deleted
 * @throws {LaunchError} the file may not be read, or has other content
 */
export function findPasswords(cluster) {
  const file = fileOf(cluster);
  try {
    const { superuser, application, owner = application, service } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof superuser === 'string' && typeof owner === 'string') {
      return { superuser, owner, service: typeof service === 'string' ? service : derivedFrom(superuser) };
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) === 'EACCES') {
      throw new LaunchError(`${file} belongs to another user.`, 'Start as the user that started the service first.');
    }
  }
  throw new LaunchError(`${file} does not contain the passwords of the database.`, `Delete ${file}: new ones are set.`);
}

/** @returns {Passwords} */
function newPasswords() {
  const random = () => randomBytes(24).toString('base64url');
  return { superuser: random(), owner: random(), service: random() };
}

/**
 * Derives a password for a cluster that had one role besides the superuser; each process derives the same one. @param {string}
 * secret
 */
function derivedFrom(secret) {
  return createHmac('sha256', secret).update('travel_service').digest('base64url').slice(0, 32);
}

/**
 * Keeps the passwords, readable by the owner only. Called after the cluster has them: otherwise a start that is killed in
 * between would leave wrong passwords.
 * @param {string} cluster
 * @param {Passwords} passwords
 */
function keepPasswords(cluster, passwords) {
  const file = fileOf(cluster);
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(passwords, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** @param {string} cluster */
function fileOf(cluster) {
  return join(cluster, 'launcher-passwords.json');
}
