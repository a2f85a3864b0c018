// @ts-check
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { progressOf } from './backup/progress.js';
import { ensureBuilt } from './build.js';
import { openDatabase } from './database.js';
import { ROOT } from './environment.js';

/**
 * Runs a command of the built service in this process, on the service's database, whether or not the service is running.
 * @param {string} name
 * @param {Record<string, unknown>} options
 * @param {{ stopping: AbortSignal, prepares: boolean }} surroundings
 * @returns {Promise<import('./platform/outcome.js').Outcome>}
 */
export async function runOnDatabase(name, options, { stopping, prepares }) {
  if (prepares) await ensureBuilt({ signal: stopping });
  const database = await openDatabase({ stopping });
  try {
    Object.assign(process.env, database.environment);
    const { runCommand } = await import(pathToFileURL(join(ROOT, 'dist/src/commands/commands.js')).href);
    // On a terminal the line replaces a bar, which is drawn again below.
    const clear = process.stderr.isTTY ? '\r\u001b[K' : '';
    const note = (/** @type {string} */ line) => void process.stderr.write(`${clear}${line}\n`);
    const work = runCommand(name, options, { progress: progressOf, note });
    return await Promise.race([work, database.lost, stop(stopping)]);
  } finally {
    await database.close();
  }
}

/** @param {AbortSignal} stopping @returns {Promise<never>} */
function stop(stopping) {
  return new Promise((_, reject) => {
    if (stopping.aborted) reject(stopping.reason);
    stopping.addEventListener('abort', () => reject(stopping.reason));
  });
}
