// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { LaunchError } from '../launch-error.js';

/**
 * Who runs the server. PostgreSQL refuses root, so root hands it to somebody else; `identity` is what `spawn` takes.
 * @typedef {{ name: string, identity: { uid?: number, gid?: number } }} ServerUser
 */

/**
 * For root: whoever owns the cluster already, else `postgres`, else `nobody`. For everyone else: himself.
 * @param {string} cluster the cluster's data folder, which need not exist
 * @returns {ServerUser}
 * @throws {LaunchError} the cluster belongs to another user
 */
export function serverUserFor(cluster) {
  const owner = existsSync(cluster) ? statSync(cluster) : null;
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new LaunchError(
        `The database in ${cluster} belongs to another user (uid ${owner.uid}); it was made when somebody else, probably root, started the service.`,
        'Start as that user, or remove the folder as that user to begin with an empty database.',
      );
    }
    return { name: 'this user', identity: {} };
  }
  if (owner && owner.uid !== 0) return { name: `uid ${owner.uid}`, identity: { uid: owner.uid, gid: owner.gid } };
  for (const name of ['postgres', 'nobody']) {
    const [userId, groupId] = [idOf('-u', name), idOf('-g', name)];
    if (userId !== null && groupId !== null) return { name, identity: { uid: userId, gid: groupId } };
  }
  throw new LaunchError(
    'PostgreSQL does not run as root, and this machine has neither a user `postgres` nor a user `nobody`.',
    'Make one (`useradd --system postgres`), start as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * Whether the user may pass through a folder. Asked of the system (with `test`), because permission bits alone
 * do not tell (access lists, mount options); asked of a shell, because Node itself may lie where that user cannot go.
 * @param {string} folder
 * @param {ServerUser} user
 */
export function mayEnter(folder, user) {
  const question = ['-c', 'test -x "$1"', 'sh', folder];
  const { status, error } = spawnSync('/bin/sh', question, { ...user.identity, cwd: '/', stdio: 'ignore' });
  if (error && 'code' in error && error.code === 'EPERM') {
    throw new LaunchError(
      `PostgreSQL does not run as root, and this root may not become ${user.name}.`,
      'Give the container the capabilities SETUID and SETGID, start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return status === 0;
}

/** @param {'-u' | '-g'} kind @param {string} name */
function idOf(kind, name) {
  const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' });
  // macOS prints nobody's -2 as 4294967294, which Node refuses.
  return status === 0 ? Number(stdout) | 0 : null;
}
