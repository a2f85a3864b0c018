// @ts-check
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { acquireLock } from '../lock.js';
import { codeOf, isAlive } from '../processes.js';
import { copyFile, digestOf, filesIn, forEachOf, linkOrCopy, namesIn } from './copies.js';
import { manifestFrom } from './manifest.js';

/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {{ name: string, folder: string, manifest: Manifest }} Backup */
/**
 * Writes the files of a backup into a folder. `linked` are paths of files of earlier backups, which it has verified.
 * @typedef {(folder: string) => Promise<{ manifest: Manifest, linked: ReadonlySet<string> }>} Fill
 */

const MANIFEST = 'manifest.json';
const NAME = /^\d{8}T\d{6}Z$/;
const UNFINISHED = /^\d{8}T\d{6}Z\.(?:draft|deleted)-(\d+)$/;

/** The folder of all backups (BACKUP_DIR). A backup gets its name when it is complete. */
export class BackupStore {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /**
   * Does work that no other process may do on this folder at the same time.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async exclusively(work) {
    createFolder(this.folder);
    const lock = await acquireLock(join(this.folder, 'backup.lock'));
    if (lock.holder !== null) {
      throw new LaunchError(
        `Another process (${lock.holder}) is making or restoring a backup in ${this.folder}.`,
        'Wait until it has ended.',
        { exitCode: 1 },
      );
    }
    try {
      this.#removeUnfinished();
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Returns the readable backups, oldest first. @returns {Backup[]} */
  list() {
    return this.#names().flatMap((name) => {
      const backup = this.#find(name);
      return backup instanceof Error ? [] : [backup];
    });
  }

  /** Returns the names of unreadable backups, which are neither counted nor deleted. */
  unreadable() {
    return this.#names().filter((name) => this.#find(name) instanceof Error);
  }

  #names() {
    return namesIn(this.folder)
      .filter((name) => NAME.test(name))
      .sort();
  }

  /** @param {string} name @returns {Backup} */
  get(name) {
    const found = NAME.test(name) ? this.#find(name) : null;
    if (found !== null && !(found instanceof Error)) return found;
    const known = this.list().map((backup) => backup.name);
    throw new LaunchError(
      `There is no backup ${name} in ${this.folder}.`,
      known.length === 0 ? 'Correct BACKUP_DIR or --from.' : `Choose one of ${known.join(', ')}.`,
      { detail: found?.message ?? '' },
    );
  }

  /** @param {string} name @returns {Backup | Error} */
  #find(name) {
    const folder = join(this.folder, name);
    try {
      return { name, folder, manifest: manifestFrom(readFileSync(join(folder, MANIFEST), 'utf8')) };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /**
   * Creates a backup: `fill` writes its files into a draft, which is renamed when it and its manifest are on the disk and were
   * read again.
   * @param {Date} startedAt
   * @param {Fill} fill
   * @param {AbortSignal} signal
   * @returns {Promise<Backup>}
   */
  async create(startedAt, fill, signal) {
    return this.#publish(this.#nameAt(startedAt), fill, signal);
  }

  /**
   * Copies a backup of another folder under its own name. Keeps undamaged files that this folder already has: a whole copy, or
   * files of other backups, which get a second name. Replaces a damaged copy when the new one is complete.
   * @param {Backup} source
   * @param {AbortSignal} signal
   * @returns {Promise<{ backup: Backup, wasPresent: boolean }>}
   * @throws {LaunchError} a file of the source is damaged, or another backup has the name
   */
  async add({ name, folder, manifest }, signal) {
    const present = this.#find(name);
    if (!(present instanceof Error)) {
      if (!isDeepStrictEqual(present.manifest, manifest)) {
        throw new LaunchError(
          `${this.folder} contains another backup with the name ${name}.`,
          'Choose a separate folder for the copies of each database.',
          { exitCode: EXIT_DATA },
        );
      }
      if ((await faultsOf(present, { signal })).length === 0) return { backup: present, wasPresent: true };
    }
    const copies = this.list().flatMap((copy) => copy.manifest.entries.map((entry) => ({ ...entry, of: copy.folder })));
    const known = new Map(copies.map(({ of, path, sha256 }) => [sha256, join(of, path)]));
    const fill = async (/** @type {string} */ draft) => {
      const linked = /** @type {Set<string>} */ (new Set());
      await forEachOf(manifest.entries, { name: 'copying', signal }, async ({ path, sha256 }) => {
        const twin = known.get(sha256);
        if (twin === undefined || (await digestOf(twin))?.sha256 !== sha256) {
          await copyFile(join(folder, path), join(draft, path));
        } else {
          await linkOrCopy(twin, join(draft, path));
          linked.add(path);
        }
      });
      return { manifest, linked };
    };
    return { backup: await this.#publish(name, fill, signal), wasPresent: false };
  }

  /** @param {string} name @param {Fill} fill @param {AbortSignal} signal @returns {Promise<Backup>} */
  async #publish(name, fill, signal) {
    const [folder, draft] = [join(this.folder, name), join(this.folder, `${name}.draft-${process.pid}`)];
    mkdirSync(draft, { mode: 0o700 });
    try {
      const { manifest, linked } = await fill(draft);
      await verifyBackup({ name, folder: draft, manifest }, { signal, except: linked });
      writeFileSync(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true });
      sync(draft);
      // Only a damaged copy can exist here.
      if (existsSync(folder)) deleteFolder(folder);
      renameSync(draft, folder);
      sync(this.folder);
      return { name, folder, manifest };
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }

  /**
   * Returns the name of a new backup. The names determine the order of the backups, so it sorts after the last one even if the
   * clock was set back.
   * @param {Date} time
   */
  #nameAt(time) {
    const last = this.#names()
      .at(-1)
      ?.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5');
    const earliest = Date.parse(last ?? '') + 1_000 || 0;
    return new Date(Math.max(time.getTime(), earliest)).toISOString().replace(/[-:]|\.\d+/g, '');
  }

  /**
   * Deletes the oldest backups of a kind. Incomplete backups do not count among the newest ones.
   * @param {'physical' | 'dump'} kind
   * @param {number} keep
   * @returns {string[]} the names of the deleted backups
   */
  prune(kind, keep) {
    const backups = this.list().filter(({ manifest }) => manifest.kind === kind);
    const complete = backups.filter(({ manifest }) => manifest.complete);
    const kept = new Set([...backups.slice(-keep), ...complete.slice(-keep)]);
    const outdated = backups.filter((backup) => !kept.has(backup));
    for (const { folder } of outdated) deleteFolder(folder);
    return outdated.map(({ name }) => name);
  }

  /** Deletes files left by killed processes. */
  #removeUnfinished() {
    for (const name of namesIn(this.folder)) {
      const creator = UNFINISHED.exec(name)?.[1];
      if (creator && !isAlive(Number(creator))) rmSync(join(this.folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * Compares every file of a backup with the manifest.
 * @param {Backup} backup
 * @param {{ signal?: AbortSignal, except?: ReadonlySet<string> }} [options] `except`: paths of files whose content is not read
 * @throws {LaunchError} a file is missing, damaged or unknown
 */
export async function verifyBackup(backup, options = {}) {
  const faults = await faultsOf(backup, options);
  if (faults.length === 0) return;
  throw new LaunchError(`The backup ${backup.name} is damaged: ${faults.length} faults.`, 'Use another backup.', {
    exitCode: EXIT_DATA,
    detail: faults.sort().slice(0, 20).join('\n'),
  });
}

/** @param {Backup} backup @param {{ signal?: AbortSignal, except?: ReadonlySet<string> }} options */
async function faultsOf({ folder, manifest }, { signal, except }) {
  /** @type {string[]} */
  const faults = [];
  const read = manifest.entries.filter(({ path }) => !except?.has(path));
  await forEachOf(read, { name: 'verifying', ...(signal && { signal }) }, async ({ path, bytes, sha256 }) => {
    const found = await digestOf(join(folder, path));
    if (found === null) faults.push(`${path}: missing`);
    else if (found.bytes !== bytes || found.sha256 !== sha256) faults.push(`${path}: differs from the manifest`);
  });
  const known = new Set([MANIFEST, ...manifest.entries.map(({ path }) => path)]);
  for (const { path, isFile } of filesIn(folder)) {
    // A symbolic link could point to a file outside the backup.
    if (!isFile) faults.push(`${path}: neither a file nor a folder`);
    else if (!known.has(path)) faults.push(`${path}: not in the manifest`);
  }
  return faults;
}

/** Renames the folder first, so that it no longer counts as a backup. @param {string} folder */
function deleteFolder(folder) {
  const deleted = `${folder}.deleted-${process.pid}`;
  renameSync(folder, deleted);
  rmSync(deleted, { recursive: true, force: true });
}

/** @param {string} folder */
function createFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LaunchError(
      `The folder ${folder} cannot be created (${codeOf(error)}).`,
      `Create it for the user of this command (${userInfo().username}), for example: install -d -o ${userInfo().username} -m 700 ${folder}`,
    );
  }
}

/** @param {string} path a file or a folder */
function sync(path) {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
