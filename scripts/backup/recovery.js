// @ts-check
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { renewPasswords } from '../embedded-postgres/cluster.js';
import { connected, DATABASE } from '../embedded-postgres/database.js';
import { clusterIn, runningPostgres } from '../embedded-postgres/index.js';
import { launchPostmaster, stopPostmaster } from '../embedded-postgres/postmaster.js';
import { findPrograms, packagedServer } from '../embedded-postgres/programs.js';
import { failure, giveTo, serverUserFor } from '../embedded-postgres/server-user.js';
import { archiveSettings } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { isAlive } from '../processes.js';
import { bytesOf, copyFile, forEachOf } from './copies.js';
import { progressOf } from './progress.js';
import { lastTransactionAt, restoredState } from './restored-state.js';
import { collectWal, RESTORED_WAL } from './wal-segments.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('../embedded-postgres/server-user.js').ServerUser} ServerUser */
/** @typedef {import('./restored-state.js').RestoredState & { lastTransactionAt: string | null }} Recovered */
/**
 * How far the log is replayed: to a point in time, not beyond the backup itself, or to its end.
 * @typedef {Date | 'backup' | 'end'} UpTo
 */

export const DATABASE_FOLDER = 'database/';
/** No server listens on it: the socket has the number in its name. */
const SOCKET_PORT = 5432;

/**
 * Rejects a restore that would damage what is there, before anything is read or written.
 * @param {Backup} backup
 * @param {{ dataDir: string, replace: boolean }} options
 */
export function rejectUnsuitableCluster({ name, manifest }, { dataDir, replace }) {
  const { major, version } = packagedServer();
  if (manifest.postgresVersion.split('.')[0] !== major) {
    throw new LaunchError(
      `The backup ${name} was made by PostgreSQL ${manifest.postgresVersion}, and the embedded server is ${version}.`,
      'Restore it with the version of the service that made it.',
    );
  }
  const running = runningPostgres(dataDir);
  if (running) {
    throw new LaunchError(
      `The embedded PostgreSQL is running (process ${running.pid}).`,
      'Stop the service first, with Ctrl-C where it was started.',
    );
  }
  const cluster = clusterIn(resolve(dataDir));
  if (replace || !existsSync(cluster) || readdirSync(cluster).length === 0) return;
  throw new LaunchError(
    `${cluster} contains a database.`,
    'To restore all the same add --replace: the database is not deleted but renamed. Or set DATA_DIR to another folder.',
  );
}

/**
 * Restores a physical backup, and replays the archived write-ahead log to its end or to a point in time. The cluster gets its
 * name when it is complete; `before` runs at that moment, and if it fails nothing has changed.
 * @param {Backup} backup
 * @param {{ dataDir: string, replace: boolean, archive: string, backupDir: string | undefined, upTo: UpTo, signal: AbortSignal,
 *   before: () => Promise<void> }} options `archive`: of the write-ahead log; `backupDir`: the restored server archives there
 * @returns {Promise<{ recovered: Recovered, setAside: string | null }>}
 */
export async function recoverCluster(backup, { dataDir, replace, archive, backupDir, upTo, signal, before }) {
  const area = resolve(dataDir);
  mkdirSync(area, { recursive: true, mode: 0o711 });
  const cluster = clusterIn(area);
  const user = serverUserFor(cluster);
  const programs = findPrograms(packagedServer(), { area, user });
  const draft = mkdtempSync(`${cluster}.draft-${process.pid}-`);
  try {
    await copyDatabase(backup, draft, signal);
    const segments = await collectWal(backup, { archive, cluster, target: draft, upTo, signal });
    writeFileSync(join(draft, 'recovery.signal'), '');
    giveTo(user, draft);
    const archiving = backupDir === undefined ? {} : archiveSettings(backupDir, { cluster: draft, user });
    const recovered = await replay(draft, { postgres: programs.postgres, user, archiving, upTo, segments, signal });
    for (const name of [RESTORED_WAL, 'postmaster.opts']) rmSync(join(draft, name), { recursive: true, force: true });
    await renewPasswords(draft, { programs, user });
    signal.throwIfAborted();
    await before();
    // A service may have been started meanwhile.
    rejectUnsuitableCluster(backup, { dataDir, replace });
    const setAside = existsSync(cluster)
      ? `${cluster}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
      : null;
    if (setAside !== null) renameSync(cluster, setAside);
    renameSync(draft, cluster);
    return { recovered, setAside };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param {Backup} backup @param {string} draft @param {AbortSignal} signal */
async function copyDatabase({ folder, manifest }, draft, signal) {
  for (const path of manifest.physical?.folders ?? []) mkdirSync(join(draft, path), { recursive: true, mode: 0o700 });
  const files = manifest.entries.filter(({ path }) => path.startsWith(DATABASE_FOLDER));
  const progress = progressOf('restoring the database', bytesOf(files));
  await forEachOf(
    files,
    async ({ path, bytes }) => {
      await copyFile(join(folder, path), join(draft, path.slice(DATABASE_FOLDER.length)));
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
}

/**
 * Runs a server that only this process can reach, by a socket in a folder of its own, until it has replayed the log.
 * @param {string} cluster
 * @param {{ postgres: string, user: ServerUser, archiving: Record<string, string>, upTo: UpTo, segments: number, signal: AbortSignal }} options
 * @returns {Promise<Recovered>}
 */
async function replay(cluster, { postgres, user, archiving, upTo, segments, signal }) {
  const folder = mkdtempSync(join(tmpdir(), 'travel-restore-'));
  const logFile = join(folder, 'postgres.log');
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, 'local all postgres trust\n', { mode: 0o644 });
  if (user.identity.uid !== undefined) chownSync(folder, user.identity.uid, user.identity.gid ?? -1);
  const settings = {
    ...archiving,
    listen_addresses: '',
    unix_socket_directories: folder,
    hba_file: rules,
    // Connections are accepted when the log is replayed.
    hot_standby: 'off',
    restore_command: `f=${RESTORED_WAL}/%f; if test -f "$f.gz"; then gzip -dc "$f.gz" > %p; else test -f "$f" && cp "$f" %p; fi`,
    recovery_target_action: 'promote',
    ...targetOf(upTo),
  };
  const server = launchPostmaster(cluster, { postgres, user, port: SOCKET_PORT, durable: true, logFile, settings });
  try {
    const url = (/** @type {string} */ database) =>
      `postgresql://postgres@/${database}?host=${encodeURIComponent(folder)}&port=${SOCKET_PORT}`;
    await replayed(server, { url: url('postgres'), upTo, segments, signal });
    const last = await connected(url('postgres'), lastTransactionAt);
    const state = await connected(url(DATABASE), restoredState);
    return { ...state, lastTransactionAt: last };
  } finally {
    if (isAlive(server.pid)) await stopPostmaster(server.pid);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {UpTo} upTo @returns {Record<string, string>} */
function targetOf(upTo) {
  if (upTo === 'end') return {};
  return upTo === 'backup'
    ? { recovery_target: 'immediate' }
    : { recovery_target_time: upTo.toISOString().replace('T', ' ').replace('Z', '+00') };
}

/**
 * @param {import('../embedded-postgres/postmaster.js').Postmaster} server
 * @param {{ url: string, upTo: UpTo, segments: number, signal: AbortSignal }} options
 */
async function replayed({ pid, output }, { url, upTo, segments, signal }) {
  const progress = progressOf('replaying the write-ahead log', segments, (count) => `${count} segments`);
  let seen = 0;
  while (!(await connected(url, async () => true).catch(() => false))) {
    signal.throwIfAborted();
    if (!isAlive(pid)) throw recoveryFailure(output(), upTo);
    const restored = output().match(/restored log file "[0-9A-F]{24}"/g)?.length ?? 0;
    progress.add(restored - seen);
    seen = restored;
    await delay(100);
  }
  progress.end();
}

/** @param {string} output @param {UpTo} upTo */
function recoveryFailure(output, upTo) {
  const isTooEarly = output.includes('recovery ended before configured recovery target was reached');
  if (!(upTo instanceof Date) || !isTooEarly) return failure('The write-ahead log could not be replayed.', output);
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(output)?.[1];
  return new LaunchError(
    `No transaction after ${upTo.toISOString()} is archived${last ? `; the last one is of ${last} UTC` : ''}.`,
    'Choose an earlier time, or omit --at to restore everything that was archived.',
    { exitCode: EXIT_DATA },
  );
}
