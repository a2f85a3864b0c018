import { optionalPostgresUrl, optionalText, wholeNumber } from './settings.js';

/** Backups are made by commands. */
export const backupSettings = {
  backupDir: optionalText({
    name: 'BACKUP_DIR',
    purpose:
      'Folder of the backups, outside DATA_DIR and best on another disk. Absent: commands need `--to` or `--from`',
    example: '/var/backups/travel',
    expected: 'a folder',
    form: /^[^\0]{1,500}$/,
  }),
  backupDatabaseUrl: optionalPostgresUrl({
    name: 'BACKUP_DATABASE_URL',
    purpose:
      'The database of `DATABASE_URL` with a role that reads every table, for `platform backup` only, which then needs no other database URL. Absent: backups use the role of `MIGRATION_DATABASE_URL`',
    example: 'postgres://travel_backup:secret@127.0.0.1:5432/travel',
    isPlaceholder: true,
  }),
  backupKeep: wholeNumber({
    name: 'BACKUP_KEEP',
    purpose: 'Number of backups that are kept; a new one deletes the oldest beyond it',
    example: '14',
    fallback: '7',
    min: 1,
    max: 9999,
  }),
};
