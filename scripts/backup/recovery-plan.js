// @ts-check
import { join } from 'node:path';
import { timelineOf, walArchiveIn } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { namesIn } from './copies.js';
import { isPastOf, isSameCluster, knownTimelines, periodsOf, segmentNumberAt, timelineIn } from './timelines.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./timelines.js').Timeline} Timeline */
/**
 * How far the log is replayed: to a point in time, not beyond the backup itself, or to its end.
 * @typedef {Date | 'backup' | 'end'} UpTo
 */
/**
 * @typedef {object} RecoveryPlan
 * @property {Backup} backup
 * @property {string} archive folder of the archived log
 * @property {string | null} own folder of the present data folder's log, if it is the same cluster
 * @property {Map<number, Timeline>} timelines all that are known
 * @property {Timeline} timeline the one that is replayed
 * @property {UpTo | bigint} target a number: a position of the log
 * @property {boolean} mayEndBefore the timeline ended before the target: its end is the state at the target
 */

const SEGMENT = /^[0-9A-F]{24}(\.gz)?$/;

/**
 * Chooses the backup, and the timeline that was the database's present at the wanted moment. Restores to a point in time
 * make branches: log that was written after that point on the former timeline does not belong to the later present.
 * @param {import('./backup-store.js').BackupStore} store
 * @param {{ newest: Backup, isNamed: boolean, upTo: UpTo, cluster: string }} wanted `newest`: the newest suitable backup;
 *   `isNamed`: no other one may be used; `cluster`: the present data folder
 * @returns {RecoveryPlan}
 */
export function planRecovery(store, { newest, isNamed, upTo, cluster }) {
  const systemIdentifier = newest.manifest.physical?.systemIdentifier ?? '';
  const archive = walArchiveIn(store.folder, systemIdentifier);
  const isPresent = isSameCluster(cluster, systemIdentifier);
  const own = isPresent ? join(cluster, 'pg_wal') : null;
  const copies = store.list().filter(({ manifest }) => manifest.physical?.systemIdentifier === systemIdentifier);
  const histories = [...copies.map((copy) => join(copy.folder, 'database/pg_wal')), archive, ...(own ? [own] : [])];
  const timelines = knownTimelines(histories);

  const periods = periodsOf(timelines, copies);
  const periodAt = (/** @type {Date} */ time) => periods.findLast(({ at }) => at <= time.toISOString());
  const last = isPresent ? timelineOf(cluster) : periods.at(-1)?.timeline;
  const ofBackup = timelineIn(newest.manifest.physical?.firstSegment ?? '');
  const number = upTo === 'backup' ? ofBackup : upTo === 'end' ? last : periodAt(upTo)?.timeline;
  const timeline = timelineOfNumber(timelines, number ?? ofBackup);
  const isUsable = (/** @type {Backup} */ copy) =>
    isPastOf(copy, timeline) && (!(upTo instanceof Date) || isCompleteAt(copy, upTo));
  const backup = (isNamed ? [newest] : copies).findLast(isUsable);
  if (backup === undefined) throw noBackupOf(timeline, { name: isNamed ? newest.name : undefined, upTo });

  const mayEndBefore =
    upTo instanceof Date &&
    periods.some(({ at, timeline: later }) => at > upTo.toISOString() && later !== timeline.number);
  const plan = { backup, archive, own, timelines, timeline, target: upTo, mayEndBefore };
  return withLog(plan, [archive, ...(own ? [own] : [])].flatMap(namesIn));
}

/** @param {Backup} backup @param {Date} time */
export function isCompleteAt({ manifest: { physical } }, time) {
  return physical !== null && physical.completeAt <= time.toISOString();
}

/**
 * A restored database that was lost before any of its log was archived is the end of the branch that it was restored from.
 * @param {RecoveryPlan} plan
 * @param {readonly string[]} names
 * @returns {RecoveryPlan}
 */
function withLog(plan, names) {
  const { timeline, timelines, backup } = plan;
  const branch = timeline.branches.at(-1);
  const isOwn = timeline.number === timelineIn(backup.manifest.physical?.firstSegment ?? '');
  const hasLog = names.some((name) => SEGMENT.test(name) && timelineIn(name) === timeline.number);
  if (plan.target === 'backup' || branch === undefined || isOwn || hasLog) return plan;
  const before = { timeline: timelineOfNumber(timelines, branch.timeline), target: branch.end, mayEndBefore: true };
  return withLog({ ...plan, ...before }, names);
}

/** The first timeline has no history. @param {Map<number, Timeline>} timelines @param {number} number @returns {Timeline} */
function timelineOfNumber(timelines, number) {
  return timelines.get(number) ?? { number, branches: [], since: null };
}

/**
 * Which segments a plan needs: of each earlier timeline those before the segment in which the next one begins.
 * @param {RecoveryPlan} plan
 * @returns {(name: string, number: bigint) => boolean} `number`: of the segment
 */
export function segmentsOf({ timeline: { number, branches } }) {
  /** @type {Map<number, { from: bigint, to: bigint | null }>} */
  const parts = new Map();
  let from = 0n;
  for (const { timeline, end } of branches) {
    parts.set(timeline, { from, to: segmentNumberAt(end) });
    from = segmentNumberAt(end);
  }
  parts.set(number, { from, to: null });
  return (name, segment) => {
    const part = parts.get(timelineIn(name));
    return part !== undefined && segment >= part.from && (part.to === null || segment < part.to);
  };
}

/** @param {Timeline} timeline @param {{ name: string | undefined, upTo: UpTo }} wanted */
function noBackupOf({ number }, { name, upTo }) {
  const moment = upTo instanceof Date ? `at ${upTo.toISOString()}` : 'last';
  const what = name === undefined ? 'No backup belongs' : `The backup ${name} does not belong`;
  return new LaunchError(
    `${what} to the history that the database had ${moment}, which is timeline ${number}.`,
    'Choose another time or an earlier backup, or use --at backup for the state of the backup itself.',
    { exitCode: EXIT_DATA },
  );
}
