// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The unit of times in /proc/<pid>/stat on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100;

/**
 * Whether a process with this id exists and has not ended. One that ended but was never waited for (a container
 * whose first process collects nobody) still has its id: it counts as ended.
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
 * Tells a process from a later one with the same id: ids are used again, after a restart of a container at once.
 * @param {number} pid
 * @returns {string | null} null when there is no such process
 */
export function birthOf(pid) {
  const stat = statOf(pid);
  if (stat) return `${bootId()}/${stat[19]}`;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() || null;
  } catch {
    return null;
  }
}

/**
 * Whether the very process that was noted down is still there.
 * @param {{ pid: number, birth: string | null }} noted
 */
export function isStillThere({ pid, birth }) {
  return isAlive(pid) && birthOf(pid) === birth;
}

/** What to note down about this process, so that another one can ask `isStillThere`. */
export function noteOfThisProcess() {
  return { pid: process.pid, birth: birthOf(process.pid) };
}

/**
 * Waits until a process has ended.
 * @param {number} pid
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} false when it is still there after that time
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
 * The `code` of an error that Node threw ("ENOENT"), or of a refusal by PostgreSQL ("57P03").
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  return error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : '';
}

/**
 * The fields of /proc/<pid>/stat from the state on (the name before it may hold blanks and brackets).
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
 * CPU seconds of all child processes that have ended, with their own children. Null where the system does not report it
 * in /proc.
 * @returns {number | null}
 */
export function cpuSecondsOfChildren() {
  const stat = statOf(process.pid);
  return stat && (Number(stat[13]) + Number(stat[14])) / TICKS_PER_SECOND;
}

function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
