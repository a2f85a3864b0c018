// @ts-check
/** @typedef {import('./copies.js').Entry} Entry */

/**
 * What a backup contains. `physical`: the data folder of the embedded server; `dump`: the output of pg_dump.
 * @typedef {object} Manifest
 * @property {1} format
 * @property {number} number counts the backups of a folder: the clock may have been set back between two of them
 * @property {'physical' | 'dump'} kind
 * @property {string} startedAt
 * @property {string} finishedAt
 * @property {string} serviceVersion
 * @property {string} postgresVersion
 * @property {PhysicalPart | null} physical null for a dump
 * @property {string[]} keyIds key-encryption keys that the stored keys need; they are not part of the backup
 * @property {string | null} objectStore the store that has the files, which are not part of the backup
 * @property {boolean} complete false: the database names files that the backup lacks
 * @property {string[]} lacking the keys of these files
 * @property {string[]} lost keys of files that the operator has accepted as lost
 * @property {Entry[]} entries
 */
/**
 * The number of the cluster, the write-ahead log that the backup contains and the position where it is consistent, the time from
 * which on it can be restored to a point in time, and all folders, of which some are empty.
 * @typedef {{ systemIdentifier: string, firstSegment: string, lastSegment: string, endLsn: string, completeAt: string,
 *   folders: string[] }} PhysicalPart
 */

const SEGMENT = /^[0-9A-F]{24}$/;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Reads a manifest, which may come from another machine: its paths are used to read and to write files.
 * @param {string} text
 * @returns {Manifest}
 * @throws {Error} it is none
 */
export function manifestFrom(text) {
  const manifest = JSON.parse(text);
  const { format, kind, number, physical, entries, keyIds, lacking, lost, ...facts } = manifest;
  const texts = [facts.startedAt, facts.finishedAt, facts.serviceVersion, facts.postgresVersion];
  check(format === 1, 'format');
  check(['physical', 'dump'].includes(kind), 'kind');
  check(Number.isSafeInteger(number), 'number');
  check(
    texts.every((value) => typeof value === 'string') && !Number.isNaN(Date.parse(facts.startedAt)),
    'versions and times',
  );
  check(facts.objectStore === null || typeof facts.objectStore === 'string', 'objectStore');
  check(typeof facts.complete === 'boolean', 'complete');
  for (const list of [keyIds, lacking, lost])
    check(
      isListOf(list, (each) => typeof each === 'string'),
      'a list',
    );
  check(isListOf(entries, isEntry), 'entries');
  check(kind === 'dump' ? physical === null : isPhysicalPart(physical), 'physical');
  return manifest;
}

/** @param {boolean} isSo @param {string} member */
function check(isSo, member) {
  if (!isSo) throw new Error(`The manifest has an invalid member: ${member}`);
}

/** @param {unknown} list @param {(item: any) => boolean} isItem */
function isListOf(list, isItem) {
  return Array.isArray(list) && list.every(isItem);
}

/** @param {any} entry */
function isEntry(entry) {
  return isPathInside(entry?.path) && Number.isSafeInteger(entry.bytes) && HASH.test(entry.sha256);
}

/** @param {any} part */
function isPhysicalPart(part) {
  return (
    /^\d+$/.test(part?.systemIdentifier) &&
    [part.firstSegment, part.lastSegment].every((name) => SEGMENT.test(name)) &&
    /^[0-9A-F]+\/[0-9A-F]+$/.test(part.endLsn) &&
    typeof part.completeAt === 'string' &&
    isListOf(part.folders, isPathInside)
  );
}

/** Whether a path cannot leave the folder that it is relative to. @param {unknown} path */
function isPathInside(path) {
  return (
    typeof path === 'string' &&
    !/[\0\\]/.test(path) &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}
