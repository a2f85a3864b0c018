// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The unit of times in /proc/<pid>/stat on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100;

/**
 * Returns whether a process with this id exists and has not ended. A zombie (in a container whose first process does not wait
 * for orphans) still has its id, but has ended.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return statOf(pid)?.[0] !== 'Z';
}

/**
 * Waits until a process has ended.
 * @param {number} pid
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} false if it still runs after that time
 */
export async function ended(pid, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(25);
  }
  return true;
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * Returns the `code` of an error of Node ("ENOENT") or of PostgreSQL ("57P03").
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  return error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : '';
}

/**
 * Returns the fields of /proc/<pid>/stat from the state on (the name before it may contain blanks and brackets).
 * @param {number} pid
 */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/**
 * Returns the start time of a process as the system prints it, which distinguishes it from a later one with the same id; null
 * if it has ended. The service's serving.json has the same form.
 * @param {number} pid
 * @returns {string | null}
 */
export function startTimeOf(pid) {
  const stat = statOf(pid);
  if (stat) return stat[0] === 'Z' ? null : (stat[19] ?? null);
  return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || null;
}

/**
 * Returns the CPU seconds of all ended child processes and their children; null if the system does not report it in /proc.
 * @returns {number | null}
 */
export function cpuSecondsOfChildren() {
  const stat = statOf(process.pid);
  return stat && (Number(stat[13]) + Number(stat[14])) / TICKS_PER_SECOND;
}
