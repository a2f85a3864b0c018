// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../launch-error.js';
import { codeOf, ended, isAlive, signal } from '../processes.js';
import { failure, serverProcess } from './server-process.js';
import { settingsOf } from './settings.js';

/**
 * A running server. `lastWords`: what it wrote to the log since it was started (nothing for one that was found).
 * @typedef {{ pid: number, port: number, exited: Promise<void>, lastWords: () => string }} Postmaster
 */

const LARGE_LOG_BYTES = 10 * 1024 * 1024;
const ABANDONED_AFTER_MS = 5000;

/**
 * The server that runs on a cluster.
 * @param {string} cluster
 * @returns {Postmaster | null}
 * @throws {LaunchError} the cluster may not be read
 */
export function findPostmaster(cluster) {
  const file = join(cluster, 'postmaster.pid');
  const lines = linesOf(file);
  if (lines === null) return null;
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!pid || !port) {
    // Cut off by a crash, or just being written. PostgreSQL itself never removes an empty one.
    if (Date.now() - statSync(file).mtimeMs > ABANDONED_AFTER_MS) rmSync(file, { force: true });
    return null;
  }
  if (!isAlive(pid)) return null;
  if (!isPostmasterOf(pid, cluster)) {
    // The id was given to another program since (usual in containers); PostgreSQL would refuse to start.
    rmSync(file, { force: true });
    return null;
  }
  return { pid, port, exited: watch(pid), lastWords: () => '' };
}

/**
 * Starts a server on a cluster, in a session of its own: Ctrl-C in the terminal is for the launcher, which stops the
 * service first. It may still be starting, or end at once, when this returns.
 * @param {string} cluster
 * @param {{ postgres: string, user: import('./server-user.js').ServerUser, port: number, durable: boolean, logFile: string }} options
 * @returns {Postmaster}
 */
export function launchPostmaster(cluster, { postgres, user, port, durable, logFile }) {
  const log = openLog(logFile);
  const from = fstatSync(log).size;
  const { path, ...options } = serverProcess(cluster, user);
  const words = ['-D', path, ...settingsOf({ port, durable })];
  const child = spawn(postgres, words, { ...options, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  if (child.pid === undefined) throw failure(`${postgres} could not be started.`, '');
  return { pid: child.pid, port, exited, lastWords: () => readFileSync(logFile).subarray(from).toString() };
}

/**
 * Stops a server at once but in order (its "fast" shutdown: clients are cut off, everything is written); one that has
 * not ended after ten seconds is told to drop everything, and recovers when it is started again.
 * @param {number} pid
 * @throws {LaunchError} it does not end
 */
export async function stopPostmaster(pid) {
  signal(pid, 'SIGINT');
  if (await ended(pid, 10_000)) return;
  signal(pid, 'SIGQUIT');
  if (await ended(pid, 10_000)) return;
  throw new LaunchError(
    `PostgreSQL (process ${pid}) does not end.`,
    `End it with \`kill -9 ${pid}\`: it recovers at the next start.`,
  );
}

/** @param {string} file @returns {string[] | null} */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) !== 'EACCES') throw error;
    throw new LaunchError(`${file} belongs to another user.`, 'Start as the user that started the service first.');
  }
}

/** @param {number} pid @param {string} cluster */
function isPostmasterOf(pid, cluster) {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes('postgres');
  } catch {
    return false;
  }
}

/** Resolves when a process that is not our child has ended. @param {number} pid @returns {Promise<void>} */
async function watch(pid) {
  while (isAlive(pid)) await delay(500, undefined, { ref: false });
}

/** @param {string} logFile */
function openLog(logFile) {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  if (fstatSync(log).size < LARGE_LOG_BYTES) return log;
  closeSync(log);
  renameSync(logFile, `${logFile}.1`);
  return openSync(logFile, 'a', 0o600);
}
