// @ts-check
import { chownSync, closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync } from 'node:fs';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { codeOf, isAlive } from '../processes.js';
import { keepPasswords, newPasswords } from './passwords.js';
import { failure, run, serverProcess } from './server-process.js';
import { HOST_BASED_AUTHENTICATION } from './settings.js';

/** @typedef {import('./server-user.js').ServerUser} ServerUser */
/** @typedef {import('./binaries.js').Binaries} Binaries */

const NEEDED_BYTES = 300 * 1024 * 1024;
const COMPLETE = ['PG_VERSION', 'global/pg_control', 'pg_hba.conf'];

/**
 * Makes the cluster unless it is there. It is made under another name and renamed when it is complete, so that what
 * bears the name is whole even if two start at once or one is killed on the way.
 * @param {string} cluster its data folder
 * @param {{ binaries: Binaries, user: ServerUser, durable: boolean, log: (line: string) => void }} options
 * @throws {LaunchError} disk full, no permission
 */
export async function ensureCluster(cluster, { binaries, user, durable, log }) {
  if (isComplete(cluster)) return;
  setAside(cluster, log);
  refuseFullDisk(dirname(cluster));
  removeAbandonedDrafts(cluster);
  const draft = mkdtempSync(`${cluster}.draft-${process.pid}-`);
  try {
    if (user.identity.uid !== undefined) chownSync(draft, user.identity.uid, user.identity.gid ?? -1);
    await initialise(draft, { binaries, user, durable });
    await renewPasswords(draft, { binaries, user });
    writeFileSync(join(draft, 'pg_hba.conf'), HOST_BASED_AUTHENTICATION);
    renameSync(draft, cluster);
    if (durable) sync(dirname(cluster));
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
    log('another start made the database at the same time; that one is used');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a cluster was made to its end. @param {string} cluster */
function isComplete(cluster) {
  return COMPLETE.every((file) => existsSync(join(cluster, file)));
}

/**
 * Gives the superuser a new password while no server runs (PostgreSQL's single-user mode asks for none) and keeps it.
 * @param {string} cluster
 * @param {{ binaries: Binaries, user: ServerUser }} options
 */
export async function renewPasswords(cluster, { binaries, user }) {
  const passwords = newPasswords();
  const { path, ...process } = serverProcess(cluster, user);
  const words = ['--single', '-D', path, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', 'postgres'];
  const input = `alter role postgres password '${passwords.superuser}';\n`;
  const { code, output } = await run([binaries.postgres, ...words], { ...process, input });
  if (code !== 0) throw failure('The password of the database could not be set.', output);
  keepPasswords(cluster, passwords);
}

/** @param {string} draft @param {{ binaries: Binaries, user: ServerUser, durable: boolean }} options */
async function initialise(draft, { binaries, user, durable }) {
  const { path, ...process } = serverProcess(draft, user);
  const options = [
    '--username=postgres',
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
  ];
  options.push('--builtin-locale=C.UTF-8', ...(durable ? [] : ['--no-sync']));
  let said = '';
  // The character type still decides what a letter is to pg_trgm: under plain C only ASCII is, and "Москва" has no trigram.
  for (const characterType of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    const { code, output } = await run(
      [binaries.initdb, '-D', path, ...options, `--lc-ctype=${characterType}`],
      process,
    );
    if (code === 0) return;
    said += output;
    if (!output.includes('invalid locale name')) break;
  }
  throw failure(`The database could not be made in ${dirname(draft)}.`, said);
}

/**
 * A folder of that name that is no whole cluster is none of our making, or damaged: kept for a look, never deleted.
 * @param {string} cluster
 * @param {(line: string) => void} log
 */
function setAside(cluster, log) {
  if (!existsSync(cluster)) return;
  if (readdirSync(cluster).length === 0) return rmSync(cluster, { recursive: true });
  const aside = `${cluster}.incomplete-${new Date().toISOString().replaceAll(':', '')}`;
  renameSync(cluster, aside);
  log(`${cluster} holds no complete database; it was moved to ${aside}, and a new one is made`);
}

/** @param {string} area */
function refuseFullDisk(area) {
  const { bavail, bsize } = statfsSync(area);
  if (bavail * bsize >= NEEDED_BYTES) return;
  throw new LaunchError(
    `Only ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free in ${area}; a database needs 300 MB.`,
    'Free some space, or set DATA_DIR to a folder on a larger disk.',
  );
}

/** What killed starts left behind; a draft names the process that makes it. @param {string} cluster */
function removeAbandonedDrafts(cluster) {
  const parent = dirname(cluster);
  for (const name of readdirSync(parent)) {
    const maker = /\.draft-(\d+)-/.exec(name)?.[1];
    if (maker && !isAlive(Number(maker))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Makes a rename survive a power cut. @param {string} folder */
function sync(folder) {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
