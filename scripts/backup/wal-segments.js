// @ts-check
import { closeSync, createReadStream, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { giveTo } from '../embedded-postgres/server-user.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { positionOf } from './backup-store.js';
import { copyFile, forEachOf, namesIn } from './copies.js';
import { progressOf } from './progress.js';
import { segmentsOf } from './recovery-plan.js';
import { historyName, segmentNumberAt, timelineIn } from './timelines.js';

/** @typedef {import('../embedded-postgres/server-user.js').ServerUser} ServerUser */

/** Where the server finds the log to replay: a folder inside its data folder, because it may have no rights to the archive. */
export const RESTORED_WAL = 'restored_wal';
const SEGMENT = /^[0-9A-F]{24}$/;
const HISTORY = /^[0-9A-F]{8}\.history$/;
const ARCHIVED = /^([0-9A-F]{24}|[0-9A-F]{8}\.history)\.gz$/;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const SEGMENTS_PER_LOG = 256n;

/**
 * Copies the log that a plan needs: what was archived, and what the replaced cluster has not archived yet.
 * @param {import('./recovery-plan.js').RecoveryPlan} plan
 * @param {{ draft: string, signal: AbortSignal }} options `draft`: the data folder that is being restored
 * @returns {Promise<{ segments: number, unarchived: string[] }>} `segments`: the number of archived ones
 */
export async function collectWal(plan, { draft, signal }) {
  const { archive, own } = plan;
  const target = join(draft, RESTORED_WAL);
  mkdirSync(target, { mode: 0o700 });
  const { archived, unarchived } = neededNames(plan);
  const progress = progressOf('reading the archive', archived.length + unarchived.length, (count) => `${count} files`);
  await forEachOf(
    archived,
    async (name) => {
      await copyFile(join(archive, name), join(target, name));
      await rejectDamaged(join(target, name), name);
      progress.add(1);
    },
    signal,
  );
  await forEachOf(
    unarchived,
    async (name) => {
      await copyFile(join(own ?? '', name), join(target, name));
      progress.add(1);
    },
    signal,
  );
  progress.end();
  reserveTimelines(plan, target);
  return { segments: archived.filter(isSegment).length, unarchived };
}

/** @param {import('./recovery-plan.js').RecoveryPlan} plan */
function neededNames(plan) {
  const { backup, archive, own, target } = plan;
  const { firstSegment = '', lastSegment = '' } = backup.manifest.physical ?? {};
  const isOnTimeline = segmentsOf(plan);
  // The server takes the number of its new timeline from the histories, also if it replays nothing beyond the backup.
  const isNeeded = (/** @type {string} */ name) =>
    name.includes('.history') ||
    (target !== 'backup' && positionOf(name) >= positionOf(firstSegment) && isOnTimeline(name, numberOf(name)));
  const archived = namesIn(archive).filter((name) => ARCHIVED.test(name) && isNeeded(name));
  const known = new Set(archived);
  const unarchived = (own === null ? [] : namesIn(own)).filter(
    (name) =>
      (HISTORY.test(name) || (SEGMENT.test(name) && isWritten(join(own ?? '', name), name))) &&
      isNeeded(name) &&
      !known.has(`${name}.gz`),
  );
  const endsAt = typeof target === 'bigint' ? segmentNumberAt(target) : null;
  if (target === 'end' || endsAt !== null || plan.mayEndBefore) {
    const names = [...archived, ...unarchived].filter(isSegment);
    rejectGaps(lastSegment, endsAt === null ? names : names.filter((name) => numberOf(name) <= endsAt));
  }
  return { archived, unarchived };
}

/**
 * Keeps the server from taking the number of a timeline that exists but has no history here: it takes the first one after its
 * own without a history.
 * @param {import('./recovery-plan.js').RecoveryPlan} plan
 * @param {string} target
 */
function reserveTimelines({ archive, own, timelines, timeline }, target) {
  const names = [archive, ...(own === null ? [] : [own])].flatMap(namesIn).filter((name) => /^[0-9A-F]{8}/.test(name));
  const past = [...timelines.values()].flatMap(({ branches }) => branches.map((branch) => branch.timeline));
  const last = Math.max(timeline.number, ...names.map(timelineIn), ...timelines.keys(), ...past);
  for (let number = timeline.number + 1; number <= last; number += 1) {
    const file = join(target, historyName(number));
    if (!existsSync(file) && !existsSync(`${file}.gz`)) writeFileSync(file, '# reserved\n', { mode: 0o600 });
  }
}

/**
 * Lets the restored server archive what the replaced one had not archived: the log before the new timeline is part of its past.
 * @param {string} draft its data folder, after the recovery
 * @param {{ unarchived: readonly string[], timeline: import('./timelines.js').Timeline, user: ServerUser }} options `timeline`:
 *   the new one
 */
export function keepUnarchived(draft, { unarchived, timeline, user }) {
  const end = timeline.branches.at(-1)?.end;
  const wal = join(draft, 'pg_wal');
  for (const name of unarchived) {
    if (isSegment(name) && end !== undefined && numberOf(name) >= segmentNumberAt(end)) continue;
    renameSync(join(draft, RESTORED_WAL, name), join(wal, name));
    rmSync(join(wal, `archive_status/${name}.done`), { force: true });
    writeFileSync(join(wal, `archive_status/${name}.ready`), '', { mode: 0o600 });
    for (const path of [name, `archive_status/${name}.ready`]) giveTo(user, join(wal, path));
  }
}

/** PostgreSQL renames old segments for later use; their first page has another address. @param {string} file @param {string} name */
function isWritten(file, name) {
  const header = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  return header.readBigUInt64LE(8) === numberOf(name) * BigInt(SEGMENT_BYTES);
}

/** @param {string} name */
function isSegment(name) {
  return !name.includes('.history');
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
