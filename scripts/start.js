// @ts-check
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.js';
import { isStop, runInForeground, stopSignals } from './child.js';
import { openDatabase, rejectMissingDatabase } from './database.js';
import { isProductionTree, ROOT } from './environment.js';
import { note } from './progress.js';
import { lockPort, serviceCommand, serviceEnvironment, serviceProgram } from './service.js';

/**
 * `platform start`: in a production tree this process becomes the service. Otherwise builds and starts the database, then runs
 * the service in the foreground; when the service ends, stops the database.
 * @returns {Promise<number | null>} the exit code; null: this process is the service, which ends it
 */
export async function start() {
  if (isProductionTree()) {
    await import(pathToFileURL(serviceProgram()).href);
    return null;
  }
  const signals = stopSignals();
  return launch(signals).catch((error) => {
    if (isStop(error, signals.stopping)) return 0;
    throw error;
  });
}

/** @param {{ stopping: AbortSignal, killing: AbortSignal }} signals */
async function launch({ stopping, killing }) {
  rejectMissingDatabase();
  const releasePort = await lockPort();
  try {
    await ensureBuilt({ signal: stopping });
    const database = await openDatabase({ stopping });
    try {
      return await serve(database, { stopping, killing });
    } finally {
      await database.close();
    }
  } finally {
    releasePort();
  }
}

/**
 * @param {import('./database.js').Database} database
 * @param {{ stopping: AbortSignal, killing: AbortSignal }} options
 */
async function serve({ environment, lost }, { stopping, killing }) {
  const failed = new AbortController();
  const service = runInForeground(serviceCommand(serviceProgram()), {
    cwd: ROOT,
    env: serviceEnvironment(environment),
    stdin: 'ignore',
    stopping: AbortSignal.any([stopping, failed.signal]),
    killing,
  });
  try {
    const code = await Promise.race([service, lost]);
    if (code !== 0) note(`The service has ended by itself with code ${code}.`);
    return code;
  } catch (error) {
    failed.abort('SIGTERM');
    await service.catch(() => undefined);
    throw error;
  }
}
