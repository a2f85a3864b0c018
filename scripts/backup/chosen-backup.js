// @ts-check
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { isCompleteAt } from './recovery-plan.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./recovery-plan.js').UpTo} UpTo */

/** What a backup of the database that the environment selects contains. */
export function backupKind() {
  return process.env.DATABASE_URL || process.env.BACKUP_DATABASE_URL ? 'dump' : 'physical';
}

/**
 * The named backup, else the newest one that contains the database that the environment selects and was complete in time.
 * @param {import('./backup-store.js').BackupStore} store
 * @param {{ name: string | undefined, upTo: UpTo }} options
 * @returns {Backup}
 */
export function chooseBackup(store, { name, upTo }) {
  const kind = backupKind();
  const isUsable = (/** @type {Backup} */ backup) =>
    backup.manifest.kind === kind && (!(upTo instanceof Date) || isCompleteAt(backup, upTo));
  if (upTo !== 'end' && kind === 'dump') {
    throw new LaunchError(
      'A dump is the state of the database at one moment, so --at cannot be used.',
      'Omit --at and name the backup. To restore to a point in time, use the archive of your PostgreSQL server.',
    );
  }
  const backup = name === undefined ? store.list().findLast(isUsable) : store.get(name);
  if (backup === undefined) {
    const before = upTo instanceof Date ? ` that was complete at ${upTo.toISOString()}` : '';
    const what = kind === 'dump' ? 'dump' : 'backup of the embedded server';
    throw new LaunchError(
      `${store.folder} contains no ${what}${before}.`,
      'Correct BACKUP_DIR, --from or --at. DATABASE_URL selects dumps; without it the embedded server is restored.',
      { exitCode: EXIT_DATA },
    );
  }
  if (backup.manifest.kind !== kind) {
    throw new LaunchError(
      `${backup.name} is a ${backup.manifest.kind === 'dump' ? 'dump' : 'physical backup of the embedded server'}.`,
      backup.manifest.kind === 'dump' ? 'Set DATABASE_URL to restore it.' : 'Unset DATABASE_URL to restore it.',
    );
  }
  if (!isUsable(backup)) {
    throw new LaunchError(
      `${backup.name} was complete at ${backup.manifest.physical?.completeAt}, which is later than --at.`,
      'Choose an earlier backup, or omit the name: the newest suitable one is used.',
      { exitCode: EXIT_DATA },
    );
  }
  return backup;
}
