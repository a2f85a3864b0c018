// @ts-check
import { accessSync, constants } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { codeOf } from '../processes.js';

/**
 * A positional argument. `name` is the option's name in the request; `many`: one or more words.
 * @typedef {{ name: string, purpose: string, parse?: (text: string) => string, optional?: boolean, many?: boolean }} Argument
 */
/**
 * An option. `flags` as in commander: `--to <folder>`; `many`: it may be repeated; `conflicts`: another option.
 * @typedef {{ flags: string, purpose: string, parse?: (text: string) => string, choices?: readonly string[], required?: boolean,
 *   many?: boolean, conflicts?: string }} Flag
 */
/**
 * A command. `details` complete the purpose; `examples` are words after `platform`; `failure` is the meaning of exit code 1;
 * `hidden` commands are for development and not listed; `printsJson` is false if `--json` makes no sense.
 * @typedef {{ name: string, purpose: string, details?: string, arguments?: Argument[], options?: Flag[], examples: string[],
 * failure?: string, hidden?: boolean, printsJson?: boolean }} CommandDescription
 */

/** The roles of staff users; a test compares them with the service's. */
export const ROLES = ['owner', 'manager', 'finance', 'operations', 'sales', 'viewer'];

/** Common properties of the groups of commands. */
export const GROUPS = new Map([
  ['users', 'Staff users: list, add, invite, enable, disable, end sessions, remove a second factor'],
  ['keys', 'Keys that sign links and cursors, and the keys that wrap stored keys'],
  ['ledger', 'Action ledger: verify, write checkpoints, erase payloads'],
  ['customers', 'Customer records'],
  ['files', 'Stored files'],
]);

/** @type {Argument} */
const EMAIL = { name: 'email', purpose: 'e-mail address of the user', parse: emailAddress };
/** @type {Flag[]} */
const NAME_AND_ROLES = [
  { flags: '--name <name>', purpose: 'name for display', parse: nonEmpty('a name'), required: true },
  { flags: '--role <role>', purpose: 'role; repeat it for several', choices: ROLES, required: true, many: true },
];

/** @type {CommandDescription[]} */
export const COMMANDS = [
  {
    name: 'start',
    purpose: 'Start the service',
    details:
      'In a clone it installs the packages, builds, and starts the embedded database unless DATABASE_URL is set. Ctrl-C or SIGTERM finishes running requests and stops it with exit code 0. The log goes to standard output.',
    examples: ['start'],
    failure: 'the service ended by an unexpected error',
    printsJson: false,
  },
  {
    name: 'migrate',
    purpose: 'Apply the pending migrations of the database',
    details:
      'Needs only DATABASE_URL and MIGRATION_DATABASE_URL. Also gives the role of DATABASE_URL its rights. Safe to repeat.',
    examples: ['migrate', 'migrate --json'],
  },
  {
    name: 'provision',
    purpose: 'Create or update rows that no endpoint creates',
    details: 'Everything is checked before anything is written. Safe to repeat. Generated secrets are shown once.',
    arguments: [
      {
        name: 'file',
        purpose: 'JSON file; docs/operations/provisioning.md describes its sections',
        parse: readableFile,
      },
    ],
    examples: ['provision installation.json', 'provision /dev/stdin < installation.json'],
  },
  {
    name: 'users list',
    purpose: 'List staff users by address',
    options: [
      { flags: '--search <words>', purpose: 'only users whose name and address contain each of these words' },
      { flags: '--role <role>', purpose: 'only users with this role', choices: ROLES },
      { flags: '--active', purpose: 'only active users', conflicts: 'disabled' },
      { flags: '--disabled', purpose: 'only disabled users' },
    ],
    examples: ['users list', 'users list --role owner --active --json'],
  },
  {
    name: 'users add',
    purpose: 'Add a staff user with a generated password, which the user must change at the first login',
    arguments: [EMAIL],
    options: NAME_AND_ROLES,
    examples: ['users add maria.rossi@example.com --name "Maria Rossi" --role owner'],
  },
  {
    name: 'users invite',
    purpose: 'Send a person a link to become a staff user with their own password',
    details: 'Needs a mail server (SMTP_URL) in production. A running process of the service sends the mail.',
    arguments: [EMAIL],
    options: NAME_AND_ROLES,
    examples: ['users invite maria.rossi@example.com --name "Maria Rossi" --role finance --role viewer'],
  },
  {
    name: 'users enable',
    purpose: 'Let a disabled user log in again',
    arguments: [EMAIL],
    examples: ['users enable maria.rossi@example.com'],
  },
  {
    name: 'users disable',
    purpose: 'Disable a user, and end their sessions and API tokens',
    details: 'The last active owner cannot be disabled.',
    arguments: [EMAIL],
    examples: ['users disable maria.rossi@example.com'],
  },
  {
    name: 'users end-sessions',
    purpose: 'End all sessions of a user',
    arguments: [EMAIL],
    examples: ['users end-sessions maria.rossi@example.com'],
  },
  {
    name: 'users remove-second-factor',
    purpose: 'Remove the second factor of a user who lost app and recovery codes, and end their sessions',
    details: 'Verify first who asks. The user is informed by mail.',
    arguments: [EMAIL],
    examples: ['users remove-second-factor maria.rossi@example.com'],
  },
  {
    name: 'keys rotate',
    purpose: 'Replace the key that signs links and cursors; existing ones stay valid for a day',
    examples: ['keys rotate'],
  },
  {
    name: 'keys revoke',
    purpose: 'Replace the key that signs links and cursors at once; existing ones become invalid',
    examples: ['keys revoke'],
  },
  {
    name: 'keys rewrap',
    purpose: 'Wrap all stored keys with the primary key-encryption key',
    details: 'Safe to repeat. When it ends with 0, no stored key needs another key-encryption key.',
    examples: ['keys rewrap'],
    failure: 'a key-encryption key is missing or wrong; the stored keys that need it are named',
  },
  {
    name: 'reindex',
    purpose: 'Rebuild the search index of the catalog, and wait until it is complete',
    details:
      'The current index serves searches until the new one is complete. With SEARCH_ADAPTER=memory each running process rebuilds its own. Missing vectors are also computed. Without options everything is rebuilt.',
    options: [
      { flags: '--vertical <name>', purpose: 'only this type of product, such as charters' },
      { flags: '--locale <tag>', purpose: 'only this language, such as en-GB' },
      { flags: '--market <code>', purpose: 'only this market' },
      { flags: '--renew-embeddings', purpose: 'compute the vectors again, for example after a change of the model' },
    ],
    examples: ['reindex', 'reindex --vertical charters --locale en-GB', 'reindex --renew-embeddings --json'],
  },
  {
    name: 'ledger verify',
    purpose: 'Verify that no entry of the action ledger was changed, deleted or inserted',
    details: 'Only reads the database, without migrating it. The service may be running.',
    examples: ['ledger verify', 'ledger verify --json'],
    failure: 'the ledger is empty, broken, or differs from its checkpoints',
  },
  {
    name: 'ledger checkpoint',
    purpose: 'Sign the heads of the action ledger if entries were added, and print the newest checkpoint',
    options: [
      { flags: '--restored <reason>', purpose: 'accept the state of a restored backup', parse: nonEmpty('a reason') },
    ],
    examples: ['ledger checkpoint', 'ledger checkpoint --restored "disk failure of 3 March"'],
    failure: 'no checkpoint was written, because the ledger differs from the last one',
  },
  {
    name: 'ledger erase',
    purpose: 'Erase the states before and after of entries whose retention has ended, and record that',
    arguments: [
      { name: 'reason', purpose: 'why, for the record', parse: nonEmpty('a reason') },
      { name: 'entryIds', purpose: 'IDs of entries', many: true },
    ],
    examples: ['ledger erase "request of the data subject" alog_01h455vb4pex5vsknk084sn02q'],
  },
  {
    name: 'customers link',
    purpose: 'Link bookings without a customer record to the customer with their e-mail address and name',
    details:
      'Creates customers that do not exist. Bookings without an e-mail address stay as they are. It can be stopped and repeated at any time, and the service may be running.',
    examples: ['customers link'],
  },
  {
    name: 'files move',
    purpose: 'Copy files from FILES_FALLBACK to FILES_URL and verify them',
    details: 'It can be stopped and repeated at any time, and the service may be running.',
    options: [{ flags: '--delete-source', purpose: 'delete each file from the source once the target is verified' }],
    examples: ['files move', 'files move --delete-source'],
    failure: 'the move was interrupted, or files are damaged in the source',
  },
  {
    name: 'backup',
    purpose: 'Back up database and files',
    details:
      'The service may be running. The key-encryption keys are not part of a backup. Deletes old backups beyond BACKUP_KEEP.',
    options: [
      { flags: '--to <folder>', purpose: 'where to; BACKUP_DIR by default' },
      { flags: '--accept-lost', purpose: 'from now on backups are complete without the files that are missing now' },
    ],
    examples: ['backup', 'backup --to /mnt/disk2/travel --json'],
    failure: 'stored files are damaged or missing (the backup is made), or no backup was made',
  },
  {
    name: 'backup copy',
    purpose: 'Copy a backup to another place and verify the copy',
    details:
      'For example to a mounted disk or share of another site. A copy gets its name after all of it was read again; repeating the command copies only missing or damaged files. Deletes old copies beyond BACKUP_KEEP, unless the backup is named.',
    arguments: [{ name: 'backup', purpose: 'name of the backup; the newest by default', optional: true }],
    options: [
      { flags: '--to <folder>', purpose: 'where to', required: true },
      { flags: '--from <folder>', purpose: 'folder of the backups; BACKUP_DIR by default' },
    ],
    examples: ['backup copy --to /mnt/offsite/travel', 'backup copy 20261123T020000Z --to /mnt/offsite/travel --json'],
    failure: 'no copy was made',
  },
  {
    name: 'restore',
    purpose: 'Restore database and files from a backup',
    details: 'The service must be stopped.',
    arguments: [{ name: 'backup', purpose: 'name of the backup; the newest by default', optional: true }],
    options: [
      { flags: '--from <folder>', purpose: 'folder of the backups; BACKUP_DIR by default' },
      { flags: '--verify', purpose: 'only compare the backup with the hashes in its manifest' },
      { flags: '--replace', purpose: 'also if the database contains data' },
    ],
    examples: ['restore --verify', 'restore', 'restore 20261123T020000Z --replace'],
  },
  {
    name: 'doctor',
    purpose: 'Check whether the service can start and serve on this machine',
    details: 'Changes nothing and starts nothing. Names a remedy for each fault.',
    examples: ['doctor', 'doctor --json'],
    failure: 'a check failed',
  },
  {
    name: 'reset',
    purpose: 'Delete the data folder with the embedded database, after asking (development)',
    options: [{ flags: '--yes', purpose: 'do not ask' }],
    examples: ['reset --yes'],
  },
  {
    name: 'demo',
    purpose: 'Create what a first start creates: owner, keys and, outside production, the demo data of the examples',
    examples: ['demo'],
    hidden: true,
  },
  {
    name: 'openapi',
    purpose: 'Print the API document',
    examples: ['openapi > openapi.json'],
    hidden: true,
  },
  {
    name: 'docs',
    purpose: 'Write the generated pages of docs/ and .env.example',
    examples: ['docs'],
    hidden: true,
  },
];

/** @param {string} text */
function emailAddress(text) {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError('Expected an e-mail address.');
}

/** @param {string} path */
function readableFile(path) {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read (${codeOf(error)}).`);
  }
}

/** @param {string} what @returns {(text: string) => string} */
function nonEmpty(what) {
  return (text) => {
    if (text.trim() !== '') return text.trim();
    throw new InvalidArgumentError(`Expected ${what}.`);
  };
}
