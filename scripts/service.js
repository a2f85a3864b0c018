// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleIsCurrent } from './bundle/build-stamp.js';
import { dataFolder, ROOT } from './environment.js';
import { isFree } from './ports.js';
import { LaunchError } from './launch-error.js';
import { acquireLock } from './lock.js';
import { startTimeOf } from './processes.js';
import { step } from './progress.js';

const STOPPED_WITHIN_MS = 30_000;

/** The folder of the locks that running services have, one for each port. */
export function serviceLocks() {
  return join(dataFolder(), 'run');
}

/** @param {number} port */
export function serviceLock(port) {
  return join(serviceLocks(), `${port}.lock`);
}

/**
 * The program of the built service: the bundle, unless it was made from another build.
 * @param {string} [root]
 */
export function serviceProgram(root = ROOT) {
  return bundleIsCurrent(root) ? join(root, 'dist/service/start.cjs') : join(root, 'dist/src/main.js');
}

/**
 * The command of a service that stops when this process ends.
 * @param {string} program
 * @param {...string} options of Node.js
 */
export function serviceCommand(program, ...options) {
  const preload = pathToFileURL(join(ROOT, 'scripts/stop-with-launcher.js')).href;
  return [process.execPath, ...options, '--import', preload, program];
}

/** @param {NodeJS.ProcessEnv} environment */
export function serviceEnvironment(environment) {
  return { ...environment, LAUNCHER_PID: String(process.pid) };
}

/**
 * Locks the service's port for this start.
 * @returns {Promise<() => void>} releases the lock
 * @throws {LaunchError} the service is already running, or another program uses the port
 */
export async function lockPort() {
  const port = Number(process.env.PORT || 3000);
  // 0 selects any free port, and the service itself rejects an invalid one.
  const isKnown = Number.isInteger(port) && port > 0 && port < 65536;
  const lock = await acquireLock(isKnown ? serviceLock(port) : join(serviceLocks(), `process-${process.pid}.lock`));
  if (lock.holder !== null) {
    throw new LaunchError(
      `The service is already running from this folder on port ${port} (process ${lock.holder}).`,
      `Stop it with Ctrl-C where it was started or \`kill ${lock.holder}\`; \`PORT=${port + 1} npm start\` starts another one beside it.`,
    );
  }
  try {
    if (isKnown) await ensureFree(port, { wait: lock.isStale });
    return lock.release;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @param {number} port @param {{ wait: boolean }} options `wait`: for the service of a start that was killed */
async function ensureFree(port, { wait }) {
  const free = () => isFree(port, process.env.HOST || undefined);
  if (await free()) return;
  if (wait) {
    if (await step('waiting for the service of a killed start to stop', () => becomesFree(free))) return;
    rejectHangingService(port);
  }
  throw new LaunchError(
    `Port ${port} is in use by another program.`,
    `End that program, or choose another port: \`PORT=${port + 1} npm start\`.`,
  );
}

/**
 * The service stops by itself when its launcher was killed, unless it hangs.
 * @param {number} port
 */
function rejectHangingService(port) {
  const pid = lastServiceOf(dataFolder());
  if (pid === null) return;
  throw new LaunchError(
    `The service of a killed start (process ${pid}) does not stop and still uses port ${port}.`,
    `End it with \`kill -9 ${pid}\` and start again.`,
  );
}

/**
 * The last service that was started on a data folder, if it still runs.
 * @param {string} folder
 * @returns {number | null}
 */
function lastServiceOf(folder) {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(join(folder, 'serving.json'), 'utf8'));
    return Number.isInteger(pid) && startTimeOf(pid) === startedAt ? pid : null;
  } catch {
    // Production writes no such file.
    return null;
  }
}

/** @param {() => Promise<boolean>} free */
async function becomesFree(free) {
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  while (Date.now() < deadline) {
    if (await free()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
