// @ts-check
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemIdentifierOf } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { namesIn } from './copies.js';

/*
 * PostgreSQL begins a timeline with each recovery and describes it in a history file: the timelines before it, and where each
 * of them ended. A restore adds the moment from which on the timeline is the database's present, before the data folder gets
 * its name; the server that runs on it archives the file. So the archive itself says which timeline was the database's
 * at any moment, and a restore that was not completed leaves nothing in it.
 */

/** @typedef {import('./backup-store.js').Backup} Backup */
/** A part of a timeline's past: an earlier timeline up to a position. @typedef {{ timeline: number, end: bigint }} Branch */
/** @typedef {{ number: number, branches: Branch[], since: string | null }} Timeline `since`: null if no restore completed it */
/** @typedef {{ at: string, timeline: number }} Period `at`: a moment at which the timeline was the database's present */

const HISTORY = /^([0-9A-F]{8})\.history(\.gz)?$/;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const LOG_BYTES = 0x1_0000_0000n;

/** @param {number} timeline */
export function historyName(timeline) {
  return `${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`;
}

/** The timeline of a segment or a history file. @param {string} name */
export function timelineIn(name) {
  return Number.parseInt(name.slice(0, 8), 16);
}

/** A position of the log, such as `0/3000060`, as a number. @param {string} text */
function positionOfLsn(text) {
  const [high = '', low = ''] = text.split('/');
  return BigInt(`0x${high}`) * LOG_BYTES + BigInt(`0x${low}`);
}

/** @param {bigint} position */
export function lsnOf(position) {
  const hex = (/** @type {bigint} */ number) => number.toString(16).toUpperCase();
  return `${hex(position / LOG_BYTES)}/${hex(position % LOG_BYTES)}`;
}

/** The number of the segment that contains a position. @param {bigint} position */
export function segmentNumberAt(position) {
  return position / BigInt(SEGMENT_BYTES);
}

/**
 * The timelines of a cluster, by number, from the archive and the present data folder.
 * @param {string[]} folders
 * @returns {Map<number, Timeline>}
 */
export function knownTimelines(folders) {
  /** @type {Map<number, Timeline>} */
  const timelines = new Map();
  for (const folder of folders) {
    for (const name of namesIn(folder).filter((each) => HISTORY.test(each))) {
      const content = readFileSync(join(folder, name));
      const number = timelineIn(name);
      timelines.set(number, parsed(number, name.endsWith('.gz') ? unpacked(name, content) : content.toString()));
    }
  }
  return timelines;
}

/** @param {string} name @param {Buffer} content */
function unpacked(name, content) {
  try {
    return gunzipSync(content).toString();
  } catch {
    throw new LaunchError(`${name} in the archive is damaged.`, 'Copy it from another copy of BACKUP_DIR.', {
      exitCode: EXIT_DATA,
    });
  }
}

/** @param {number} number @param {string} text @returns {Timeline} */
function parsed(number, text) {
  const branches = [...text.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gm)].map(([, timeline, lsn = '']) => ({
    timeline: Number(timeline),
    end: positionOfLsn(lsn),
  }));
  const since = new RegExp(`^# timeline ${number} is the present since (\\S+)$`, 'm').exec(text)?.[1] ?? null;
  return { number, branches, since };
}

/**
 * The moments at which a timeline was the database's present, in their order: completed restores and backups.
 * @param {Map<number, Timeline>} timelines
 * @param {readonly Backup[]} backups of the same cluster
 * @returns {Period[]}
 */
export function periodsOf(timelines, backups) {
  const restores = [...timelines.values()].flatMap(({ number, since }) =>
    since === null ? [] : [{ at: since, timeline: number }],
  );
  const copies = backups.flatMap(({ manifest: { startedAt, physical } }) =>
    physical === null ? [] : [{ at: startedAt, timeline: timelineIn(physical.firstSegment) }],
  );
  return [...restores, ...copies].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.timeline - b.timeline));
}

/**
 * Whether the state of a backup belongs to the past of a timeline.
 * @param {Backup} backup
 * @param {Timeline} timeline
 */
export function isPastOf({ manifest: { physical } }, timeline) {
  if (physical === null) return false;
  const own = timelineIn(physical.firstSegment);
  const branch = timeline.branches.find((each) => each.timeline === own);
  return own === timeline.number || (branch !== undefined && positionOfLsn(physical.endLsn) <= branch.end);
}

/**
 * Records in the history of a restored cluster's new timeline that the restore is complete. The server ignores comments.
 * @param {string} cluster
 * @param {number} number of the new timeline
 * @param {Map<number, Timeline>} known the timelines before it
 * @returns {Timeline} the new one
 */
export function recordPresent(cluster, number, known) {
  // A clock that was set back must not change the order.
  const latest = [...known.values()].flatMap(({ since }) => (since === null ? [] : [Date.parse(since)]));
  const since = new Date(Math.max(Date.now(), ...latest.map((at) => at + 1)));
  const file = join(cluster, 'pg_wal', historyName(number));
  appendFileSync(file, `\n# timeline ${number} is the present since ${since.toISOString()}\n`, { flush: true });
  return parsed(number, readFileSync(file, 'utf8'));
}

/** Whether a folder contains the same cluster, perhaps in another state. @param {string} cluster @param {string} systemIdentifier */
export function isSameCluster(cluster, systemIdentifier) {
  return existsSync(join(cluster, 'global/pg_control')) && systemIdentifierOf(cluster) === systemIdentifier;
}
