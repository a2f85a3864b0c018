// @ts-check
/** @typedef {import('./copies.js').Entry} Entry */

/**
 * Describes the contents of a backup: the data folder of the embedded server (`physical`) or the output of pg_dump (`dump`).
 * @typedef {object} Manifest
 * @property {1} format
 * @property {'physical' | 'dump'} kind
 * @property {string} startedAt
 * @property {string} finishedAt
 * @property {string} serviceVersion
 * @property {string} postgresVersion
 * @property {string[]} folders all folders of the data folder, of which some are empty; none for a dump
 * @property {string[]} keyIds key-encryption keys that the stored keys need; they are not part of the backup
 * @property {string | null} objectStore the store that has the files, which are not part of the backup
 * @property {boolean} complete false: the database names files that the backup lacks
 * @property {string[]} lacking the keys of these files
 * @property {string[]} lost keys of files that the operator has accepted as lost
 * @property {Entry[]} entries
 */

export const DATABASE_FOLDER = 'database/';
/** Without one of these a server starts with an empty or an inconsistent database. */
const OF_EACH_KIND = {
  dump: ['database.dump'],
  physical: ['PG_VERSION', 'global/pg_control', 'pg_hba.conf', 'backup_label'].map(
    (path) => `${DATABASE_FOLDER}${path}`,
  ),
};

/** @type {Record<string, (value: any) => boolean>} */
const MEMBERS = {
  format: (value) => value === 1,
  kind: (value) => value === 'physical' || value === 'dump',
  startedAt: isTime,
  finishedAt: isTime,
  serviceVersion: isText,
  postgresVersion: isText,
  folders: listOf(isPathInside),
  keyIds: listOf(isText),
  objectStore: (value) => value === null || isText(value),
  complete: (value) => typeof value === 'boolean',
  lacking: listOf(isHash),
  lost: listOf(isHash),
  entries: listOf((entry) => isPathInside(entry?.path) && Number.isSafeInteger(entry.bytes) && isHash(entry.sha256)),
};

/**
 * Reads a manifest, which may come from another machine: its paths are used to read and to write files.
 * @param {string} text
 * @returns {Manifest}
 * @throws {Error} it is none
 */
export function manifestFrom(text) {
  const manifest = JSON.parse(text);
  const invalid = Object.keys(MEMBERS).find((name) => !MEMBERS[name]?.(manifest?.[name]));
  if (invalid !== undefined) throw new Error(`The manifest has an invalid member: ${invalid}`);
  const paths = new Set(manifest.entries.map((/** @type {Entry} */ { path }) => path));
  const missing = OF_EACH_KIND[/** @type {Manifest['kind']} */ (manifest.kind)].find((path) => !paths.has(path));
  if (missing !== undefined) throw new Error(`The manifest lacks ${missing}`);
  return manifest;
}

/** @param {(item: any) => boolean} isItem @returns {(list: unknown) => boolean} */
function listOf(isItem) {
  return (list) => Array.isArray(list) && list.every(isItem);
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === 'string';
}

/** @param {unknown} value */
function isTime(value) {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** @param {unknown} value */
function isHash(value) {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Returns whether a relative path stays within its folder. @param {unknown} path */
function isPathInside(path) {
  const isName = (/** @type {string} */ name) => name !== '' && name !== '.' && name !== '..';
  return typeof path === 'string' && !/[\0\\]/.test(path) && path.split('/').every(isName);
}
