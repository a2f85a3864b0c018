// @ts-check
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../processes.js';

/**
 * A library is looked up as libpq.so.5, and packed as libpq.so.5.18: npm packs no links, and the package's own
 * install script, which would make them, is not allowed to run.
 * @param {string} native
 */
export function addLinks(native) {
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
 * Copies what a running server needs (40 MB). The copy appears in one step, so that nobody runs half of it, and a
 * folder that another user could have put there is not trusted.
 * @param {string} native
 * @param {string} path
 */
export function copyBinaries(native, path) {
  const parent = dirname(path);
  if (mkdirSync(parent, { recursive: true }) !== undefined) chmodSync(parent, 0o755);
  for (const folder of [parent, path].filter((each) => existsSync(each))) refuseForeign(folder);
  if (existsSync(path)) return;
  const draft = mkdtempSync(`${path}.`);
  const wanted = (/** @type {string} */ file) => !file.endsWith('.a') && basename(file) !== 'pkgconfig';
  cpSync(native, join(draft, 'native'), { recursive: true, filter: wanted, verbatimSymlinks: true });
  addLinks(join(draft, 'native'));
  openToReaders(draft);
  try {
    renameSync(join(draft, 'native'), path);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function refuseForeign(folder) {
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${folder} can be written by others`);
}

/** A strict umask while installing would have left the copy to its owner alone. @param {string} folder */
function openToReaders(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToReaders(path);
    else if (entry.isFile()) chmodSync(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
