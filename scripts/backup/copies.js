// @ts-check
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { chmod, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../processes.js';
import { progressOf } from './progress.js';

/**
 * A file of a backup. `path` is relative and has forward slashes.
 * @typedef {{ path: string, bytes: number, sha256: string }} Entry
 */
/** @typedef {{ path: string, bytes: number }} Listed */

const AT_A_TIME = 4;
const CHUNK_BYTES = 256 * 1024;

/**
 * Lists the files below a folder. A folder that does not exist, or was deleted meanwhile, has none.
 * @param {string} folder
 * @param {string} [below] the part of it that is listed: empty, or with `/` at its end
 * @returns {Generator<Listed & { isFile: boolean }>} `isFile`: false for symbolic links and other special entries
 */
export function* filesIn(folder, below = '') {
  for (const entry of ifExists(() => readdirSync(join(folder, below), { withFileTypes: true })) ?? []) {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory()) {
      yield* filesIn(folder, `${path}/`);
    } else {
      const bytes = entry.isFile() ? statSync(join(folder, path), { throwIfNoEntry: false })?.size : 0;
      if (bytes !== undefined) yield { path, bytes, isFile: entry.isFile() };
    }
  }
}

/** Lists the names in a folder; none if it does not exist. @param {string} folder @returns {string[]} */
export function namesIn(folder) {
  return ifExists(() => readdirSync(folder)) ?? [];
}

/** @template T @param {() => T} read @returns {T | null} */
function ifExists(read) {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @param {readonly { bytes: number }[]} files */
export function bytesOf(files) {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Processes each file, a few at a time, and shows its progress. Starts no further file after an error.
 * @template {{ bytes: number }} T
 * @param {readonly T[]} files
 * @param {{ name: string, signal?: AbortSignal }} options `name`: of the work
 * @param {(file: T) => Promise<void>} work
 */
export async function forEachOf(files, { name, signal }, work) {
  const progress = progressOf(name, bytesOf(files));
  // An error in one loop closes the generator, which ends the other loops.
  const queue = (function* () {
    yield* files;
  })();
  const worker = async () => {
    for (const file of queue) {
      signal?.throwIfAborted();
      await work(file);
      progress.add(file.bytes);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: AT_A_TIME }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  progress.end();
}

/**
 * Copies a file and waits until the copy is on the disk.
 * @param {string} source
 * @param {string} target it must not exist; its folder is created
 * @returns {Promise<{ bytes: number, sha256: string } | null>} null if the source does not exist
 */
export async function copyFile(source, target) {
  return reading(source, async (chunks) => {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const to = await open(target, 'wx', 0o600);
    try {
      const copied = await digestOfAll(chunks, (chunk) => to.writeFile(chunk));
      await to.sync();
      return copied;
    } finally {
      await to.close();
    }
  });
}

/**
 * Returns the size and the hash of a file; null if it does not exist.
 * @param {string} file
 * @returns {Promise<{ bytes: number, sha256: string } | null>}
 */
export async function digestOf(file) {
  return reading(file, (chunks) => digestOfAll(chunks));
}

/**
 * Gives a complete file its second name, or copies it where the file system has no hard links.
 * @param {string} source
 * @param {string} target
 */
export async function linkOrCopy(source, target) {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  try {
    await link(source, target);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error))) throw error;
    await copyFile(source, target);
  }
}

/**
 * Puts a file in its place when its copy is complete.
 * @param {string} source
 * @param {string} target
 */
export async function placeFile(source, target) {
  mkdirSync(dirname(target), { recursive: true, mode: 0o750 });
  const draft = `${target}.restored-${process.pid}`;
  try {
    await rm(draft, { force: true });
    await copyFile(source, draft);
    await chmod(draft, 0o640);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Makes the owner of a folder the owner of its contents, because root may have restored them. @param {string} folder */
export function giveToOwner(folder) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  for (const path of readdirSync(folder, { encoding: 'utf8', recursive: true }))
    chownSync(join(folder, path), uid, gid);
}

/**
 * @template T
 * @param {string} file
 * @param {(chunks: AsyncIterable<Buffer>) => Promise<T>} work
 * @returns {Promise<T | null>} null if the file does not exist
 */
async function reading(file, work) {
  const handle = await open(file, 'r').catch((error) => (codeOf(error) === 'ENOENT' ? null : Promise.reject(error)));
  if (handle === null) return null;
  try {
    return await work(handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }));
  } finally {
    await handle.close();
  }
}

/**
 * @param {AsyncIterable<Buffer>} chunks
 * @param {(chunk: Buffer) => Promise<void>} [use]
 */
async function digestOfAll(chunks, use) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    await use?.(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
