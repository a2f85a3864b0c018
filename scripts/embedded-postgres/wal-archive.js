// @ts-check
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { mayEnter } from './server-user.js';

/** A commit is in the archive after this time at the latest, also if the server writes little. */
const ARCHIVE_WITHIN_SECONDS = 60;

/**
 * The number that distinguishes a cluster from all others. A restored cluster has the number of the original.
 * @param {string} cluster
 */
export function systemIdentifierOf(cluster) {
  return readFileSync(join(cluster, 'global/pg_control')).readBigUInt64LE(0).toString();
}

/**
 * The timeline that the server of a cluster wrote last. It is exact if the server was stopped, not if it was killed.
 * @param {string} cluster
 */
export function timelineOf(cluster) {
  return readFileSync(join(cluster, 'global/pg_control')).readUInt32LE(48);
}

/**
 * The settings of a server that marks and keeps what has to be archived, and archives nothing. The next server on the cluster
 * archives it; without these settings it would find the log deleted.
 */
export const ARCHIVE_LATER = { archive_mode: 'on', archive_command: '' };

/**
 * The folder of a cluster's archive. @param {string} backupDir @param {string} systemIdentifier
 */
export function walArchiveIn(backupDir, systemIdentifier) {
  return join(backupDir, `wal-${systemIdentifier}`);
}

/**
 * Creates the archive of a cluster and returns the settings with which its server archives its write-ahead log.
 * @param {string} backupDir
 * @param {{ cluster: string, user: import('./server-user.js').ServerUser }} options
 * @returns {Record<string, string>}
 * @throws {LaunchError} the server's user cannot write there
 */
export function archiveSettings(backupDir, { cluster, user }) {
  const archive = walArchiveIn(backupDir, systemIdentifierOf(cluster));
  if (spawnSync('gzip', ['--version'], { stdio: 'ignore' }).error) {
    throw new LaunchError('The archive of BACKUP_DIR needs the program gzip.', 'Install gzip, or unset BACKUP_DIR.');
  }
  try {
    mkdirSync(backupDir, { recursive: true, mode: 0o711 });
    mkdirSync(archive, { recursive: true, mode: 0o700 });
    chmodSync(archive, 0o700);
    if (user.identity.uid !== undefined) chownSync(archive, user.identity.uid, user.identity.gid ?? -1);
  } catch (error) {
    throw new LaunchError(`BACKUP_DIR cannot be used: ${String(error)}`, 'Name a folder that this user may write to.');
  }
  if (!mayEnter(archive, user)) {
    throw new LaunchError(
      `PostgreSQL runs as ${user.name}, who may not enter ${archive}.`,
      'Set BACKUP_DIR to a folder that every user may enter, or start as an ordinary user.',
    );
  }
  return {
    archive_mode: 'on',
    archive_command: archiveCommand(archive),
    archive_timeout: `${ARCHIVE_WITHIN_SECONDS}s`,
  };
}

/**
 * Compresses a segment under another name and renames it when it is on the disk. After a crash the server may repeat a segment,
 * which succeeds only if it is the same: the archive of another server with the same number must not be overwritten.
 * @param {string} archive
 */
function archiveCommand(archive) {
  const folder = shellQuoted(archive).replaceAll('%', '%%');
  return [
    `f=${folder}/%f.gz`,
    `if test -f "$f"; then test "$(gzip -dc "$f" | cksum)" = "$(cksum < %p)"`,
    `else gzip -1 < %p > "$f.part" && sync "$f.part" && mv "$f.part" "$f" && sync ${folder}; fi`,
  ].join('; ');
}

/** @param {string} text */
function shellQuoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
