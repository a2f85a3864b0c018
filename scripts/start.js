// @ts-check
import { join } from 'node:path';
import { ensureBuilt } from './build.js';
import { isStop, runInForeground, stopSignals } from './child.js';
import { openDatabase } from './database.js';
import { dataFolder, loadEnvironment, ROOT } from './environment.js';
import { ensureInstalled } from './install.js';
import { report } from './launch-error.js';
import { birthOf } from './processes.js';
import { claimPort } from './port-claim.js';
import { note } from './progress.js';

/**
 * `npm start`: everything that must be there before the service is (packages, build, database), then the service, in
 * the foreground; when it ends, what was started for it.
 * @param {{ stopping: AbortSignal, killing: AbortSignal }} signals
 * @returns {Promise<number>} the exit code
 */
async function start({ stopping, killing }) {
  loadEnvironment();
  await ensureInstalled();
  const claim = await claimPort(join(dataFolder(), 'run'));
  try {
    await ensureBuilt({ signal: stopping });
    const database = await openDatabase({ stopping });
    try {
      return await serve(database, { stopping, killing, started: (pid) => claim.serve({ pid, birth: birthOf(pid) }) });
    } finally {
      await database.close();
    }
  } finally {
    claim.giveUp();
  }
}

/**
 * @param {import('./database.js').Database} database
 * @param {{ stopping: AbortSignal, killing: AbortSignal, started: (pid: number) => void }} options
 */
async function serve({ environment, lost }, { stopping, killing, started }) {
  const failed = new AbortController();
  const service = runInForeground([process.execPath, join(ROOT, 'dist/src/main.js')], {
    cwd: ROOT,
    env: environment,
    stdin: 'ignore',
    stopping: AbortSignal.any([stopping, failed.signal]),
    killing,
    started,
  });
  try {
    const code = await Promise.race([service, lost]);
    if (code !== 0) note(`The service has ended by itself, with code ${code}.`);
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
