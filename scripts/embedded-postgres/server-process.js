// @ts-check
import { spawn } from 'node:child_process';
import { LaunchError } from '../launch-error.js';
import { mayEnter } from './server-user.js';

/** @typedef {import('./server-user.js').ServerUser} ServerUser */

/**
 * How a program of the server is started on a cluster: in its folder, as the server's user, and with none of our
 * environment, in which PGPORT or PGDATA may point elsewhere. `path` is the folder as that user can name it.
 * @param {string} cluster
 * @param {ServerUser} user
 */
export function serverProcess(cluster, user) {
  const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return { ...user.identity, cwd: cluster, env: environment, path: reachable(cluster, user) };
}

/**
 * Below a folder that is closed to the server's user (a clone in /root) Linux still lets a process into the folder
 * that it was started in, by its own entry in /proc.
 * @param {string} cluster
 * @param {ServerUser} user
 */
function reachable(cluster, user) {
  if (mayEnter(cluster, user)) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new LaunchError(
    `PostgreSQL runs as ${user.name} here, who may not enter ${cluster}.`,
    'Start as an ordinary user, or set DATA_DIR to a folder below one that everybody may enter.',
  );
}

/**
 * Runs a program to its end, without blocking, and out of reach of a Ctrl-C in the terminal.
 * @param {string[]} command
 * @param {import('node:child_process').SpawnOptions & { input?: string }} options
 * @returns {Promise<{ code: number | null, output: string }>} what it wrote to both of its outputs
 */
export function run([program = '', ...words], { input = '', ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { ...options, detached: true, stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    // A program that ends early does not read its input; its exit code tells more than a broken pipe.
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
 * An error that shows the server's own last words and the remedy that belongs to them.
 * @param {string} message
 * @param {string} output
 */
export function failure(message, output) {
  const sign = Object.entries(REMEDIES).find(([words]) => output.includes(words));
  const remedy =
    sign?.[1] ?? 'The words of PostgreSQL above say why. DATABASE_URL makes the service use another server.';
  return new LaunchError(message, remedy, { detail: output.trim().split('\n').slice(-12).join('\n') });
}
