// @ts-check
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { birthOf, isStillThere } from '../processes.js';

/**
 * Notes down the server that was started: a later process must know it from one that a person started by hand, which
 * is used but never stopped, and uses the same port again.
 * @param {string} area
 * @param {{ pid: number, port: number }} server
 */
export function record(area, { pid, port }) {
  const file = join(area, 'server.json');
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ pid, port, birth: birthOf(pid) }));
  renameSync(`${file}.${process.pid}`, file);
}

/**
 * Whether one of our processes started the server.
 * @param {string} area
 * @param {number} pid
 */
export function isOurs(area, pid) {
  const noted = noteIn(area);
  return noted !== null && noted.pid === pid && isStillThere(noted);
}

/** The port of the last server. @param {string} area @returns {number | undefined} */
export function lastPort(area) {
  return noteIn(area)?.port;
}

/** @param {string} area @returns {{ pid: number, port: number, birth: string | null } | null} */
function noteIn(area) {
  try {
    return JSON.parse(readFileSync(join(area, 'server.json'), 'utf8'));
  } catch {
    return null;
  }
}
