// @ts-check
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from './launch-error.js';
import { codeOf, isAlive } from './processes.js';

/*
 * A lock file contains the id of the process that has the lock; that process updates the file's time until it releases the
 * lock. A lock is stale if its process has ended or no longer updates the time. The id alone is not sufficient, because
 * process ids are used again, in a restarted container immediately.
 */

const REFRESH_MS = 500;
/** Ten times the interval: a process on a busy machine may refresh its lock late. */
const OBSERVE_MS = 5_000;

/**
 * State of a lock file at one moment. The id is null while the file is being written.
 * @typedef {{ pid: number | null, mtimeMs: number }} Content
 */

/**
 * Acquires a lock without waiting for a process that has it.
 * @param {string} file
 * @returns {Promise<{ holder: number } | { holder: null, isStale: boolean, release: () => void }>} `holder`: the process
 * that has the lock; `isStale`: a killed process had the lock
 */
export async function acquireLock(file) {
  createFolder(dirname(file));
  let isStale = false;
  while (!create(file)) {
    const content = read(file);
    if (content === null) continue;
    const holder = await holderOf(file, content);
    if (holder !== null) return { holder };
    isStale = removeStale(file, content) || isStale;
  }
  const timer = setInterval(() => refresh(file), REFRESH_MS).unref();
  const release = () => {
    clearInterval(timer);
    if (read(file)?.pid === process.pid) rmSync(file, { force: true });
  };
  return { holder: null, isStale, release };
}

/**
 * Does work that two processes must not do at the same time: the second one waits.
 * @param {string} file
 * @param {() => Promise<void>} work
 */
export async function withLock(file, work) {
  let lock = await acquireLock(file);
  for (; lock.holder !== null; lock = await acquireLock(file)) await delay(200);
  try {
    await work();
  } finally {
    lock.release();
  }
}

/**
 * Returns the process that has a lock, without acquiring it.
 * @param {string} file
 * @returns {Promise<number | null>}
 */
export async function lockHolder(file) {
  const content = read(file);
  return content && holderOf(file, content);
}

/**
 * Returns the processes that have one of the locks in a folder.
 * @param {string} folder
 * @returns {Promise<number[]>}
 */
export async function lockHolders(folder) {
  const holders = await Promise.all(namesIn(folder).map((name) => lockHolder(join(folder, name))));
  return holders.filter((pid) => pid !== null);
}

/**
 * Node.js creates a path of several folders in an endless loop where the system allows no folder, such as below /proc.
 * @param {string} path
 */
function createFolder(path) {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new LaunchError(
      `${path} cannot be created: its file system has no folders of users.`,
      'Set DATA_DIR to a folder elsewhere.',
    );
  }
}

/** @param {string} file */
function create(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** @param {string} file */
function refresh(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch (error) {
    // `npm run reset` or a person may delete the data folder; the service then fails anyway.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Observes the file until its process refreshes it; null if it does not.
 * @param {string} file
 * @param {Content} content
 * @returns {Promise<number | null>}
 */
async function holderOf(file, content) {
  const deadline = performance.now() + OBSERVE_MS;
  while (performance.now() < deadline) {
    if (content.pid === process.pid || (content.pid !== null && !isAlive(content.pid))) return null;
    await delay(50);
    const next = read(file);
    if (next === null) return null;
    if (next.mtimeMs !== content.mtimeMs && next.pid !== null) return next.pid;
  }
  return null;
}

/**
 * Renames before it deletes: of two processes that find the same stale lock, the slower one must not delete the lock
 * that the faster one has acquired since.
 * @param {string} file
 * @param {Content} stale
 * @returns {boolean} whether it was still that lock
 */
function removeStale(file, stale) {
  const removed = `${file}.${process.pid}`;
  try {
    renameSync(file, removed);
  } catch {
    return false;
  }
  const content = read(removed);
  const isSame = content?.pid === stale.pid && content?.mtimeMs === stale.mtimeMs;
  if (isSame) rmSync(removed, { force: true });
  else renameSync(removed, file);
  return isSame;
}

/** @param {string} file @returns {Content | null} */
function read(file) {
  try {
    return { pid: Number(readFileSync(file, 'utf8')) || null, mtimeMs: statSync(file).mtimeMs };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw error;
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.lock'));
  } catch {
    return [];
  }
}
