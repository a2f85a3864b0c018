// @ts-check
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bytesOf, copyFile, digestOf, forEachOf, linkOrCopy, listFiles, placeFile } from './copies.js';
import { progressOf } from './progress.js';

/** @typedef {import('./copies.js').Entry} Entry */
/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {{ target: string, previous: Backup | undefined, signal: AbortSignal }} CopyOptions */
/** @typedef {{ filesDir: string | null, checkpointFile: string }} Places `filesDir`: null if all files are in an object store */

/** The folder of the files in a backup, and the copy of the ledger's checkpoints beside it. */
const FILES = 'files/';
const CHECKPOINTS = 'ledger-checkpoints.jsonl';
/** A stored file has the hash of its content as its name; drafts have longer ones. */
const STORED = /^[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/;

/**
 * Copies the stored files. Called after the copy of the database: a file is stored before the row that refers to it and is
 * never changed, so each row of that copy has its file. A file that an earlier backup has too is linked.
 * @param {Places} source
 * @param {CopyOptions} options
 * @returns {Promise<{ entries: Entry[], damaged: string[] }>} `damaged`: files whose content does not fit their name
 */
export async function copyFiles({ filesDir, checkpointFile }, options) {
  const entries = filesDir === null ? [] : await copyStored(filesDir, options);
  const damaged = entries.filter(({ path, sha256 }) => basename(path) !== sha256).map(({ path }) => path);
  const checkpoints = await copyFile(checkpointFile, join(options.target, CHECKPOINTS));
  if (checkpoints) entries.push({ path: CHECKPOINTS, ...checkpoints });
  return { entries, damaged };
}

/** @param {string} filesDir @param {CopyOptions} options */
async function copyStored(filesDir, { target, previous, signal }) {
  const known = new Map(previous?.manifest.entries.map((entry) => [entry.path, entry]));
  const files = listFiles(filesDir, (path) => STORED.test(path));
  const progress = progressOf('copying the files', bytesOf(files));
  /** @type {Entry[]} */
  const entries = [];
  await forEachOf(
    files,
    async ({ path, bytes }) => {
      const name = `${FILES}${path}`;
      const linked = known.get(name);
      if (previous && linked?.bytes === bytes && existsSync(join(previous.folder, name))) {
        await linkOrCopy(join(previous.folder, name), join(target, name));
        entries.push(linked);
      } else {
        const copied = await copyFile(join(filesDir, path), join(target, name));
        if (copied) entries.push({ path: name, ...copied });
      }
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  return entries;
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
  const files = manifest.entries.filter(({ path }) => path.startsWith(FILES));
  const counts =
    filesDir === null
      ? { restored: 0, present: 0, omitted: files.length }
      : { ...(await addMissing(files, { from: folder, to: filesDir, signal })), omitted: 0 };
  const checkpoints = existsSync(join(folder, CHECKPOINTS)) && !existsSync(checkpointFile);
  if (checkpoints) await copyFile(join(folder, CHECKPOINTS), checkpointFile);
  return { ...counts, checkpoints };
}

/** @param {Entry[]} files @param {{ from: string, to: string, signal: AbortSignal }} options */
async function addMissing(files, { from, to, signal }) {
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
        await placeFile(join(from, path), { root: to, path: stored });
        chmodSync(join(to, stored), 0o640);
        restored += 1;
      }
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  return { restored, present };
}
