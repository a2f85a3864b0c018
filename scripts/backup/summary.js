// @ts-check
import { bytesOf } from './copies.js';

/** @typedef {{ count: number, keys: string[] }} Some the number of files, and some of their keys */

const SHOWN = 20;

/**
 * @param {import('./backup-store.js').Backup} backup
 * @param {{ damaged: string[], missing: string[], deleted: string[], unreadable: string[], unrecorded: string | null }} outcome `damaged`, `missing`: keys of
 *   stored files
 */
export function backupResult({ name, folder, manifest }, { damaged, missing, ...outcome }) {
  const { entries, lacking, lost, kind, keyIds, objectStore, complete, ...facts } = manifest;
  const { startedAt, finishedAt, serviceVersion, postgresVersion } = facts;
  const times = { startedAt, finishedAt, serviceVersion, postgresVersion };
  const filesAtFault = [...damaged, ...missing].some((key) => !lost.includes(key));
  const files = {
    damaged: some(damaged),
    missing: some(missing),
    lacking: some(lacking),
    lost: some(lost),
    filesAtFault,
  };
  return { name, folder, kind, ...times, keyIds, objectStore, complete, bytes: bytesOf(entries), ...files, ...outcome };
}

/** @param {readonly string[]} keys @returns {Some} */
export function some(keys) {
  return { count: keys.length, keys: [...keys].sort().slice(0, SHOWN) };
}

/** @param {ReturnType<typeof backupResult>} backup @returns {string[]} */
export function backupLines({ name, complete, keyIds, objectStore, deleted, unreadable, unrecorded, ...rest }) {
  const { damaged, missing, lacking, lost } = rest;
  const isElsewhere = damaged.count + missing.count > lacking.count + lost.count;
  const keys = keyIds.length === 0 ? '' : `; a restore needs ${keyIds.join(', ')}`;
  return [
    `${name} is ${complete ? 'complete' : 'INCOMPLETE, it lacks files'}: ${sizeOf(rest)}`,
    `It contains no key-encryption keys. Store them apart from it${keys}.`,
    ...when(objectStore, `It does not contain the files of ${objectStore}, which must keep their versions itself.`),
    ...keysLines('DAMAGED in FILES_DIR: the content does not fit the name', damaged),
    ...keysLines('MISSING in FILES_DIR: the database names them', missing),
    ...keysLines('NOT IN THE BACKUP: no earlier backup has an undamaged copy', lacking),
    ...when(
      isElsewhere,
      'This backup has the other files from earlier ones: copy them from its folder `files` to FILES_DIR.',
    ),
    ...when(lost.count, `Accepted as lost: ${lost.count} files.`),
    ...when(unreadable.length, `Without a usable manifest, neither counted nor deleted: ${unreadable.join(', ')}`),
    ...when(deleted.length, `Deleted: ${deleted.join(', ')}`),
    ...when(unrecorded, `NOT RECORDED: the alert on the age of the last backup does not know of it (${unrecorded}).`),
  ];
}

/** @param {unknown} applies @param {string} line */
function when(applies, line) {
  return applies ? [line] : [];
}

/** @param {string} title @param {Some} files */
function keysLines(title, { count, keys }) {
  if (count === 0) return [];
  const rest = count > keys.length ? [`  and ${count - keys.length} more`] : [];
  return [`${count} files ${title}`, ...keys.map((key) => `  ${key}`), ...rest];
}

/** @param {{ bytes: number, folder: string }} backup */
function sizeOf({ bytes, folder }) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB in ${folder}`;
}

/**
 * @param {import('./restored-state.js').RestoredState & { name: string, startedAt: string, setAside: string | null,
 *   files: { restored: number, present: number, omitted: number, missing: Some, checkpoints: boolean } }} restored
 * @returns {string[]}
 */
export function restoreLines({ name, startedAt, setAside, files, keyIds, ...waiting }) {
  const { waitingMails, unpublishedEvents, waitingJobs } = waiting;
  const jobs = Object.entries(waitingJobs).map(([job, count]) => `${count} ${job}`);
  const count = [`${waitingMails} mails`, `${unpublishedEvents} events`, ...jobs].join(', ');
  const omitted = `${files.omitted} files of the backup were not restored: they belong to the object store of FILES_URL.`;
  return [
    `${name} is restored: the state of ${startedAt}.`,
    ...when(setAside, `The replaced database is in ${setAside}; delete it when you no longer need it.`),
    `Files: ${files.restored} restored, ${files.present} were present.`,
    ...keysLines('MISSING: the database names them, and no backup has them', files.missing),
    ...when(files.omitted, `${omitted} See docs/operations/files.md.`),
    ...when(files.checkpoints, 'The checkpoints of the action ledger were restored, because there were none.'),
    ...when(keyIds.length, `It needs the key-encryption keys ${keyIds.join(', ')}.`),
    `Waiting, and executed as soon as jobs run: ${count}.`,
    'Now follow "After a restore" in docs/operations/backup.md before you start the service with jobs:',
    '  platform ledger verify',
    '  platform ledger checkpoint --restored "<reason>"',
    '  JOBS=false platform start',
  ];
}

/**
 * @param {{ name: string, folder: string, complete: boolean, bytes: number, wasPresent: boolean, deleted: string[] }} copy
 * @returns {string[]}
 */
export function copyLines({ name, complete, wasPresent, deleted, ...copy }) {
  return [
    `${name} ${wasPresent ? 'was copied before and is undamaged' : 'is copied and verified'}: ${sizeOf(copy)}`,
    ...when(!complete, 'The backup itself is INCOMPLETE, it lacks files.'),
    ...when(deleted.length, `Deleted: ${deleted.join(', ')}`),
  ];
}
