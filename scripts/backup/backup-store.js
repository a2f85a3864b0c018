// @ts-check
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walArchiveIn } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { acquireLock } from '../lock.js';
import { isAlive } from '../processes.js';
import { digestOf, forEachOf, listFiles } from './copies.js';
import { progressOf } from './progress.js';

/** @typedef {import('./copies.js').Entry} Entry */

/**
 * What a backup contains. `physical`: the data folder of the embedded server; `dump`: the output of pg_dump.
 * @typedef {object} Manifest
 * @property {1} format
 * @property {'physical' | 'dump'} kind
 * @property {string} startedAt
 * @property {string} finishedAt
 * @property {string} serviceVersion
 * @property {string} postgresVersion
 * @property {PhysicalPart | null} physical null for a dump
 * @property {string[]} keyIds key-encryption keys that the stored keys need; they are not part of the backup
 * @property {boolean} hasFiles false: files are in an object store, which is not part of the backup
 * @property {Entry[]} entries
 */

/**
 * The number of the cluster, the write-ahead log that the backup contains and the position where it is consistent, the time from
 * which on it can be restored to a point in time, and all folders, of which some are empty.
 * @typedef {{ systemIdentifier: string, firstSegment: string, lastSegment: string, endLsn: string, completeAt: string,
 *   folders: string[] }} PhysicalPart
 */
/** @typedef {{ name: string, folder: string, manifest: Manifest }} Backup */

const MANIFEST = 'manifest.json';
const NAME = /^\d{8}T\d{6}Z$/;
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
    // Other users may enter it, as the server's user must to archive, but not list it.
    mkdirSync(this.folder, { recursive: true, mode: 0o711 });
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

  /** The complete backups, oldest first. @returns {Backup[]} */
  list() {
    if (!existsSync(this.folder)) return [];
    const names = readdirSync(this.folder).filter((name) => NAME.test(name));
    return names.sort().map((name) => this.get(name));
  }

  /** @param {string} name @returns {Backup} */
  get(name) {
    const folder = join(this.folder, name);
    const file = join(folder, MANIFEST);
    if (!NAME.test(name) || !existsSync(file)) {
      const known = existsSync(this.folder) ? readdirSync(this.folder).filter((each) => NAME.test(each)) : [];
      throw new LaunchError(
        `There is no backup ${name} in ${this.folder}.`,
        known.length === 0 ? 'Correct BACKUP_DIR or --from.' : `Choose one of ${known.sort().join(', ')}.`,
      );
    }
    return { name, folder, manifest: JSON.parse(readFileSync(file, 'utf8')) };
  }

  /**
   * Creates a backup: `fill` writes its files into a draft, which is renamed when it and its manifest are on the disk.
   * @param {Date} startedAt
   * @param {(folder: string) => Promise<Manifest>} fill
   * @returns {Promise<Backup>}
   */
  async create(startedAt, fill) {
    this.#removeUnfinished();
    const name = startedAt.toISOString().replace(/[-:]|\.\d+/g, '');
    const [folder, draft] = [join(this.folder, name), join(this.folder, `${name}.draft-${process.pid}`)];
    mkdirSync(draft, { mode: 0o700 });
    try {
      const manifest = await fill(draft);
      writeFileSync(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600 });
      sync(join(draft, MANIFEST));
      sync(draft);
      renameSync(draft, folder);
      sync(this.folder);
      return { name, folder, manifest };
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }

  /**
   * Deletes the oldest backups of a kind, and what of the write-ahead log only they need.
   * @param {'physical' | 'dump'} kind
   * @param {number} keep
   * @returns {string[]} the names of the deleted backups
   */
  prune(kind, keep) {
    const backups = this.list().filter(({ manifest }) => manifest.kind === kind);
    const outdated = backups.slice(0, Math.max(0, backups.length - keep));
    for (const { folder } of outdated) {
      const deleted = `${folder}.deleted-${process.pid}`;
      renameSync(folder, deleted);
      rmSync(deleted, { recursive: true, force: true });
    }
    for (const { physical } of outdated.map(({ manifest }) => manifest)) {
      if (physical !== null) this.#pruneWal(physical.systemIdentifier);
    }
    return outdated.map(({ name }) => name);
  }

  /** @param {string} systemIdentifier */
  #pruneWal(systemIdentifier) {
    const starts = this.list().flatMap(({ manifest: { physical } }) =>
      physical?.systemIdentifier === systemIdentifier ? [positionOf(physical.firstSegment)] : [],
    );
    const first = starts.sort()[0];
    if (first === undefined) return;
    const archive = walArchiveIn(this.folder, systemIdentifier);
    for (const { path } of listFiles(archive, (name) => /^[0-9A-F]{24}/.test(name))) {
      if (positionOf(path) < first) rmSync(join(archive, path), { force: true });
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
 * @param {AbortSignal} [signal]
 * @throws {LaunchError} a file is missing, damaged or unknown
 */
export async function verifyBackup({ name, folder, manifest }, signal) {
  /** @type {string[]} */
  const faults = [];
  const progress = progressOf(
    'verifying',
    manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  await forEachOf(
    manifest.entries,
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
  if (faults.length === 0) return;
  throw new LaunchError(`The backup ${name} is damaged: ${faults.length} faults.`, 'Use another backup.', {
    exitCode: EXIT_DATA,
    detail: faults.sort().slice(0, 20).join('\n'),
  });
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
