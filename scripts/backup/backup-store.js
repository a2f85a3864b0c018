// @ts-check
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { walArchiveIn } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { acquireLock } from '../lock.js';
import { codeOf, isAlive } from '../processes.js';
import { bytesOf, copyFile, digestOf, forEachOf, linkOrCopy, listFiles, listIrregular, namesIn } from './copies.js';
import { manifestFrom } from './manifest.js';
import { progressOf } from './progress.js';

/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {{ name: string, folder: string, manifest: Manifest }} Backup */

const MANIFEST = 'manifest.json';
const NAME = /^\d{8}T\d{6}Z$/;
/** A segment of the log, the rest of one before another timeline, or the description of a backup in it. */
const SEGMENT = /^[0-9A-F]{24}/;
const UNFINISHED = /^\d{8}T\d{6}Z\.(?:draft|deleted)-(\d+)$/;

/** The folder of all backups (BACKUP_DIR). A backup has its name only when it is complete. */
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
      return await work();
    } finally {
      lock.release();
    }
  }

  /** The backups that can be read, oldest first. @returns {Backup[]} */
  list() {
    const names = namesIn(this.folder).filter((name) => NAME.test(name));
    const backups = names.sort().flatMap((name) => {
      const backup = this.#find(name);
      return backup instanceof Error ? [] : [backup];
    });
    return backups.sort((a, b) => a.manifest.number - b.manifest.number);
  }

  /** The names of backups that cannot be read: they are neither counted nor deleted. */
  unreadable() {
    const names = namesIn(this.folder).filter((name) => NAME.test(name));
    return names.filter((name) => this.#find(name) instanceof Error).sort();
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
   * @param {(folder: string, number: number) => Promise<{ manifest: Manifest, linked: ReadonlySet<string> }>} fill `linked`:
   *   paths of files of earlier backups, which it has verified
   * @param {AbortSignal} signal
   * @returns {Promise<Backup>}
   */
  async create(startedAt, fill, signal) {
    this.#removeUnfinished();
    const number = 1 + Math.max(0, ...this.list().map(({ manifest }) => manifest.number));
    return this.#publish(this.#nameAt(startedAt), (draft) => fill(draft, number), signal);
  }

  /**
   * Copies a backup of another folder under its own name. What this folder already has of it is kept if it is undamaged: a whole
   * copy, or files of other backups, which get a second name. A damaged copy is replaced when the new one is complete.
   * @param {Backup} source
   * @param {AbortSignal} signal
   * @returns {Promise<{ backup: Backup, wasPresent: boolean }>}
   * @throws {LaunchError} a file of the source is damaged, or another backup has the name
   */
  async add(source, signal) {
    this.#removeUnfinished();
    const present = this.#find(source.name);
    if (!(present instanceof Error)) {
      if (!isDeepStrictEqual(present.manifest, source.manifest)) {
        throw new LaunchError(
          `${this.folder} contains another backup with the name ${source.name}.`,
          'Choose a folder of its own for the copies of each database.',
          { exitCode: EXIT_DATA },
        );
      }
      if (await isUndamaged(present, signal)) return { backup: present, wasPresent: true };
    }
    const known = new Map(
      this.list().flatMap(({ folder, manifest }) =>
        manifest.entries.map(({ path, sha256 }) => [sha256, join(folder, path)]),
      ),
    );
    const fill = async (/** @type {string} */ draft) => {
      const linked = await copyEntries(source, draft, { known, signal });
      return { manifest: source.manifest, linked };
    };
    return { backup: await this.#publish(source.name, fill, signal), wasPresent: false };
  }

  /**
   * @param {string} name
   * @param {(draft: string) => Promise<{ manifest: Manifest, linked: ReadonlySet<string> }>} fill
   * @param {AbortSignal} signal
   * @returns {Promise<Backup>}
   */
  async #publish(name, fill, signal) {
    const [folder, draft] = [join(this.folder, name), join(this.folder, `${name}.draft-${process.pid}`)];
    mkdirSync(draft, { mode: 0o700 });
    try {
      const { manifest, linked } = await fill(draft);
      await verifyBackup({ name, folder: draft, manifest }, { signal, except: linked });
      writeFileSync(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600 });
      sync(join(draft, MANIFEST));
      sync(draft);
      // Only a damaged copy can be there.
      if (existsSync(folder)) deleteFolder(folder);
      renameSync(draft, folder);
      sync(this.folder);
      return { name, folder, manifest };
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }

  /** @param {Date} time @returns {string} */
  #nameAt(time) {
    const name = time.toISOString().replace(/[-:]|\.\d+/g, '');
    return existsSync(join(this.folder, name)) ? this.#nameAt(new Date(time.getTime() + 1_000)) : name;
  }

  /**
   * Deletes the oldest backups of a kind, and what of the write-ahead log only they need. Backups that lack files do not count as
   * the newest ones of those that are complete.
   * @param {'physical' | 'dump'} kind
   * @param {number} keep
   * @param {string} [latest] the name of a backup that is kept although its number may be low: a new folder counts from 1 again
   * @returns {string[]} the names of the deleted backups
   */
  prune(kind, keep, latest) {
    const backups = this.list().filter(({ manifest }) => manifest.kind === kind);
    const complete = backups.filter(({ manifest }) => manifest.complete);
    const kept = new Set([...backups.slice(-keep), ...complete.slice(-keep)]);
    const outdated = backups.filter((backup) => !kept.has(backup) && backup.name !== latest);
    for (const { folder } of outdated) deleteFolder(folder);
    const clusters = outdated.flatMap(({ manifest: { physical } }) => physical?.systemIdentifier ?? []);
    for (const systemIdentifier of new Set(clusters)) this.#pruneWal(systemIdentifier);
    return outdated.map(({ name }) => name);
  }

  /**
   * Deletes the log before all backups of a cluster, of any timeline; all of it if there is no backup, because none can be restored
   * with it. Histories of timelines are kept: their numbers must not be used again.
   * @param {string} systemIdentifier
   */
  #pruneWal(systemIdentifier) {
    const starts = this.list().flatMap(({ manifest: { physical } }) =>
      physical?.systemIdentifier === systemIdentifier ? [positionOf(physical.firstSegment)] : [],
    );
    const [first] = starts.sort();
    const archive = walArchiveIn(this.folder, systemIdentifier);
    for (const name of namesIn(archive)) {
      if (!SEGMENT.test(name)) continue;
      if (first === undefined || positionOf(name) < first) rmSync(join(archive, name), { force: true });
    }
  }

  /** Deletes what processes that were killed have left. */
  #removeUnfinished() {
    for (const name of readdirSync(this.folder)) {
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
export async function verifyBackup({ name, folder, manifest }, { signal, except = new Set() } = {}) {
  /** @type {string[]} */
  const faults = [];
  const read = manifest.entries.filter(({ path }) => !except.has(path));
  const progress = progressOf('verifying', bytesOf(read));
  await forEachOf(
    read,
    async ({ path, bytes, sha256 }) => {
      const found = await digestOf(join(folder, path));
      if (found === null) faults.push(`${path}: missing`);
      else if (found.bytes !== bytes || found.sha256 !== sha256) faults.push(`${path}: differs from the manifest`);
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  const known = new Set([MANIFEST, ...manifest.entries.map(({ path }) => path)]);
  for (const { path } of listFiles(folder)) if (!known.has(path)) faults.push(`${path}: not in the manifest`);
  // A symbolic link could lead to a file outside the backup.
  for (const path of listIrregular(folder)) faults.push(`${path}: neither a file nor a folder`);
  if (faults.length === 0) return;
  throw new LaunchError(`The backup ${name} is damaged: ${faults.length} faults.`, 'Use another backup.', {
    exitCode: EXIT_DATA,
    detail: faults.sort().slice(0, 20).join('\n'),
  });
}

/** @param {Backup} backup @param {AbortSignal} signal */
async function isUndamaged(backup, signal) {
  try {
    await verifyBackup(backup, { signal });
    return true;
  } catch (error) {
    if (error instanceof LaunchError) return false;
    throw error;
  }
}

/**
 * Copies the files of a backup, or links those that another backup at the target has.
 * @param {Backup} source
 * @param {string} draft
 * @param {{ known: ReadonlyMap<string, string>, signal: AbortSignal }} options `known`: files at the target by their SHA-256
 * @returns {Promise<Set<string>>} the paths of linked files, which were verified
 */
async function copyEntries({ name, folder, manifest: { entries } }, draft, { known, signal }) {
  const linked = /** @type {Set<string>} */ (new Set());
  const progress = progressOf('copying', bytesOf(entries));
  await forEachOf(
    entries,
    async ({ path, bytes, sha256 }) => {
      const twin = known.get(sha256);
      if (twin !== undefined && (await digestOf(twin))?.sha256 === sha256) {
        await linkOrCopy(twin, join(draft, path));
        linked.add(path);
      } else {
        const copied = await copyFile(join(folder, path), join(draft, path));
        if (copied?.sha256 !== sha256) {
          throw new LaunchError(`The backup ${name} is damaged: ${path}.`, 'Copy another backup.', {
            exitCode: EXIT_DATA,
          });
        }
      }
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  return linked;
}

/** It loses its name at once. @param {string} folder */
function deleteFolder(folder) {
  const deleted = `${folder}.deleted-${process.pid}`;
  renameSync(folder, deleted);
  rmSync(deleted, { recursive: true, force: true });
}

/** Other users may enter it, as the server's user must to archive, but not list it. @param {string} folder */
function createFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new LaunchError(
      `The folder ${folder} cannot be created (${codeOf(error)}).`,
      `Create it for the user of this command (${userInfo().username}), for example: install -d -o ${userInfo().username} -m 711 ${folder}`,
    );
  }
}

/** A segment's position in the log, without its timeline. @param {string} segment */
export function positionOf(segment) {
  return segment.slice(8, 24);
}

/** @param {string} path a file or a folder */
function sync(path) {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
