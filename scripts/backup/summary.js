// @ts-check

const KEYS = 'It contains no key-encryption keys. Store them apart from it';

/**
 * @param {{ name: string, folder: string, kind: string, bytes: number, keyIds: string[], hasFiles: boolean, archivesWal: boolean,
 *   damaged: string[], deleted: string[] }} backup
 * @returns {string[]}
 */
export function backupLines({ name, folder, kind, bytes, keyIds, hasFiles, archivesWal, damaged, deleted }) {
  const lines = [`${name} is complete: ${(bytes / 1024 / 1024).toFixed(1)} MB in ${folder}`];
  lines.push(`${KEYS}${keyIds.length === 0 ? '.' : `; a restore needs ${keyIds.join(', ')}.`}`);
  if (!hasFiles)
    lines.push('It does not contain the files of the object store, which must keep their versions itself.');
  if (kind === 'physical' && !archivesWal) {
    lines.push('The server does not archive its write-ahead log, so no later point in time can be restored.');
    lines.push('Set BACKUP_DIR in the environment of the service and restart it.');
  }
  for (const path of damaged)
    lines.push(`DAMAGED ${path}: the content does not fit the name; request a new rendition.`);
  if (deleted.length > 0) lines.push(`Deleted: ${deleted.join(', ')}`);
  return lines;
}

/**
 * @param {{ name: string, kind: string, startedAt: string, lastTransactionAt: string | null, setAside: string | null,
 *   files: { restored: number, present: number, omitted: number, checkpoints: boolean } | null, waitingJobs: Record<string, number>,
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
    ...(files === null ? [] : [`Files: ${files.restored} restored, ${files.present} were present.`]),
    ...(files?.omitted
      ? [
          `${files.omitted} files of the backup were not restored: they belong to the object store of FILES_URL. See "Files" in docs/operations.md.`,
        ]
      : []),
    ...(files?.checkpoints ? ['The checkpoints of the action ledger were restored, because there were none.'] : []),
    ...(keyIds.length === 0 ? [] : [`It needs the key-encryption keys ${keyIds.join(', ')}.`]),
    `Waiting, and executed as soon as jobs run: ${restored.waitingMails} mails, ${restored.unpublishedEvents} events${jobs.length === 0 ? '' : `; jobs: ${jobs.join(', ')}`}.`,
    'Now follow "After a restore" in docs/operations.md before you start the service with jobs:',
    '  npm run ledger:verify',
    '  npm run ledger:checkpoint -- --restored "<reason>"',
    '  JOBS=false npm start',
  ];
}
