// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../launch-error.js';

/**
 * The user that runs the server. PostgreSQL does not run as root, so root runs it as another user; `identity` is the option
 * of `spawn`.
 * @typedef {{ name: string, identity: { uid?: number, gid?: number } }} ServerUser
 */

/**
 * Returns the current user, or for root the owner of the cluster, otherwise `postgres`, otherwise `nobody`.
 * @param {string} cluster the cluster's data folder; it need not exist
 * @returns {ServerUser}
 * @throws {LaunchError} the cluster belongs to another user
 */
export function serverUserFor(cluster) {
  const owner = existsSync(cluster) ? statSync(cluster) : null;
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new LaunchError(
        `The database in ${cluster} belongs to another user (uid ${owner.uid}), who started the service before.`,
        'Start as that user, or delete the folder as that user to begin with an empty database.',
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
    'Create one (`useradd --system postgres`), start as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * Returns whether the user may enter a folder. `test` asks the system, because access lists and mount options also count; a
 * shell runs it, because the user may not be able to enter the folder of Node.js.
 * @param {string} folder
 * @param {ServerUser} user
 */
export function mayEnter(folder, user) {
  const words = ['-c', 'test -x "$1"', 'sh', folder];
  const { status, error } = spawnSync('/bin/sh', words, { ...user.identity, cwd: '/', stdio: 'ignore' });
  if (error && 'code' in error && error.code === 'EPERM') {
    throw new LaunchError(
      `PostgreSQL does not run as root, and this root may not become ${user.name}.`,
      'Give the container the capabilities SETUID and SETGID, start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return status === 0;
}

/**
 * Makes the server's user the owner of a folder with all its contents, without rights for other users.
 * @param {ServerUser} user
 * @param {string} path
 */
export function giveTo(user, path) {
  const isFolder = lstatSync(path).isDirectory();
  if (isFolder) for (const entry of readdirSync(path)) giveTo(user, join(path, entry));
  chmodSync(path, isFolder ? 0o700 : 0o600);
  if (user.identity.uid !== undefined) chownSync(path, user.identity.uid, user.identity.gid ?? -1);
}

/** @param {'-u' | '-g'} kind @param {string} name */
function idOf(kind, name) {
  const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' });
  // macOS prints -2, the id of `nobody`, as 4294967294, which Node.js rejects.
  return status === 0 ? Number(stdout) | 0 : null;
}

/**
 * Returns the options of `spawn` for a program of the server: in the folder of the cluster, as the server's user, and without
 * this process's environment, which may contain PGPORT or PGDATA. `path` is the folder as that user can name it.
 * @param {string} cluster
 * @param {ServerUser} user
 */
export function serverProcess(cluster, user) {
  const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return { ...user.identity, cwd: cluster, env: environment, path: reachable(cluster, user) };
}

/**
 * If a folder above the cluster is closed to the server's user (a clone in /root), a process on Linux can still reach the
 * folder that it was started in, through its entry in /proc.
 * @param {string} cluster
 * @param {ServerUser} user
 */
function reachable(cluster, user) {
  if (mayEnter(cluster, user)) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new LaunchError(
    `PostgreSQL would run as ${user.name}, who may not enter ${cluster}.`,
    'Start as an ordinary user, or set DATA_DIR to a folder that every user may enter.',
  );
}

/**
 * Runs a program to its end. A Ctrl-C in the terminal does not reach it.
 * @param {string[]} command
 * @param {import('node:child_process').SpawnOptions & { input?: string }} options
 * @returns {Promise<{ code: number | null, output: string }>} `output`: of both streams
 */
export function run([program = '', ...words], { input = '', ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { ...options, detached: true, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    // A program that ends early does not read its input; its exit code is more useful than EPIPE.
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

const REMEDIES = {
  'No space left on device': 'The disk is full: free some space, or set DATA_DIR to a folder on a larger disk.',
  'Permission denied': 'Give the folder to the user that starts the service, or set DATA_DIR to another folder.',
  'user does not exist': 'The user id has no name on this machine: start as a user that is listed in /etc/passwd.',
  semaphores: 'The machine is out of semaphores: end other database servers, or set DATABASE_URL.',
  'shared memory': 'The machine has too little shared memory: give it more, or set DATABASE_URL.',
};

/**
 * Makes an error with the last lines of PostgreSQL's output and the remedy for them.
 * @param {string} message
 * @param {string} output
 */
export function failure(message, output) {
  const known = Object.entries(REMEDIES).find(([words]) => output.includes(words));
  const remedy = known?.[1] ?? 'The output of PostgreSQL above names the reason. DATABASE_URL selects another server.';
  return new LaunchError(message, remedy, { detail: output.trim().split('\n').slice(-12).join('\n') });
}
