import { optionalPostgresUrl, optionalText, wholeNumber } from './settings.js';

/** Backups are made by commands. */
export const backupSettings = {
  backupDir: optionalText({
    name: 'BACKUP_DIR',
    isCore: true,
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

/** Retention times of personal data; docs/personal-data.md names the classes. */
export const retentionSettings = {
  accountingRetentionYears: wholeNumber({
    name: 'ACCOUNTING_RETENTION_YEARS',
    purpose:
      'Years after the end of the year of a change when its states before and after are erased from the action ledger; not less than the law requires for bookkeeping',
    example: '8',
    fallback: '10',
    min: 5,
    max: 100,
  }),
  contractRetentionMonths: wholeNumber({
    name: 'CONTRACT_RETENTION_MONTHS',
    purpose: 'Months after the last service when the customer and free texts of a booking and its contracts are erased',
    example: '60',
    fallback: '36',
    min: 1,
    max: 1200,
  }),
  travelRetentionDays: wholeNumber({
    name: 'TRAVEL_RETENTION_DAYS',
    purpose:
      'Days after the last service when the documents, health data and emergency contacts of travelers are erased, and their check-ins, rooms and answers',
    example: '14',
    fallback: '30',
    min: 1,
    max: 3650,
  }),
  contactRetentionMonths: wholeNumber({
    name: 'CONTACT_RETENTION_MONTHS',
    purpose:
      'Months after the last change when a customer without a booking is erased, and the title and travelers of a trip that was not booked',
    example: '24',
    fallback: '36',
    min: 1,
    max: 1200,
  }),
  messageRetentionMonths: wholeNumber({
    name: 'MESSAGE_RETENTION_MONTHS',
    purpose: 'Months after which the recipient, subject and text of sent messages are erased',
    example: '12',
    fallback: '24',
    min: 1,
    max: 1200,
  }),
};
