// @ts-check
import { bytesOf } from './copies.js';

/** @typedef {{ count: number, keys: string[] }} Some the number of files, and some of their keys */

const KEYS = 'It contains no key-encryption keys. Store them apart from it';
const SHOWN = 20;

/**
 * @param {import('./backup-store.js').Backup} backup
 * @param {{ archivesWal: boolean, damaged: string[], missing: string[], deleted: string[], unreadable: string[] }} outcome `damaged`, `missing`: keys of
 *   stored files
 */
export function backupResult({ name, folder, manifest }, { archivesWal, damaged, missing, ...outcome }) {
  const { entries, physical, lacking, lost, ...facts } = manifest;
  return {
    name,
    folder,
    ...facts,
    bytes: bytesOf(entries),
    archivesWal: physical !== null && archivesWal,
    damaged: some(damaged),
    missing: some(missing),
    lacking: some(lacking),
    lost: some(lost),
    filesAtFault: [...damaged, ...missing].some((key) => !lost.includes(key)),
    ...outcome,
  };
}

/** @param {readonly string[]} keys @returns {Some} */
export function some(keys) {
  return { count: keys.length, keys: [...keys].sort().slice(0, SHOWN) };
}

/**
 * @param {ReturnType<typeof backupResult>} backup
 * @returns {string[]}
 */
export function backupLines({
  name,
  folder,
  kind,
  bytes,
  keyIds,
  objectStore,
  archivesWal,
  deleted,
  unreadable,
  ...files
}) {
  const { complete, damaged, missing, lacking, lost } = files;
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB in ${folder}`;
  const lines = [complete ? `${name} is complete: ${size}` : `${name} is INCOMPLETE, it lacks files: ${size}`];
  lines.push(`${KEYS}${keyIds.length === 0 ? '.' : `; a restore needs ${keyIds.join(', ')}.`}`);
  if (objectStore !== null)
    lines.push(`It does not contain the files of ${objectStore}, which must keep their versions itself.`);
  if (kind === 'physical' && !archivesWal) {
    lines.push('The server does not archive its write-ahead log, so no later point in time can be restored.');
    lines.push('Set BACKUP_DIR in the environment of the service and restart it.');
  }
  lines.push(
    ...keysLines('DAMAGED in FILES_DIR: the content does not fit the name', damaged),
    ...keysLines('MISSING in FILES_DIR: the database names them', missing),
    ...keysLines('NOT IN THE BACKUP: no earlier backup has an undamaged copy', lacking),
  );
  if (damaged.count + missing.count > lacking.count + lost.count)
    lines.push(
      'The other files are in this backup, from earlier ones: copy them from its folder `files` to FILES_DIR.',
    );
  if (lost.count > 0) lines.push(`Accepted as lost: ${lost.count} files.`);
  if (unreadable.length > 0)
    lines.push(`Without a usable manifest, neither counted nor deleted: ${unreadable.join(', ')}`);
  if (deleted.length > 0) lines.push(`Deleted: ${deleted.join(', ')}`);
  return lines;
}

/** @param {string} title @param {Some} files */
function keysLines(title, { count, keys }) {
  if (count === 0) return [];
  const rest = count > keys.length ? [`  and ${count - keys.length} more`] : [];
  return [`${count} files ${title}`, ...keys.map((key) => `  ${key}`), ...rest];
}

/**
 * @param {{ name: string, kind: string, startedAt: string, lastTransactionAt: string | null, setAside: string | null,
 *   files: { restored: number, present: number, omitted: number, fromOtherBackups: number, missing: Some, checkpoints: boolean } | null, waitingJobs: Record<string, number>,
 *   waitingMails: number, unpublishedEvents: number, keyIds: string[] }} restored
 * @returns {string[]}
 */
export function restoreLines(restored) {
  const { name, kind, startedAt, lastTransactionAt, setAside, files, keyIds } = restored;
  const last =
    kind === 'dump' ? `the state of ${startedAt}` : `the last transaction is of ${lastTransactionAt ?? startedAt}`;
  const jobs = Object.entries(restored.waitingJobs).map(([job, count]) => `${count} ${job}`);
  return [
    `${name} is restored: ${last}.`,
    ...(setAside === null ? [] : [`The replaced database is in ${setAside}; delete it when you no longer need it.`]),
    ...(files === null
      ? []
      : [`Files: ${files.restored + files.fromOtherBackups} restored, ${files.present} were present.`]),
    ...(files === null ? [] : keysLines('MISSING: the database names them, and no backup has them', files.missing)),
    ...(files?.omitted
      ? [
          `${files.omitted} files of the backup were not restored: they belong to the object store of FILES_URL. See "Files" in docs/operations.md.`,
        ]
      : []),
    ...(files?.checkpoints ? ['The checkpoints of the action ledger were restored, because there were none.'] : []),
    ...(keyIds.length === 0 ? [] : [`It needs the key-encryption keys ${keyIds.join(', ')}.`]),
    `Waiting, and executed as soon as jobs run: ${restored.waitingMails} mails, ${restored.unpublishedEvents} events${jobs.length === 0 ? '' : `; jobs: ${jobs.join(', ')}`}.`,
    'Now follow "After a restore" in docs/operations.md before you start the service with jobs:',
    '  platform ledger verify',
    '  platform ledger checkpoint --restored "<reason>"',
    '  JOBS=false platform start',
  ];
}

/**
 * @param {{ name: string, folder: string, complete: boolean, bytes: number, wasPresent: boolean, deleted: string[] }} copy
 * @returns {string[]}
 */
export function copyLines({ name, folder, complete, bytes, wasPresent, deleted }) {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB in ${folder}`;
  const lines = [
    wasPresent ? `${name} was copied before and is undamaged: ${size}` : `${name} is copied and verified: ${size}`,
  ];
  if (!complete) lines.push('The backup itself is INCOMPLETE, it lacks files.');
  if (deleted.length > 0) lines.push(`Deleted: ${deleted.join(', ')}.`);
  return lines;
}
