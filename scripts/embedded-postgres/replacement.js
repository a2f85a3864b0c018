// @ts-check
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Gives a complete draft the name of the cluster; the cluster that has it is renamed. Between the two renames no cluster has the
 * name, and a start would create an empty one: so the intent is recorded first.
 * @param {string} draft
 * @param {string} cluster
 * @returns {string | null} the new name of the cluster that was replaced
 */
export function replaceCluster(draft, cluster) {
  const setAside = existsSync(cluster)
    ? `${cluster}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
    : null;
  if (setAside !== null) {
    writeFileSync(fileOf(cluster), JSON.stringify({ draft, setAside }), { mode: 0o600, flush: true });
    syncFolder(dirname(cluster));
    renameSync(cluster, setAside);
  }
  try {
    renameSync(draft, cluster);
  } catch (error) {
    if (setAside !== null && !existsSync(cluster)) renameSync(setAside, cluster);
    throw error;
  } finally {
    syncFolder(dirname(cluster));
    rmSync(fileOf(cluster), { force: true });
  }
  return setAside;
}

/** Completes a replacement that was interrupted between its two renames. @param {string} cluster */
export function completeReplacement(cluster) {
  const file = fileOf(cluster);
  if (!existsSync(file)) return;
  const { draft, setAside } = parsed(readFileSync(file, 'utf8'));
  if (!existsSync(cluster) && existsSync(setAside) && existsSync(draft)) renameSync(draft, cluster);
  syncFolder(dirname(cluster));
  rmSync(file, { force: true });
}

/** Parses the recorded intent. If the process was killed while writing it, no cluster was renamed. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { draft: '', setAside: '' };
  }
}

/** @param {string} cluster */
function fileOf(cluster) {
  return `${cluster}.replacement.json`;
}

/** Makes renames in a folder durable. @param {string} folder */
export function syncFolder(folder) {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
