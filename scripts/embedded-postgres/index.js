// @ts-check
import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../launch-error.js';
import { freePort, isFree } from '../ports.js';
import { codeOf, ended, isAlive } from '../processes.js';
import { ensureCluster, findPasswords, renewPasswords } from './cluster.js';
import { connected, DATABASE, ensureDatabase, OWNER_ROLE, SERVICE_ROLE, urlOf } from './database.js';
import { findPostmaster, lastStart, launchPostmaster, stopPostmaster } from './postmaster.js';
import { findPrograms, packagedServer } from './programs.js';
import { failure, serverUserFor } from './server-user.js';
import { registerUsage } from './usage.js';

/** @typedef {import('./postmaster.js').Postmaster} Postmaster */

/**
 * @typedef {object} PostgresOptions
 * @property {string} dataDir folder of the clusters, one for each major version of PostgreSQL
 * @property {number} [port] port to listen on; default: the one of the last start if it is free, else a free one. A server
 *   that is already running keeps its port
 * @property {boolean} [durable] false: does not wait for the disk, for tests; a power failure then destroys the data. Default true
 * @property {string} [logFile] log of the server; default `<dataDir>/postgres.log`
 * @property {(line: string) => void} [log] receives sentences that a person should read
 * @property {AbortSignal} [signal] aborts the start
 */

/**
 * @typedef {object} PostgresServer
 * @property {string} cluster the data folder
 * @property {string} url connects the role of the service, which owns nothing, to the database `travel`
 * @property {string} ownerUrl connects the owner of that database (not a superuser) to it, for migrations
 * @property {string} superuserUrl connects the superuser `postgres` to the database `postgres`
 * @property {number} port on 127.0.0.1
 * @property {number} pid
 * @property {boolean} adopted the server was already running
 * @property {Promise<void>} exited resolves when the server has ended for any reason
 * @property {() => Promise<void>} stop stops the server, unless another process uses it or a person started it. Has no
 *   effect if it is called again or the server has ended
 */

const START_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 20_000;

/** Temporary reasons: another process started the server first, or a killed one has not ended completely. */
const TEMPORARY = ['lock file "postmaster.pid"', 'pre-existing shared memory block', 'could not bind'];

/**
 * Starts a PostgreSQL server from the npm package's programs, as root (it then runs as another user) or as any other user.
 * A server that already runs on the folder is adopted, or rejected if it does not accept the passwords kept there. Creates
 * the database at the first start, and recovers after kill -9 of the server or of the process that started it.
 * @param {PostgresOptions} wanted
 * @returns {Promise<PostgresServer>}
 * @throws {LaunchError} unsupported platform, port in use, missing permission, full disk; with a remedy
 */
export async function startPostgres(wanted) {
  const { dataDir, port, durable = true, logFile, log = () => undefined, signal } = wanted;
  const area = resolve(dataDir);
  createFolder(area);
  const cluster = clusterIn(area);
  const options = { port, durable, logFile: resolve(logFile ?? join(area, 'postgres.log')), log };
  const deadline = Date.now() + START_WITHIN_MS;
  for (;;) {
    signal?.throwIfAborted();
    const found = findPostmaster(cluster);
    const postmaster = found ?? (await launch(area, options));
    const server = await use(postmaster, { cluster, adopted: found !== null, signal });
    if (server) return server;
    // The found server has ended meanwhile, because its last user has stopped it.
    const output = postmaster.output();
    if (!found && (!TEMPORARY.some((reason) => output.includes(reason)) || Date.now() > deadline)) {
      throw failure('PostgreSQL ended while it was starting.', output);
    }
    await delay(200);
  }
}

/**
 * The server that runs on a folder.
 * @param {string} dataDir as given to `startPostgres`
 * @returns {{ pid: number, port: number } | null}
 */
export function runningPostgres(dataDir) {
  return findPostmaster(clusterIn(resolve(dataDir)));
}

/**
 * Waits until the server is ready, and registers this process as its user.
 * @param {Postmaster} postmaster
 * @param {{ cluster: string, adopted: boolean, signal: AbortSignal | undefined }} options
 * @returns {Promise<PostgresServer | null>} null if the server has ended
 */
async function use({ pid, port, exited }, { cluster, adopted, signal }) {
  try {
    const passwords = passwordsOf(cluster, pid);
    const superuserUrl = urlOf({ port, role: 'postgres', password: passwords.superuser, database: 'postgres' });
    if (!(await becomesReady({ pid, port }, { url: superuserUrl, adopted, signal }))) return null;
    const usage = await registerUsage(superuserUrl, pid);
    const stop = () => usage.release(() => stopEmbedded(cluster, pid));
    try {
      await ensureDatabase({ port, passwords });
    } catch (error) {
      await stop();
      throw error;
    }
    const url = urlOf({ port, role: SERVICE_ROLE, password: passwords.service, database: DATABASE });
    const ownerUrl = urlOf({ port, role: OWNER_ROLE, password: passwords.owner, database: DATABASE });
    return { cluster, url, ownerUrl, superuserUrl, port, pid, adopted, exited, stop };
  } catch (error) {
    if (!adopted) await stopPostmaster(pid);
    if (!adopted || error instanceof LaunchError || signal?.aborted) throw error;
    // Its last user may be stopping it; it is then restarted.
    if (!(await ended(pid, STOP_WITHIN_MS))) throw error;
    return null;
  }
}

/** @param {string} cluster @param {number} pid */
async function stopEmbedded(cluster, pid) {
  // Another server may have been started since.
  if (findPostmaster(cluster)?.pid === pid && lastStart(cluster).isEmbedded) await stopPostmaster(pid);
}

/**
 * @param {string} area
 * @param {{ port: number | undefined, durable: boolean, logFile: string, log: (line: string) => void }} options
 */
async function launch(area, { port, durable, logFile, log }) {
  const cluster = clusterIn(area);
  const user = serverUserFor(cluster);
  const programs = findPrograms(packagedServer(), { area, user });
  await ensureCluster(cluster, { programs, user, durable, log });
  if (findPasswords(cluster) === null) await renewPasswords(cluster, { programs, user });
  // PostgreSQL requires this mode, and a `chmod -R` of the project changes it.
  chmodSync(cluster, 0o700);
  return launchPostmaster(cluster, {
    postgres: programs.postgres,
    user,
    port: await choosePort(cluster, port),
    durable,
    logFile,
  });
}

/** @param {string} cluster @param {number | undefined} wanted */
async function choosePort(cluster, wanted) {
  if (wanted !== undefined) {
    if (await isFree(wanted, '127.0.0.1')) return wanted;
    throw new LaunchError(`Port ${wanted}, which PostgreSQL needs, is in use.`, 'End the program that uses it.');
  }
  const last = lastStart(cluster).port;
  return last !== undefined && (await isFree(last, '127.0.0.1')) ? last : freePort();
}

/**
 * Waits until a server accepts queries. After a crash it first replays its write-ahead log.
 * @param {{ pid: number, port: number }} postmaster
 * @param {{ url: string, adopted: boolean, signal: AbortSignal | undefined }} options
 * @returns {Promise<boolean>} false if it ended
 * @throws {LaunchError} it rejects the password, or does not answer in time
 */
async function becomesReady({ pid, port }, { url, adopted, signal }) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (isAlive(pid)) {
    signal?.throwIfAborted();
    const code = await connected(url, (client) => client.query('select 1')).then(() => null, codeOf);
    if (code === null) return true;
    // A server that this process has launched knows the password: another program listens on its port, and it will end.
    if (adopted && code === '28P01') {
      throw new LaunchError(
        `A PostgreSQL server (process ${pid}) runs on this data folder and rejects the passwords kept in it.`,
        `End it with \`kill -INT ${pid}\` and start again.`,
      );
    }
    if (Date.now() > deadline) {
      throw new LaunchError(
        `PostgreSQL (process ${pid}) runs but does not answer on port ${port}.`,
        `Read its log, or end it with \`kill -QUIT ${pid}\` and start again: it recovers.`,
      );
    }
    await delay(40);
  }
  return false;
}

/** @param {string} cluster @param {number} pid */
function passwordsOf(cluster, pid) {
  const passwords = findPasswords(cluster);
  if (passwords) return passwords;
  throw new LaunchError(
    `A PostgreSQL server (process ${pid}) runs on ${cluster}, and the passwords kept in that folder were deleted.`,
    `End it with \`kill -INT ${pid}\` and start again: it gets new passwords.`,
  );
}

/** @param {string} area */
function createFolder(area) {
  try {
    // Other users may enter the folder but not list it. If root starts the server, the server's user must enter it.
    mkdirSync(area, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw failure(`The folder ${area} cannot be used for the database.`, describe(error));
  }
}

/** Returns the error with PostgreSQL's message, from which `failure` finds the remedy. @param {unknown} error */
function describe(error) {
  const words = {
    EACCES: 'Permission denied',
    EPERM: 'Permission denied',
    EROFS: 'Permission denied',
    ENOSPC: 'No space left on device',
  };
  const known = Object.entries(words).find(([code]) => code === codeOf(error))?.[1] ?? '';
  return `${String(error)}\n${known}`.trim();
}

/** Returns the cluster of the packaged server. @param {string} area */
export function clusterIn(area) {
  return join(area, packagedServer().major);
}
