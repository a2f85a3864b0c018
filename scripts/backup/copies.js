// @ts-check
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../processes.js';

/**
 * A file of a backup. `path` is relative and has forward slashes.
 * @typedef {{ path: string, bytes: number, sha256: string }} Entry
 */
/** @typedef {{ path: string, bytes: number }} Listed */

const AT_A_TIME = 4;
const CHUNK_BYTES = 256 * 1024;

/**
 * The files below a folder. A folder that does not exist, or was deleted meanwhile, has none.
 * @param {string} folder
 * @param {(path: string) => boolean} [wanted]
 * @returns {Listed[]}
 */
export function listFiles(folder, wanted = () => true) {
  return [...filesBelow(folder, '', wanted)];
}

/**
 * @param {string} folder
 * @param {string} below the part of it that is listed: empty, or with `/` at its end
 * @param {(path: string) => boolean} wanted
 * @returns {Generator<Listed>}
 */
function* filesBelow(folder, below, wanted) {
  for (const entry of entriesOf(join(folder, below))) {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, `${path}/`, wanted);
    if (!entry.isFile() || !wanted(path)) continue;
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    if (found) yield { path, bytes: found.size };
  }
}

/**
 * What is below a folder and neither a file nor a folder, such as symbolic links.
 * @param {string} folder
 * @returns {string[]}
 */
export function listIrregular(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isFile() && !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** The names in a folder, none if it does not exist. @param {string} folder */
export function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  }
}

/** @param {readonly Listed[]} files */
export function bytesOf(files) {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Does the work for each item, a few at a time. After an error no further item is started.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} work
 * @param {AbortSignal} [signal]
 */
export async function forEachOf(items, work, signal) {
  let next = 0;
  let failed = false;
  const worker = async () => {
    for (;;) {
      signal?.throwIfAborted();
      const item = items[next];
      next += 1;
      if (failed || next > items.length) return;
      try {
        await work(/** @type {T} */ (item));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: AT_A_TIME }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * Copies a file and waits until the copy is on the disk.
 * @param {string} source
 * @param {string} target it must not exist; its folder is created
 * @returns {Promise<{ bytes: number, sha256: string } | null>} null if the source no longer exists
 */
export async function copyFile(source, target) {
  const from = await openIfExists(source);
  if (from === null) return null;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const to = await open(target, 'wx', 0o600);
    try {
      const copied = await readAll(from, (chunk) => to.writeFile(chunk));
      await to.sync();
      return copied;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * The size and the hash of a file; null if it does not exist.
 * @param {string} file
 * @returns {Promise<{ bytes: number, sha256: string } | null>}
 */
export async function digestOf(file) {
  const from = await openIfExists(file);
  if (from === null) return null;
  try {
    return await readAll(from, async () => undefined);
  } finally {
    await from.close();
  }
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
 * Puts a file in its place when its copy is complete, with the owner of the folder that contains all of them.
 * @param {string} source
 * @param {{ root: string, path: string }} target
 */
export async function placeFile(source, { root, path }) {
  const target = join(root, path);
  const owner = statSync(root);
  for (const folder of missingFolders(dirname(target))) {
    mkdirSync(folder, { mode: owner.mode & 0o777 });
    if (process.getuid?.() === 0) chownSync(folder, owner.uid, owner.gid);
  }
  const draft = `${target}.restored-${process.pid}`;
  try {
    await rm(draft, { force: true });
    await copyFile(source, draft);
    if (process.getuid?.() === 0) chownSync(draft, owner.uid, owner.gid);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The folders that do not exist, outermost first. @param {string} folder @returns {string[]} */
function missingFolders(folder) {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder];
}

/** @param {string} file */
async function openIfExists(file) {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * @param {import('node:fs/promises').FileHandle} file
 * @param {(chunk: Buffer) => Promise<void>} use
 */
async function readAll(file, use) {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await use(chunk);
    bytes += bytesRead;
  }
}
