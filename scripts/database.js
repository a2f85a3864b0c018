// @ts-check
import { join } from 'node:path';
import { configurationFaults } from './configuration.js';
import { dataFolder, isProduction, isProductionTree } from './environment.js';
import { LaunchError } from './launch-error.js';
import { note, step } from './progress.js';

const RESTARTS_PER_MINUTE = 5;

/**
 * The database of a program. `environment` is the program's environment; `lost` rejects if the embedded server has ended and
 * cannot be restarted; `close` stops the server unless another process uses it.
 * @typedef {{ environment: NodeJS.ProcessEnv, lost: Promise<never>, close: () => Promise<void> }} Database
 */

/**
 * Opens the database of DATABASE_URL, otherwise the embedded one, which is restarted if it ends before it is closed.
 * @param {{ stopping: AbortSignal }} options
 * @returns {Promise<Database>}
 * @throws {LaunchError} the configuration has faults, with which the service would not start
 */
export async function openDatabase({ stopping }) {
  const environment = { ...process.env, DATA_DIR: dataFolder() };
  // The command itself reports a missing DATABASE_URL.
  if (process.env.DATABASE_URL || isProductionTree())
    return { environment, lost: new Promise(() => undefined), close: async () => undefined };
  rejectMissingDatabase();
  await rejectFaults();
  // Its packages may just have been installed.
  const { startPostgres } = await import('./embedded-postgres/index.js');
  const folders = embeddedFolders();
  const server = await step('starting PostgreSQL', () => startPostgres({ ...folders, log: note, signal: stopping }));
  const { lost, close } = keepRunning(server, () => startPostgres({ ...folders, port: server.port, log: note }));
  const urls = { DATABASE_URL: server.url, MIGRATION_DATABASE_URL: server.ownerUrl };
  return { environment: { ...environment, ...urls, EMBEDDED_DATABASE: 'true' }, lost, close };
}

/**
 * @throws {LaunchError} production without DATABASE_URL; a production tree reports it beside its other faults
 */
export function rejectMissingDatabase() {
  if (!isProduction() || process.env.DATABASE_URL?.trim() || isProductionTree()) return;
  throw new LaunchError(
    'DATABASE_URL is missing: with NODE_ENV=production no embedded database is started.',
    'Set DATABASE_URL to the address of a PostgreSQL server (docs/operations.md), or unset NODE_ENV for development.',
  );
}

/** Folder of the embedded server's data and log. */
export function embeddedFolders() {
  return { dataDir: join(dataFolder(), 'postgres'), logFile: join(dataFolder(), 'logs/postgres.log') };
}

/**
 * @param {() => Promise<string[] | null>} [find] default: those with which the service would not start
 * @throws {LaunchError} the configuration has faults
 */
export async function rejectFaults(find = configurationFaults) {
  const faults = (await find()) ?? [];
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
 * Starts the server again on the same port whenever it ends; the service reconnects by itself.
 * @param {import('./embedded-postgres/index.js').PostgresServer} server
 * @param {() => Promise<import('./embedded-postgres/index.js').PostgresServer>} startAgain
 */
function keepRunning(server, startAgain) {
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
          'PostgreSQL ends repeatedly.',
          'Its log, logs/postgres.log in the data folder, names the reason.',
        );
      }
      note(`PostgreSQL (process ${pid}) has ended and is started again.`);
      current = startAgain();
    }
  };
  const lost = watch().then(() => new Promise((/** @type {(_: never) => void} */ _) => undefined));
  // Not every caller waits for it.
  lost.catch(() => undefined);
  const close = async () => {
    closing.abort();
    // Also stops a server that is just being restarted.
    const last = await current.catch(() => null);
    await last?.stop();
  };
  return { lost, close };
}
