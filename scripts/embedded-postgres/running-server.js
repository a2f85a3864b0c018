// @ts-check
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from '../launch-error.js';
import { ended } from '../processes.js';
import { findBinaries, packagedServer } from './binaries.js';
import { ensureCluster, renewPasswords } from './cluster.js';
import { ensureDatabase, urlOf } from './database.js';
import { lastStart } from './last-start.js';
import { findPasswords } from './passwords.js';
import { freePort, isFree } from './ports.js';
import { findPostmaster, launchPostmaster, stopPostmaster } from './postmaster.js';
import { becomesReady } from './readiness.js';
import { failure } from './server-process.js';
import { serverUserFor } from './server-user.js';

/** @typedef {import('./postmaster.js').Postmaster} Postmaster */
/** @typedef {{ port?: number, durable: boolean, logFile: string, log: (line: string) => void, signal?: AbortSignal }} Options */

const RETRY_MS = 60_000;
/** What passes by itself: another start was faster, or the processes of a killed server have not all ended yet. */
const PASSING = ['lock file "postmaster.pid"', 'pre-existing shared memory block', 'could not bind'];

/**
 * The server on the area's cluster, with the application's database and ready for queries: the one that runs, else a new one.
 * @param {string} area
 * @param {Options} options
 */
export async function runningServer(area, options) {
  const { major } = packagedServer();
  const cluster = join(area, major);
  const deadline = Date.now() + RETRY_MS;
  for (;;) {
    options.signal?.throwIfAborted();
    const found = findPostmaster(cluster);
    const postmaster = found ?? (await launch(area, { ...options, cluster }));
    const passwords = findPasswords(cluster);
    if (passwords === null) throw strange(cluster, postmaster);
    const url = urlOf({ port: postmaster.port, role: 'postgres', password: passwords.superuser, database: 'postgres' });
    try {
      if (await becomesReady(postmaster, { url, found: found !== null, signal: options.signal })) {
        await ensureDatabase({ port: postmaster.port, passwords });
        return { postmaster, passwords, adopted: found !== null };
      }
    } catch (error) {
      if (!found) await stopPostmaster(postmaster.pid);
      // Whoever had started it may have stopped it under our hands; then it is started anew.
      if (!found || options.signal?.aborted || !(await ended(postmaster.pid, 1000))) throw error;
    }
    const words = postmaster.lastWords();
    if (!found && (!PASSING.some((sign) => words.includes(sign)) || Date.now() > deadline)) {
      throw failure('PostgreSQL ended while it was starting.', words);
    }
    await delay(200);
  }
}

/** @param {string} area @param {Options & { cluster: string }} options @returns {Promise<Postmaster>} */
async function launch(area, { cluster, port, durable, logFile, log }) {
  const user = serverUserFor(cluster);
  const binaries = findBinaries(packagedServer(), { area, user });
  await ensureCluster(cluster, { binaries, user, durable, log });
  if (findPasswords(cluster) === null) await renewPasswords(cluster, { binaries, user });
  // PostgreSQL insists on it, and a `chmod -R` over the project takes it away.
  chmodSync(cluster, 0o700);
  const { postgres } = binaries;
  return launchPostmaster(cluster, {
    postgres,
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
    throw new LaunchError(
      `Port ${wanted}, on which PostgreSQL is to listen, is in use.`,
      'End the program that holds it.',
    );
  }
  const last = lastStart(cluster).port;
  return last !== undefined && (await isFree(last, '127.0.0.1')) ? last : freePort();
}

/** @param {string} cluster @param {Postmaster} postmaster */
function strange(cluster, { pid }) {
  return new LaunchError(
    `A PostgreSQL (process ${pid}) runs on ${cluster}, and the passwords kept in that folder are gone.`,
    `End it with \`kill -INT ${pid}\` and start again: it gets new ones.`,
  );
}
