// @ts-check
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStillThere, noteOfThisProcess } from '../processes.js';

/**
 * Notes down that this process uses the server, so that nobody else who shares it (a command beside the running
 * service) stops it on leaving. The last one turns off the light.
 * @param {string} area
 * @returns {() => void} gives the lease back; a process that dies without doing so is noticed
 */
export function takeLease(area) {
  const file = join(folderOf(area), `${process.pid}-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(noteOfThisProcess()));
  return () => rmSync(file, { force: true });
}

/**
 * Process ids of those that use the server; leases of the dead are removed.
 * @param {string} area
 * @returns {number[]}
 */
export function leaseholders(area) {
  return readdirSync(folderOf(area)).flatMap((name) => {
    const file = join(folderOf(area), name);
    const note = noteIn(file);
    if (note && isStillThere(note)) return [note.pid];
    rmSync(file, { force: true });
    return [];
  });
}

/** @param {string} file @returns {{ pid: number, birth: string | null } | null} */
function noteIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} area */
function folderOf(area) {
  const folder = join(area, 'users');
  mkdirSync(folder, { recursive: true });
  return folder;
}
