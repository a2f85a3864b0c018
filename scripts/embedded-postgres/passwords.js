// @ts-check
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { codeOf } from '../processes.js';

/** @typedef {{ superuser: string, application: string }} Passwords */

/**
 * The passwords that a cluster was given. They lie inside it, so that cluster and passwords come and go together.
 * @param {string} cluster
 * @returns {Passwords | null} null when there are none yet, or the file was lost
 * @throws {LaunchError} the file may not be read, or is not what was written
 */
export function findPasswords(cluster) {
  const file = fileOf(cluster);
  try {
    const { superuser, application } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof superuser === 'string' && typeof application === 'string') return { superuser, application };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) === 'EACCES') {
      throw new LaunchError(`${file} belongs to another user.`, 'Start as the user that started the service first.');
    }
  }
  throw new LaunchError(`${file} does not hold the passwords of the database.`, `Remove ${file}: new ones are set.`);
}

/** @returns {Passwords} */
export function newPasswords() {
  const random = () => randomBytes(24).toString('base64url');
  return { superuser: random(), application: random() };
}

/**
 * Keeps them for the next start, readable by the owner only. To be called when the cluster knows them: the other way
 * round, a start killed in between would leave passwords that open nothing.
 * @param {string} cluster
 * @param {Passwords} passwords
 */
export function keepPasswords(cluster, passwords) {
  const file = fileOf(cluster);
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(passwords, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** @param {string} cluster */
function fileOf(cluster) {
  return join(cluster, 'launcher-passwords.json');
}
