// @ts-check
import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { note } from '../progress.js';
import { copyFile, digestOf, filesIn, forEachOf, giveToOwner, linkOrCopy, placeFile } from './copies.js';

/** @typedef {import('./copies.js').Entry} Entry */
/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {{ filesDir: string | null, checkpointFile: string }} Places `filesDir`: null if all files are in an object store */
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
 * never changed, so each row of that copy has its file. Links files that an earlier backup has, so the backup also contains
 * stored files that were damaged or lost since then.
 * @param {Places} source
 * @param {{ target: string, earlier: readonly Backup[], keys: readonly string[], signal: AbortSignal }} options `earlier`:
 * newest first; `keys`: of the files that the database names
 * @returns {Promise<Copied>}
 */
export async function copyFiles({ filesDir, checkpointFile }, { target, earlier, keys, signal }) {
  /** @type {Copied} */
  const copied = { entries: [], linked: new Set(), damaged: [], missing: [], lacking: [] };
  const stored = new Map(storedIn(filesDir).map(({ path, bytes }) => [basename(path), bytes]));
  const named = filesDir === null ? [] : keys.filter((key) => !stored.has(key)).map((key) => ({ key, bytes: 0 }));
  const files = [...[...stored].map(([key, bytes]) => ({ key, bytes })), ...named];
  await forEachOf(files, { name: 'copying the files', signal }, async ({ key }) => {
    const [source, path] = [join(filesDir ?? '', pathOf(key)), `${FILES}${pathOf(key)}`];
    const digest = stored.has(key) ? await digestOf(source).catch(() => undefined) : null;
    if (digest === null && !keys.includes(key)) return;
    const isWhole = digest?.sha256 === key;
    if (!isWhole) copied[digest === null ? 'missing' : 'damaged'].push(key);
    const copy = await findCopy(key, earlier);
    if (copy !== null) {
      await linkOrCopy(copy.source, join(target, path));
      copied.entries.push({ path, bytes: copy.bytes, sha256: key });
      copied.linked.add(path);
    } else if (isWhole) {
      await copyFile(source, join(target, path));
      copied.entries.push({ path, ...digest });
    } else {
      copied.lacking.push(key);
    }
  });
  const checkpoints = await copyFile(checkpointFile, join(target, CHECKPOINTS));
  if (checkpoints) copied.entries.push({ path: CHECKPOINTS, ...checkpoints });
  return copied;
}

/** An unreadable folder counts as empty, so all files that the database names are missing. @param {string | null} filesDir */
function storedIn(filesDir) {
  try {
    return filesDir === null ? [] : [...filesIn(filesDir)].filter(({ path }) => STORED.test(path));
  } catch (error) {
    note(`The stored files cannot be read: ${String(error)}`);
    return [];
  }
}

/**
 * Finds the copy of a file in the newest backup with an undamaged one.
 * @param {string} key
 * @param {readonly Backup[]} backups newest first
 */
async function findCopy(key, backups) {
  for (const { folder } of backups) {
    const source = join(folder, FILES, pathOf(key));
    const digest = await digestOf(source).catch(() => null);
    if (digest?.sha256 === key) return { source, bytes: digest.bytes };
  }
  return null;
}

/** Returns the path of a stored file. @param {string} key */
function pathOf(key) {
  return `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
}

/**
 * Restores missing or damaged files from a backup, and files that it lacks from other backups. Keeps files stored after the
 * backup. The checkpoints of the ledger are restored only if there are none: newer ones show which entries the restored
 * database lacks.
 * @param {Backup} backup
 * @param {Places & { others: readonly Backup[], signal: AbortSignal }} options
 * @returns {Promise<{ restored: number, present: number, omitted: number, missing: string[], checkpoints: boolean }>}
 * `omitted`:
 * files of the backup without a folder to restore them to; `missing`: keys of files that no backup has
 */
export async function restoreFiles(backup, { filesDir, checkpointFile, others, signal }) {
  const { entries, lacking, lost } = backup.manifest;
  const own = entries.filter(({ path }) => path.startsWith(FILES) && STORED.test(path.slice(FILES.length)));
  const files = [
    ...own.map(({ sha256, bytes }) => ({ key: sha256, bytes })),
    ...[...lacking, ...lost].map((key) => ({ key, bytes: 0 })),
  ];
  const counts = { restored: 0, present: 0, omitted: 0, missing: /** @type {string[]} */ ([]) };
  if (filesDir === null) {
    counts.omitted = own.length;
  } else {
    mkdirSync(filesDir, { recursive: true });
    await forEachOf(files, { name: 'restoring the files', signal }, async ({ key }) => {
      const existing = await digestOf(join(filesDir, pathOf(key)));
      if (existing?.sha256 === key) return void (counts.present += 1);
      const copy = await findCopy(key, [backup, ...others]);
      if (copy === null) return void counts.missing.push(key);
      await placeFile(copy.source, join(filesDir, pathOf(key)));
      counts.restored += 1;
    });
    giveToOwner(filesDir);
  }
  const checkpoints = existsSync(join(backup.folder, CHECKPOINTS)) && !existsSync(checkpointFile);
  if (checkpoints) {
    await placeFile(join(backup.folder, CHECKPOINTS), checkpointFile);
    const { uid, gid } = statSync(dirname(checkpointFile));
    if (process.getuid?.() === 0) chownSync(checkpointFile, uid, gid);
  }
  return { ...counts, checkpoints };
}
