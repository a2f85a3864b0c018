// @ts-check
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../ports.js';
import { codeOf, ended, isAlive } from '../processes.js';
import { belongsToBaseCopy } from './base-copy.js';
import { connected } from './database.js';
import { launchPostmaster, stopPostmaster } from './postmaster.js';
import { findPrograms, packagedServer } from './programs.js';
import { failure, giveTo, serverUserFor } from './server-user.js';

/**
 * @typedef {object} ReplicaServer
 * @property {number} port on 127.0.0.1
 * @property {(primaryUrl: string) => string} urlOf the same database and role on the replica
 * @property {() => Promise<void>} start starts it again after `stop`
 * @property {() => Promise<void>} stop
 */

const READY_WITHIN_MS = 30_000;

/**
 * Starts a streaming replica of an embedded server, for tests and benchmarks. The package has no pg_basebackup: the data is
 * copied between `pg_backup_start` and `pg_backup_stop`. The caller stops the replica, and deletes `dataDir` after it.
 * @param {{ primary: { dataDir: string, superuserUrl: string }, dataDir: string, name?: string }} options
 *   `primary.dataDir`: as given to `startPostgres`; `name`: of its replication slot, if there are several replicas
 * @returns {Promise<ReplicaServer>}
 */
export async function startReplica({ primary, dataDir, name = 'replica' }) {
  const { major } = packagedServer();
  const [source, area] = [join(resolve(primary.dataDir), major), resolve(dataDir)];
  const cluster = join(area, major);
  mkdirSync(cluster, { recursive: true, mode: 0o711 });
  const user = serverUserFor(source);
  const { postgres } = findPrograms(packagedServer(), { area, user });
  await allowReplication(source, primary.superuserUrl);
  await copyData(source, cluster, { ...primary, name });
  follow(cluster, { ...primary, name });
  giveTo(user, cluster);

  const port = await freePort();
  const urlOf = (/** @type {string} */ primaryUrl) => Object.assign(new URL(primaryUrl), { port: String(port) }).href;
  let pid = 0;
  const start = async () => {
    const logFile = join(area, 'postgres.log');
    const server = launchPostmaster(cluster, { postgres, user, port, durable: false, logFile });
    pid = server.pid;
    await accepts(urlOf(primary.superuserUrl), server);
  };
  const stop = async () => {
    if (pid && isAlive(pid)) await stopPostmaster(pid);
    await ended(pid, 1_000);
  };
  await start();
  return { port, urlOf, start, stop };
}

/** The launcher's own rules let no client replicate the server. @param {string} source @param {string} superuserUrl */
async function allowReplication(source, superuserUrl) {
  appendFileSync(join(source, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
  await connected(superuserUrl, (client) => client.query('select pg_reload_conf()'));
}

/** @param {string} source @param {string} cluster @param {{ superuserUrl: string, name: string }} options */
async function copyData(source, cluster, { superuserUrl, name }) {
  await connected(superuserUrl, async (client) => {
    // The primary keeps what the replica has not received yet.
    await client.query('select pg_create_physical_replication_slot($1, true)', [name]);
    await client.query('select pg_backup_start($1, true)', [name]);
    copyRunning({ source, target: cluster });
    mkdirSync(join(cluster, 'pg_wal/archive_status'), { recursive: true });
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(cluster, 'backup_label'), rows[0].labelfile);
  });
}

/**
 * Copies the data of a running server. What the server deletes meanwhile is left out: the log says so too.
 * @param {{ source: string, target: string }} folders
 * @param {string} below the folder inside both, with `/`
 */
function copyRunning({ source, target }, below = '') {
  mkdirSync(join(target, below), { recursive: true });
  for (const entry of ifExists(() => readdirSync(join(source, below), { withFileTypes: true })) ?? []) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!belongsToBaseCopy(path)) continue;
    if (entry.isDirectory()) copyRunning({ source, target }, path);
    else if (entry.isFile()) ifExists(() => copyFileSync(join(source, path), join(target, path)));
  }
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined} undefined if the file or the folder no longer exists
 */
function ifExists(read) {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** @param {string} cluster @param {{ superuserUrl: string, name: string }} options */
function follow(cluster, { superuserUrl, name }) {
  const { username, password, port } = new URL(superuserUrl);
  const primary = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${primary}'\nprimary_slot_name = '${name}'\nwal_receiver_status_interval = 1\nwal_retrieve_retry_interval = 200\n`,
  );
  writeFileSync(join(cluster, 'standby.signal'), '');
}

/** @param {string} url @param {import('./postmaster.js').Postmaster} server */
async function accepts(url, { pid, output }) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await connected(url, async () => true).catch(() => false))) {
    if (!isAlive(pid) || Date.now() > deadline) {
      if (isAlive(pid)) await stopPostmaster(pid);
      throw failure('The replica did not start.', output());
    }
    await delay(50);
  }
}
