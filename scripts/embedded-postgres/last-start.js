// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_NAME } from './settings.js';

/**
 * How the last server on a cluster was started. PostgreSQL writes it down itself, and only when it has got hold of the
 * cluster: of two that start at the same time, the one that lost leaves no trace.
 * @param {string} cluster
 * @returns {{ port: number | undefined, ours: boolean }} `ours`: by one of our processes, and not by hand
 */
export function lastStart(cluster) {
  const words = readWords(join(cluster, 'postmaster.opts'));
  const port = /"port=(\d+)"/.exec(words)?.[1];
  return { port: port ? Number(port) : undefined, ours: words.includes(`"cluster_name=${CLUSTER_NAME}"`) };
}

/** @param {string} file */
function readWords(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
