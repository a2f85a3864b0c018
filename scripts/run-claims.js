// @ts-check
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, isStillThere, noteOfThisProcess } from './processes.js';

/**
 * Who started something in this folder. `service` is the process that was started on top.
 * @typedef {{ pid: number, birth: string | null, service?: { pid: number, birth: string | null } }} Claim
 */

/**
 * Claims a name for this process, as long as it lives.
 * @param {string} file
 * @returns {{ holder: Claim } | { left: Claim | null }} `holder`: the living process that has it; `left`: it is ours
 *   now, and this is what a process that died without giving it back had written
 */
export function claim(file) {
  mkdirSync(dirname(file), { recursive: true });
  /** @type {Claim | null} */
  let left = null;
  for (;;) {
    try {
      writeFileSync(file, JSON.stringify(noteOfThisProcess()), { flag: 'wx' });
      return { left };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = read(file);
    if (holder && isStillThere(holder)) return { holder };
    left = takeAway(file) ?? left;
  }
}

/**
 * The living process that has the claim, without claiming it.
 * @param {string} file
 * @returns {Claim | null}
 */
export function holderOf(file) {
  const holder = read(file);
  return holder && isStillThere(holder) ? holder : null;
}

/**
 * Adds to our claim the process that was started on top, so that a later start finds it if we are killed.
 * @param {string} file
 * @param {{ pid: number, birth: string | null }} service
 */
export function addService(file, service) {
  writeFileSync(`${file}.new`, JSON.stringify({ ...noteOfThisProcess(), service }));
  renameSync(`${file}.new`, file);
}

/** @param {string} file */
export function giveUp(file) {
  rmSync(file, { force: true });
}

/**
 * Does something that two processes must not do at the same time; the second one waits.
 * @param {string} file
 * @param {() => Promise<void>} work
 */
export async function whileClaimed(file, work) {
  while ('holder' in claim(file)) await delay(200);
  try {
    await work();
  } finally {
    giveUp(file);
  }
}

/**
 * Processes that hold claims in a folder, and services that outlived the one that started them.
 * @param {string} folder
 * @returns {number[]}
 */
export function livingClaims(folder) {
  return namesIn(folder).flatMap((name) => {
    const noted = read(join(folder, name));
    const processes = noted ? [noted, ...(noted.service ? [noted.service] : [])] : [];
    return processes.filter((each) => isStillThere(each)).map(({ pid }) => pid);
  });
}

/**
 * Removes a dead claim. Renamed first: of two that find it at the same time, the slower one must not remove the claim
 * that the faster one has just made.
 * @param {string} file
 * @returns {Claim | null}
 */
function takeAway(file) {
  const away = `${file}.${process.pid}`;
  try {
    renameSync(file, away);
  } catch {
    return null;
  }
  const taken = read(away);
  if (taken && isStillThere(taken)) renameSync(away, file);
  else rmSync(away, { force: true });
  return taken;
}

/** @param {string} file @returns {Claim | null} */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
