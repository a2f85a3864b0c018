// @ts-check
import { closeSync, createReadStream, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { systemIdentifierOf } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { positionOf } from './backup-store.js';
import { copyFile, forEachOf } from './copies.js';
import { progressOf } from './progress.js';

/** Where the server finds the log to replay: a folder inside its data folder, because it may have no rights to the archive. */
export const RESTORED_WAL = 'restored_wal';
const SEGMENT = /^[0-9A-F]{24}$/;
const ARCHIVED = /^([0-9A-F]{24}|[0-9A-F]{8}\.history)\.gz$/;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENTS_PER_LOG = 256n;

/**
 * Copies the log after the start of a backup: what was archived, and what the replaced cluster has not archived yet.
 * @param {import('./backup-store.js').Backup} backup
 * @param {{ archive: string, cluster: string, target: string, upTo: Date | 'backup' | 'end', signal: AbortSignal }} options
 *   `upTo`: for the backup alone only the names of timelines are needed; up to the end no segment may be missing
 * @returns {Promise<number>} the number of archived segments
 */
export async function collectWal({ manifest: { physical } }, { archive, cluster, target, upTo, signal }) {
  if (physical === null) return 0;
  const first = positionOf(physical.firstSegment);
  const isNeeded = (/** @type {string} */ name) =>
    name.includes('.history') || (upTo !== 'backup' && positionOf(name) >= first);
  const archived = namesIn(archive).filter((name) => ARCHIVED.test(name) && isNeeded(name));
  const own = `${cluster}/pg_wal`;
  const isSameCluster =
    existsSync(join(cluster, 'global/pg_control')) && systemIdentifierOf(cluster) === physical.systemIdentifier;
  const unarchived = (isSameCluster ? namesIn(own) : []).filter(
    (name) => isNeeded(name) && (name.endsWith('.history') || (SEGMENT.test(name) && isWritten(join(own, name), name))),
  );
  const isSegment = (/** @type {string} */ name) => !name.includes('.history');
  if (upTo === 'end') rejectGaps(physical.lastSegment, [...archived, ...unarchived].filter(isSegment));

  const progress = progressOf('reading the archive', archived.length + unarchived.length, (count) => `${count} files`);
  await forEachOf(
    archived,
    async (name) => {
      await copyFile(join(archive, name), join(target, RESTORED_WAL, name));
      await rejectDamaged(join(target, RESTORED_WAL, name), name);
      progress.add(1);
    },
    signal,
  );
  const known = new Set(archived);
  await forEachOf(
    unarchived.filter((name) => !known.has(`${name}.gz`)),
    async (name) => {
      await copyFile(join(own, name), join(target, RESTORED_WAL, name));
      progress.add(1);
    },
    signal,
  );
  progress.end();
  return archived.filter(isSegment).length;
}

/** PostgreSQL renames old segments for later use; their first page has another address. @param {string} file @param {string} name */
function isWritten(file, name) {
  const header = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  return header.readBigUInt64LE(8) === numberOf(name) * BigInt(SEGMENT_BYTES);
}

/** @param {string} folder */
function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/**
 * The server would take a missing segment for the end of the log.
 * @param {string} lastSegment of the backup, which contains those before it
 * @param {readonly string[]} names of the later ones, in any order
 */
function rejectGaps(lastSegment, names) {
  const last = numberOf(lastSegment);
  const later = [...new Set(names.map(numberOf))].filter((number) => number > last);
  const expected = BigInt(later.length);
  const missing = later.reduce((total, number) => (number > last + expected ? total + 1 : total), 0);
  if (missing === 0) return;
  throw new LaunchError(
    `The archive has a gap: at least ${missing} segments after ${lastSegment} are missing, and later ones exist.`,
    'Restore a later backup, use --at with a time before the gap, or --at backup for the state of the backup itself.',
    { exitCode: EXIT_DATA },
  );
}

/** @param {string} name */
function numberOf(name) {
  const position = positionOf(name);
  return BigInt(`0x${position.slice(0, 8)}`) * SEGMENTS_PER_LOG + BigInt(`0x${position.slice(8)}`);
}

/** The server would take a damaged segment for the end of the log, too. @param {string} file @param {string} name */
async function rejectDamaged(file, name) {
  let bytes = 0;
  try {
    await pipeline(createReadStream(file), createGunzip(), async (chunks) => {
      for await (const chunk of chunks) bytes += chunk.length;
    });
  } catch {
    bytes = -1;
  }
  if (bytes === SEGMENT_BYTES || (name.includes('.history') && bytes > 0)) return;
  throw new LaunchError(`${name} in the archive is damaged.`, 'Restore a later backup.', { exitCode: EXIT_DATA });
}
