// @ts-check
import { accessSync, constants, existsSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { fsyncSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataFolder } from '../environment.js';
import { codeOf } from '../processes.js';
import { failed, fine, warned } from './finding.js';

const MIB = 1024 * 1024;
/** A new embedded database takes 300 MB, and its log of changes may grow to 1 GB. */
const NEEDED_BYTES = 300 * MIB;
const COMFORTABLE_BYTES = 2_048 * MIB;

/** Room for what the service keeps itself: the embedded database, logs and rendered documents. */
export function checkDisk() {
  const folder = existingPartOf(dataFolder());
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const says = `${Math.floor(free / MIB)} MB are free in ${folder}`;
  const remedy = 'free some space, or set DATA_DIR to a folder on a larger disk';
  if (free < NEEDED_BYTES) return [failed('disk', `${says}; ${NEEDED_BYTES / MIB} are needed`, remedy)];
  if (free < COMFORTABLE_BYTES) return [warned('disk', `${says}; that may soon be too little`, remedy)];
  return [fine('disk', says)];
}

/** Writes a file to the disk itself, reads it, and removes it. Makes no folder that is not there. */
export function checkWriting() {
  const folder = dataFolder();
  const remedy = 'give the folder to the user that starts the service, or set DATA_DIR to another one';
  try {
    if (existsSync(folder)) {
      tryOut(folder);
      return [fine('writing', `${folder} can be written to`)];
    }
    accessSync(existingPartOf(folder), constants.W_OK | constants.X_OK);
    return [fine('writing', `${folder} is not there yet and can be made`)];
  } catch (error) {
    return [failed('writing', `${folder} cannot be written to (${codeOf(error) || String(error)})`, remedy)];
  }
}

/** @param {string} folder */
function tryOut(folder) {
  const draft = mkdtempSync(join(folder, 'doctor-'));
  try {
    const file = join(draft, 'test');
    const text = String(Date.now());
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
    if (readFileSync(file, 'utf8') !== text) throw new Error('what was written was not read');
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {string} path @returns {string} */
function existingPartOf(path) {
  return existsSync(path) ? path : existingPartOf(dirname(path));
}
