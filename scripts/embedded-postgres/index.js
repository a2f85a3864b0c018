// @ts-check
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../processes.js';
import { packagedServer } from './binaries.js';
import { APPLICATION_ROLE, DATABASE, urlOf } from './database.js';
import { lastStart } from './last-start.js';
import { leaseholders, takeLease } from './leases.js';
import { findPostmaster, stopPostmaster } from './postmaster.js';
import { runningServer } from './running-server.js';
import { failure } from './server-process.js';

/**
 * @typedef {object} PostgresOptions
 * @property {string} dataDir folder for the clusters; one of its own is made below it for each major version of PostgreSQL
 * @property {number} [port] the port to listen on; left out: that of the last time while it is free, else a free one.
 *   A server that is already running keeps its port
 * @property {boolean} [durable] false: does not wait for the disk, for tests; a power cut then destroys the data. Default true
 * @property {string} [logFile] where the server writes its log; default `<dataDir>/postgres.log`
 * @property {(line: string) => void} [log] told, in a sentence, what a person should know of
 * @property {AbortSignal} [signal] breaks off the start
 */

/**
 * @typedef {object} PostgresServer
 * @property {string} url connects the role `travel_app` (no superuser) to the database `travel`, which it owns
 * @property {string} superuserUrl connects the superuser `postgres` to the database `postgres`
 * @property {number} port on 127.0.0.1
 * @property {number} pid
 * @property {boolean} adopted it was running already
 * @property {Promise<void>} exited resolves when the server has ended, whatever the reason
 * @property {() => Promise<void>} stop gives the server back: it is stopped, unless another process still uses it or
 *   none of our processes ever started it. Safe to call again, and when the server is gone
 */

/**
 * Starts a PostgreSQL server from the npm package's programs, as root (it then runs as another user) or anybody else.
 * Makes the database on first use; recovers after kill -9 of the server or of whoever started it.
 * A server that runs on the folder already is used as it is.
 * @param {PostgresOptions} options
 * @returns {Promise<PostgresServer>}
 * @throws {import('../launch-error.js').LaunchError} unsupported platform, taken port, missing rights, full disk; with a remedy
 */
export async function startPostgres({ dataDir, port, durable = true, logFile, log = () => undefined, signal }) {
  const area = resolve(dataDir);
  const leave = enter(area);
  try {
    const options = { port, durable, logFile: resolve(logFile ?? join(area, 'postgres.log')), log, signal };
    const { postmaster, passwords, adopted } = await runningServer(area, options);
    const { superuser, application } = passwords;
    const address = { port: postmaster.port };
    return {
      url: urlOf({ ...address, role: APPLICATION_ROLE, password: application, database: DATABASE }),
      superuserUrl: urlOf({ ...address, role: 'postgres', password: superuser, database: 'postgres' }),
      port: postmaster.port,
      pid: postmaster.pid,
      adopted,
      exited: postmaster.exited,
      stop: () => giveBack(area, { pid: postmaster.pid, leave }),
    };
  } catch (error) {
    await giveBack(area, { pid: findPostmaster(clusterIn(area))?.pid, leave });
    throw error;
  }
}

/**
 * The server that runs on the folder's cluster and the processes that use it, without starting or stopping anything.
 * @param {string} dataDir as given to `startPostgres`
 * @returns {{ pid: number | null, users: number[] }}
 */
export function whoRuns(dataDir) {
  return { pid: findPostmaster(clusterIn(resolve(dataDir)))?.pid ?? null, users: leaseholders(resolve(dataDir)) };
}

/** @param {string} area @returns {() => void} */
function enter(area) {
  try {
    // Others may pass, as the server's user must when root started it, but not look around.
    mkdirSync(area, { recursive: true, mode: 0o711 });
    return takeLease(area);
  } catch (error) {
    throw failure(`The folder ${area} cannot be used for the database.`, describe(error));
  }
}

/** @param {unknown} error in the words that PostgreSQL has for the same */
function describe(error) {
  const words = {
    EACCES: 'Permission denied',
    EPERM: 'Permission denied',
    EROFS: 'Permission denied',
    ENOSPC: 'No space left on device',
  };
  const said = Object.entries(words).find(([code]) => code === codeOf(error))?.[1] ?? '';
  return `${String(error)}\n${said}`.trim();
}

/** @param {string} area */
function clusterIn(area) {
  return join(area, packagedServer().major);
}

/** @param {string} area @param {{ pid: number | undefined, leave: () => void }} options */
async function giveBack(area, { pid, leave }) {
  leave();
  if (pid === undefined || leaseholders(area).length > 0) return;
  // Another one may run by now, with a process id of its own.
  const runs = findPostmaster(clusterIn(area))?.pid === pid;
  if (runs && lastStart(clusterIn(area)).ours) await stopPostmaster(pid);
}
