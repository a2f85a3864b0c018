// @ts-check
import { isStop, stoppedCode, stopSignals } from '../child.js';
import { loadEnvironment } from '../environment.js';
import { ensureInstalled, isInstalled } from '../install.js';
import { EXIT_USAGE } from '../launch-error.js';
import { printFailure, printOutcome, Stopped } from './outcome.js';

/** @typedef {import('./program.js').Request} Request */
/** @typedef {import('./outcome.js').Outcome} Outcome */

/** Commands that run without the service's code. */
const SCRIPTS = new Map([
  ['backup', async () => (await import('../backup/commands.js')).backup],
  ['backup copy', async () => (await import('../backup/commands.js')).backupCopy],
  ['restore', async () => (await import('../backup/commands.js')).restore],
  ['doctor', async () => (await import('../doctor.js')).doctor],
  ['reset', async () => (await import('../reset.js')).reset],
]);

/**
 * Runs the command with these arguments and ends the process with its exit code, unless the process has become the service.
 * @param {string[]} words
 * @param {{ prepares?: boolean }} [options] `prepares`: whether missing packages are installed and the service is built
 */
export async function main(words, { prepares = true } = {}) {
  const json = words.includes('--json');
  try {
    loadEnvironment();
    // The doctor examines a machine on which packages are missing, without changing it.
    if (words[0] === 'doctor' && !isInstalled())
      return await runCommand({ name: 'doctor', options: {}, json }, prepares);
    if (prepares && words[0] === 'start' && !isInstalled()) await rejectFutileInstallation(words);
    if (prepares) await ensureInstalled();
    // Its package may just have been installed.
    const { createProgram } = await import('./program.js');
    await createProgram((request) => runCommand(request, prepares)).parseAsync(words, { from: 'user' });
  } catch (error) {
    await exit(isUsage(error) ? usageCode(error, json) : printFailure(error, { json, stoppedCode: 1 }));
  }
}

/**
 * An installation takes minutes, so problems that prevent a start are reported earlier if that needs no package.
 * @param {string[]} words
 */
async function rejectFutileInstallation(words) {
  if (words.some((word) => ['--help', '-h'].includes(word))) return;
  const [{ rejectMissingDatabase }, { rejectUnusablePort }] = await Promise.all([
    import('../database.js'),
    import('../service.js'),
  ]);
  rejectMissingDatabase();
  await rejectUnusablePort();
}

/** @param {Request} request @param {boolean} prepares */
async function runCommand({ name, options, json }, prepares) {
  if (name === 'start') {
    const { start } = await import('../start.js');
    const code = await start();
    if (code !== null) await exit(code);
    return;
  }
  const { stopping, killing } = stopSignals();
  killing.addEventListener('abort', () => process.exit(stoppedCode(stopping)));
  try {
    await exit(printOutcome(await workOf({ name, options, json }, { stopping, prepares }), { json }));
  } catch (error) {
    const failure = isStop(error, stopping) ? new Stopped('Stopped') : error;
    await exit(printFailure(failure, { json, stoppedCode: stopping.aborted ? stoppedCode(stopping) : 1 }));
  }
}

/**
 * Ends the process after the output was written, because output that a socket has not accepted yet would be lost. @param
 * {number} code
 */
async function exit(code) {
  const written = [process.stdout, process.stderr].map(
    (stream) =>
      new Promise((resolve) => {
        // The reading process may have ended.
        stream.once('error', resolve);
        stream.write('', resolve);
      }),
  );
  await Promise.all(written);
  process.exit(code);
}

/**
 * @param {Request} request
 * @param {{ stopping: AbortSignal, prepares: boolean }} surroundings
 * @returns {Promise<Outcome>}
 */
async function workOf({ name, options }, surroundings) {
  const script = await SCRIPTS.get(name)?.();
  if (script) return script(options, surroundings);
  const { runOnDatabase } = await import('../service-command.js');
  return runOnDatabase(name, options, surroundings);
}

/** Returns whether commander has printed help or a fault. @param {unknown} error */
function isUsage(error) {
  return error instanceof Error && error.name === 'CommanderError';
}

/** @param {any} error @param {boolean} json */
function usageCode({ exitCode, code, message }, json) {
  if (exitCode === 0) return 0;
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } }, null, 2)}\n`);
  return EXIT_USAGE;
}
