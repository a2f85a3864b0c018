// @ts-check
import { ensureBuilt } from './build.js';
import { isStop, runInForeground, stopSignals } from './child.js';
import { openDatabase } from './database.js';
import { loadEnvironment, ROOT } from './environment.js';
import { ensureInstalled } from './install.js';
import { report } from './launch-error.js';
import { note } from './progress.js';
import { lockPort, serviceCommand, serviceEnvironment, serviceProgram } from './service.js';

/**
 * `npm start`: installs, builds and starts the database, then runs the service in the foreground; when the service ends,
 * stops the database.
 * @param {{ stopping: AbortSignal, killing: AbortSignal }} signals
 * @returns {Promise<number>} the exit code
 */
async function start({ stopping, killing }) {
  loadEnvironment();
  await ensureInstalled();
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

const signals = stopSignals();
process.exitCode = await start(signals).catch((error) => (isStop(error, signals.stopping) ? 0 : report(error)));
process.exit();
