// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../launch-error.js';
import { codeOf, ended, isAlive, signal } from '../processes.js';
import { failure, serverProcess } from './server-user.js';

/**
 * A running server. `output` returns the log lines since this process started it.
 * @typedef {{ pid: number, port: number, exited: Promise<void>, output: () => string }} Postmaster
 */

/** This option distinguishes a server that this program started from one that a person started on the same folder. */
const CLUSTER_NAME = 'travel-operations';
const LARGE_LOG_BYTES = 10 * 1024 * 1024;
const ABANDONED_AFTER_MS = 5000;

/**
 * The server that runs on a cluster, according to its postmaster.pid.
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
    // A crash truncated the file, or it is being written. PostgreSQL never deletes an empty one.
    if (Date.now() - statSync(file).mtimeMs > ABANDONED_AFTER_MS) rmSync(file, { force: true });
    return null;
  }
  if (!isAlive(pid)) return null;
  if (!isPostmasterOf(pid, cluster)) {
    // Another process has the id now, as is usual in containers; PostgreSQL would not start.
    rmSync(file, { force: true });
    return null;
  }
  return { pid, port, exited: exitOf(pid), output: () => '' };
}

/**
 * Starts a server on a cluster, in its own session: a Ctrl-C in the terminal must not reach it, because the launcher stops the
 * service first. When this returns, the server may still be starting, or may already have ended.
 * @param {string} cluster
 * @param {{ postgres: string, user: import('./server-user.js').ServerUser, port: number, durable: boolean, logFile: string }}
 * options
 * @returns {Postmaster}
 */
export function launchPostmaster(cluster, { postgres, user, port, durable, logFile }) {
  const log = openLog(logFile);
  const from = fstatSync(log).size;
  const { path, ...options } = serverProcess(cluster, user);
  const words = ['-D', path, ...wordsOf(settingsOf({ port, durable }))];
  const child = spawn(postgres, words, { ...options, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  if (child.pid === undefined) throw failure(`${postgres} could not be started.`, '');
  return { pid: child.pid, port, exited, output: () => readFileSync(logFile).subarray(from).toString() };
}

/**
 * Stops a server with a fast shutdown, which closes all connections and writes everything, and after ten seconds with an
 * immediate one, from which it recovers at the next start.
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

/**
 * Reads the start options of the last server on a cluster from PostgreSQL's postmaster.opts.
 * @param {string} cluster
 * @returns {{ port: number | undefined, isEmbedded: boolean }} `isEmbedded`: this program started it, not a person
 */
export function lastStart(cluster) {
  const words = linesOf(join(cluster, 'postmaster.opts'))?.join(' ') ?? '';
  const port = /"port=(\d+)"/.exec(words)?.[1];
  return { port: port ? Number(port) : undefined, isEmbedded: words.includes(`"cluster_name=${CLUSTER_NAME}"`) };
}

/**
 * Returns the settings for the command line. They follow this version of the program, not the one that created the cluster.
 * @param {{ port: number, durable: boolean }} options
 */
function settingsOf({ port, durable }) {
  return {
    port,
    cluster_name: CLUSTER_NAME,
    listen_addresses: '127.0.0.1',
    // The path of a socket has at most 107 bytes, which a clone in a deep folder exceeds.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    effective_cache_size: '1GB',
    random_page_cost: 1.1,
    max_wal_size: '1GB',
    jit: 'off',
    // Parallel queries use shared memory of /dev/shm, of which a container has 64 MB.
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_checkpoints: 'off',
    log_lock_waits: 'on',
    log_min_duration_statement: '1s',
    // Keeps values of customers out of the log: parameters, and error messages, which quote them ("Key (email)=(...) already
    // exists") and which the service logs without them. Slow statements, lock waits and the server's own faults remain.
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_min_messages: 'log',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

/** Converts settings to command-line arguments. @param {Record<string, string | number>} settings */
export function wordsOf(settings) {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
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

/** Resolves when a process that is not a child of this one has ended. @param {number} pid @returns {Promise<void>} */
async function exitOf(pid) {
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
