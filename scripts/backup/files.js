// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { note } from '../progress.js';
import { bytesOf, copyFile, digestOf, forEachOf, linkOrCopy, listFiles, placeFile } from './copies.js';
import { progressOf } from './progress.js';

/** @typedef {import('./copies.js').Entry} Entry */
/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {{ filesDir: string | null, checkpointFile: string }} Places `filesDir`: null if all files are in an object store */
/**
 * @typedef {object} CopyOptions
 * @property {string} target
 * @property {readonly Backup[]} earlier newest first
 * @property {readonly string[]} keys of the files that the database names
 * @property {AbortSignal} signal
 */
/**
 * @typedef {object} Copied
 * @property {Entry[]} entries
 * @property {Set<string>} linked paths of files that were taken from an earlier backup, and verified there
 * @property {string[]} damaged keys of stored files whose content does not fit, or cannot be read
 * @property {string[]} missing keys of files that the database names and that are not stored
 * @property {string[]} lacking those of both that are not in the backup, because no earlier one has them
 */

/** The folder of the files in a backup, and the copy of the ledger's checkpoints beside it. */
const FILES = 'files/';
const CHECKPOINTS = 'ledger-checkpoints.jsonl';
/** A stored file has the hash of its content as its name; drafts have longer ones. */
const STORED = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/;

/**
 * Copies the stored files. Called after the copy of the database: a file is stored before the row that refers to it and is
 * never changed, so each row of that copy has its file. A file that an earlier backup has is linked; so a stored file that was
 * damaged or lost since then is in the backup all the same.
 * @param {Places} source
 * @param {CopyOptions} options
 * @returns {Promise<Copied>}
 */
export async function copyFiles({ filesDir, checkpointFile }, options) {
  /** @type {Copied} */
  const copied = { entries: [], linked: new Set(), damaged: [], missing: [], lacking: [] };
  if (filesDir !== null) {
    await copyStored(filesDir, options, copied);
    await addMissing(options, copied);
  }
  const checkpoints = await copyFile(checkpointFile, join(options.target, CHECKPOINTS));
  if (checkpoints) copied.entries.push({ path: CHECKPOINTS, ...checkpoints });
  return copied;
}

/** @param {string} filesDir @param {CopyOptions} options @param {Copied} copied */
async function copyStored(filesDir, options, copied) {
  const files = storedIn(filesDir);
  const progress = progressOf('copying the files', bytesOf(files));
  await forEachOf(
    files,
    async ({ path, bytes }) => {
      const [key, source, target] = [basename(path), join(filesDir, path), join(options.target, FILES, path)];
      const digest = await digestOf(source).catch(() => undefined);
      progress.add(bytes);
      if (digest === null) return;
      const isWhole = digest?.sha256 === key;
      if (!isWhole) copied.damaged.push(key);
      if (await linkEarlier(key, options, copied)) return;
      if (isWhole) {
        const copy = await copyFile(source, target);
        if (copy?.sha256 === key) copied.entries.push({ path: `${FILES}${path}`, ...copy });
        if (copy !== null && copy.sha256 !== key) throw new Error(`${source} changes while it is read`);
      } else {
        copied.lacking.push(key);
      }
    },
    options.signal,
  );
  progress.end();
}

/** A folder that cannot be read has no files: what the database names is then missing. @param {string} filesDir */
function storedIn(filesDir) {
  try {
    return listFiles(filesDir, (path) => STORED.test(path));
  } catch (error) {
    note(`The stored files cannot be read: ${String(error)}`);
    return [];
  }
}

/** @param {CopyOptions} options @param {Copied} copied */
async function addMissing(options, copied) {
  const found = new Set([...copied.entries.map(({ path }) => basename(path)), ...copied.damaged]);
  for (const key of options.keys) {
    if (found.has(key)) continue;
    options.signal.throwIfAborted();
    copied.missing.push(key);
    if (!(await linkEarlier(key, options, copied))) copied.lacking.push(key);
  }
}

/**
 * Takes a file from the newest backup that has it undamaged.
 * @param {string} key
 * @param {CopyOptions} options
 * @param {Copied} copied
 * @returns {Promise<boolean>} false if there is none
 */
async function linkEarlier(key, { target, earlier }, { entries, linked }) {
  const copy = await findCopy(key, earlier);
  if (copy === null) return false;
  const path = `${FILES}${pathOf(key)}`;
  await linkOrCopy(copy.source, join(target, path));
  entries.push({ path, bytes: copy.bytes, sha256: key });
  linked.add(path);
  return true;
}

/** @param {string} key @param {readonly Backup[]} backups @returns {Promise<{ source: string, bytes: number } | null>} */
async function findCopy(key, backups) {
  for (const { folder } of backups) {
    const source = join(folder, FILES, pathOf(key));
    const digest = await digestOf(source).catch(() => null);
    if (digest?.sha256 === key) return { source, bytes: digest.bytes };
  }
  return null;
}

/** The path of a stored file. @param {string} key */
function pathOf(key) {
  return `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
}

/**
 * Adds the files of a backup that are missing or damaged. Files that were stored after the backup stay. The checkpoints of
 * the ledger are restored only if there are none: newer ones show which entries the restored database lacks.
 * @param {Backup} backup
 * @param {Places & { signal: AbortSignal }} options
 * @returns {Promise<{ restored: number, present: number, omitted: number, checkpoints: boolean }>} `omitted`: files of the
 *   backup without a folder to restore them to
 */
export async function restoreFiles({ folder, manifest }, { filesDir, checkpointFile, signal }) {
  const files = manifest.entries.filter(({ path }) => STORED.test(path.slice(FILES.length)));
  const counts =
    filesDir === null
      ? { restored: 0, present: 0, omitted: files.length }
      : { ...(await restoreMissing(files, { from: folder, to: filesDir, signal })), omitted: 0 };
  const checkpoints = existsSync(join(folder, CHECKPOINTS)) && !existsSync(checkpointFile);
  if (checkpoints) {
    mkdirSync(dirname(checkpointFile), { recursive: true });
    const place = { root: dirname(checkpointFile), path: basename(checkpointFile) };
    await placeFile(join(folder, CHECKPOINTS), place);
  }
  return { ...counts, checkpoints };
}

/**
 * Adds files that the restored database names and that are not stored, from any backup: a database that is restored to a point in
 * time after its backup names files that only later backups have.
 * @param {readonly string[]} keys
 * @param {{ filesDir: string | null, backups: readonly Backup[], signal: AbortSignal }} options
 * @returns {Promise<{ added: number, missing: string[] }>} `missing`: the keys of those that no backup has
 */
export async function restoreNeeded(keys, { filesDir, backups, signal }) {
  /** @type {string[]} */
  const missing = [];
  let added = 0;
  const absent = keys.filter((key) => filesDir !== null && !existsSync(join(filesDir, pathOf(key))));
  for (const key of absent) {
    signal.throwIfAborted();
    const copy = await findCopy(key, backups);
    if (copy === null || filesDir === null) {
      missing.push(key);
    } else {
      await placeStored(copy.source, { root: filesDir, path: pathOf(key) });
      added += 1;
    }
  }
  return { added, missing };
}

/** @param {string} source @param {{ root: string, path: string }} target */
async function placeStored(source, { root, path }) {
  await placeFile(source, { root, path });
  chmodSync(join(root, path), 0o640);
}

/** @param {Entry[]} files @param {{ from: string, to: string, signal: AbortSignal }} options */
async function restoreMissing(files, { from, to, signal }) {
  mkdirSync(to, { recursive: true });
  const progress = progressOf('restoring the files', bytesOf(files));
  let [restored, present] = [0, 0];
  await forEachOf(
    files,
    async ({ path, bytes, sha256 }) => {
      const stored = path.slice(FILES.length);
      const existing = await digestOf(join(to, stored));
      if (existing?.sha256 === sha256) {
        present += 1;
      } else {
        await placeStored(join(from, path), { root: to, path: stored });
        restored += 1;
      }
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  return { restored, present };
}
