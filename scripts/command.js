// @ts-check
import { join } from 'node:path';
import { ensureBuilt } from './build.js';
import { isStop, runInForeground, stopSignals } from './child.js';
import { openDatabase } from './database.js';
import { loadEnvironment, ROOT } from './environment.js';
import { ensureInstalled } from './install.js';
import { EXIT_CONFIG, LaunchError, report } from './launch-error.js';

/**
 * `node scripts/command.js <name> [arguments]`: runs a command of the service on the service's database, whether or not the
 * service is running.
 * @param {string[]} words
 * @param {{ stopping: AbortSignal, killing: AbortSignal }} signals
 * @returns {Promise<number>} the command's exit code
 */
async function command(words, { stopping, killing }) {
  if (words.length === 0) {
    throw new LaunchError('A command is missing.', 'node scripts/command.js <name> [arguments]', {
      exitCode: EXIT_CONFIG,
    });
  }
  loadEnvironment();
  await ensureInstalled();
  await ensureBuilt({ signal: stopping });
  const database = await openDatabase({ stopping });
  try {
    const program = [process.execPath, join(ROOT, 'dist/src/commands.js'), ...words];
    const options = { cwd: process.cwd(), env: database.environment, stdin: /** @type {const} */ ('inherit') };
    return await Promise.race([runInForeground(program, { ...options, stopping, killing }), database.lost]);
  } finally {
    await database.close();
  }
}

const signals = stopSignals();
process.exitCode = await command(process.argv.slice(2), signals).catch((error) =>
  isStop(error, signals.stopping) ? 0 : report(error),
);
process.exit();
