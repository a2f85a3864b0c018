// @ts-check
import { join } from 'node:path';
import { configurationFaults } from './configuration.js';
import { dataFolder } from './environment.js';
import { LaunchError } from './launch-error.js';
import { note, step } from './progress.js';

const RESTARTS_PER_MINUTE = 5;

/**
 * The database that a program is to use. `environment`: what the program must be told; `lost`: rejects when the
 * embedded server ended and could not be started again; `close` stops what was started.
 * @typedef {{ environment: NodeJS.ProcessEnv, lost: Promise<never>, close: () => Promise<void> }} Database
 */

/**
 * Opens the database that DATABASE_URL names, else the embedded one, which is kept up until it is closed.
 * @param {{ stopping: AbortSignal }} options
 * @returns {Promise<Database>}
 * @throws {LaunchError} the configuration has faults: no server is started for a service that would only refuse to start
 */
export async function openDatabase({ stopping }) {
  const environment = { ...process.env, DATA_DIR: dataFolder() };
  if (process.env.DATABASE_URL)
    return { environment, lost: new Promise(() => undefined), close: async () => undefined };
  await refuseFaults();
  // Only now: what it imports may just have been installed.
  const { startPostgres } = await import('./embedded-postgres/index.js');
  const folders = { dataDir: join(dataFolder(), 'postgres'), logFile: join(dataFolder(), 'logs/postgres.log') };
  const server = await step('starting PostgreSQL', () => startPostgres({ ...folders, log: note, signal: stopping }));
  const { lost, close } = keepUp(server, () => startPostgres({ ...folders, port: server.port, log: note }));
  return { environment: { ...environment, DATABASE_URL: server.url, EMBEDDED_DATABASE: 'true' }, lost, close };
}

async function refuseFaults() {
  const faults = (await configurationFaults()) ?? [];
  if (faults.length === 0) return;
  throw new LaunchError(
    'The configuration has faults.',
    'Correct what is named above, in the environment or in .env.',
    {
      detail: faults.join('\n'),
    },
  );
}

/**
 * Starts the server again, at its old address, whenever it ends: the service's connections come back by themselves.
 * @param {import('./embedded-postgres/index.js').PostgresServer} server
 * @param {() => Promise<import('./embedded-postgres/index.js').PostgresServer>} startAgain
 */
function keepUp(server, startAgain) {
  const closing = new AbortController();
  let current = Promise.resolve(server);
  /** @type {number[]} */
  let restarts = [];
  const watch = async () => {
    for (;;) {
      const { pid, exited, stop } = await current;
      await exited;
      await stop();
      if (closing.signal.aborted) return;
      restarts = [...restarts.filter((at) => Date.now() - at < 60_000), Date.now()];
      if (restarts.length > RESTARTS_PER_MINUTE) {
        throw new LaunchError(
          'PostgreSQL ends again and again.',
          'Its log, logs/postgres.log in the data folder, says why.',
        );
      }
      note(`PostgreSQL (process ${pid}) has ended; it is started again.`);
      current = startAgain();
    }
  };
  const lost = watch().then(() => new Promise((/** @type {(_: never) => void} */ _) => undefined));
  // Whoever is past waiting for it (the service has ended) does not care any more.
  lost.catch(() => undefined);
  const close = async () => {
    closing.abort();
    // While it is down, a start is under way: that one is stopped.
    const last = await current.catch(() => null);
    await last?.stop();
  };
  return { lost, close };
}
