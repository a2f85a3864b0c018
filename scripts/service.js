// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleIsCurrent } from './bundle/build-stamp.js';
import { dataFolder, ROOT } from './environment.js';
import { LaunchError } from './launch-error.js';
import { acquireLock, lockHolder } from './lock.js';
import { listenFault } from './ports.js';
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
 * Returns the program of the built service: the bundle, unless it was made from another build.
 * @param {string} [root]
 */
export function serviceProgram(root = ROOT) {
  return bundleIsCurrent(root) ? join(root, 'dist/service/start.cjs') : join(root, 'dist/src/main.js');
}

/**
 * Returns the command of a service that stops when this process ends.
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

/** Returns the port of the service; null if any free one is selected, or if the service rejects an invalid one. */
function knownPort() {
  const port = Number(process.env.PORT || 3000);
  return Number.isInteger(port) && port > 0 && port < 65536 ? port : null;
}

/** The address that the service listens on. */
function listenAddress() {
  return process.env.HOST?.trim() || '127.0.0.1';
}

/**
 * Rejects a start before it installs anything. Leaves the port of a killed start to `lockPort`, which waits for it.
 * @throws {LaunchError} the service is already running, or cannot listen on its port
 */
export async function rejectUnusablePort() {
  const port = knownPort();
  if (port === null) return;
  const holder = await lockHolder(serviceLock(port));
  if (holder !== null) throw alreadyRunning(port, holder);
  const fault = existsSync(serviceLock(port)) ? null : await listenFault(port, listenAddress());
  if (fault !== null) throw unusablePort(port, fault);
}

/**
 * Locks the service's port for this start.
 * @returns {Promise<() => void>} releases the lock
 * @throws {LaunchError} the service is already running, or cannot listen on its port
 */
export async function lockPort() {
  const port = knownPort();
  const name = port === null ? `process-${process.pid}.lock` : `${port}.lock`;
  const lock = await acquireLock(join(serviceLocks(), name));
  if (lock.holder !== null) throw alreadyRunning(Number(port), lock.holder);
  try {
    if (port !== null) await ensureUsable(port, { wait: lock.isStale });
    return lock.release;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @param {number} port @param {{ wait: boolean }} options `wait`: for the service of a start that was killed */
async function ensureUsable(port, { wait }) {
  const fault = await listenFault(port, listenAddress());
  if (fault === null) return;
  if (wait && fault === 'EADDRINUSE') {
    const free = async () => (await listenFault(port, listenAddress())) === null;
    if (await step('waiting for the service of a killed start to stop', () => becomesFree(free))) return;
    rejectHangingService(port);
  }
  throw unusablePort(port, fault);
}

/** @param {number} port @param {number} pid */
function alreadyRunning(port, pid) {
  return new LaunchError(
    `The service is already running from this folder on port ${port} (process ${pid}).`,
    `Stop it with Ctrl-C where it was started or \`kill ${pid}\`; \`PORT=${port + 1} npm start\` starts another one beside it.`,
  );
}

/** @param {number} port @param {string} fault */
function unusablePort(port, fault) {
  const another = `choose another port: \`PORT=${port + 1} npm start\`.`;
  if (fault === 'EADDRINUSE') {
    return new LaunchError(`Port ${port} is in use by another program.`, `End that program, or ${another}`);
  }
  if (fault === 'EACCES') {
    return new LaunchError(
      `This user may not listen on port ${port}.`,
      'Choose a port above 1023: `PORT=3000 npm start`.',
    );
  }
  return new LaunchError(
    `The service cannot listen on ${listenAddress()} (${fault}).`,
    'Set HOST to an address of this machine, or unset it for 127.0.0.1.',
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
 * Returns the last service that was started on a data folder, if it still runs.
 * @param {string} folder
 * @returns {number | null}
 */
function lastServiceOf(folder) {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(join(folder, 'serving.json'), 'utf8'));
    return Number.isInteger(pid) && startTimeOf(pid) === startedAt ? pid : null;
  } catch {
    // Production does not write this file.
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
