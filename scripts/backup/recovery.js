// @ts-check
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeAbandonedDrafts, renewPasswords } from '../embedded-postgres/cluster.js';
import { connected, DATABASE } from '../embedded-postgres/database.js';
import { clusterIn, runningPostgres } from '../embedded-postgres/index.js';
import { launchPostmaster, stopPostmaster } from '../embedded-postgres/postmaster.js';
import { findPrograms, packagedServer } from '../embedded-postgres/programs.js';
import { completeReplacement, replaceCluster } from '../embedded-postgres/replacement.js';
import { failure, giveTo, serverUserFor } from '../embedded-postgres/server-user.js';
import { ARCHIVE_LATER } from '../embedded-postgres/wal-archive.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { isAlive } from '../processes.js';
import { bytesOf, copyFile, forEachOf } from './copies.js';
import { progressOf } from './progress.js';
import { endOfRecovery, neededFiles, restoredState } from './restored-state.js';
import { lsnOf, recordPresent } from './timelines.js';
import { collectWal, keepUnarchived, RESTORED_WAL } from './wal-segments.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('../embedded-postgres/server-user.js').ServerUser} ServerUser */
/** `timeline`: the new one. @typedef {import('./restored-state.js').RestoredState & { lastTransactionAt: string | null, timeline: number }} Recovered */

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
  completeReplacement(cluster);
  if (replace || !existsSync(cluster) || readdirSync(cluster).length === 0) return;
  throw new LaunchError(
    `${cluster} contains a database.`,
    'To restore all the same add --replace: the database is not deleted but renamed. Or set DATA_DIR to another folder.',
  );
}

/**
 * Restores a physical backup, and replays the archived write-ahead log. The cluster gets its name when it is complete; `before`
 * runs at that moment, and if it fails nothing has changed. Nothing is archived before a server is started on the cluster.
 * @param {import('./recovery-plan.js').RecoveryPlan} plan
 * @param {{ dataDir: string, replace: boolean, signal: AbortSignal, before: (fileKeys: string[]) => Promise<void> }} options `fileKeys`: of the
 *   stored files that the restored database names
 * @returns {Promise<{ recovered: Recovered, setAside: string | null }>}
 */
export async function recoverCluster(plan, { dataDir, replace, signal, before }) {
  const area = resolve(dataDir);
  mkdirSync(area, { recursive: true, mode: 0o711 });
  const cluster = clusterIn(area);
  const user = serverUserFor(cluster);
  const programs = findPrograms(packagedServer(), { area, user });
  await removeAbandonedDrafts(cluster);
  const draft = mkdtempSync(`${cluster}.draft-${process.pid}-`);
  try {
    await copyDatabase(plan.backup, draft, signal);
    const { segments, unarchived } = await collectWal(plan, { draft, signal });
    writeFileSync(join(draft, 'recovery.signal'), '');
    giveTo(user, draft);
    const { fileKeys, ...state } = await replay(draft, { postgres: programs.postgres, user, plan, segments, signal });
    const timeline = recordPresent(draft, state.timeline, plan.timelines);
    rejectEarlyEnd(plan, timeline);
    keepUnarchived(draft, { unarchived, timeline, user });
    for (const name of [RESTORED_WAL, 'postmaster.opts']) rmSync(join(draft, name), { recursive: true, force: true });
    await renewPasswords(draft, { programs, user, settings: ARCHIVE_LATER });
    signal.throwIfAborted();
    await before(fileKeys);
    // A service may have been started meanwhile.
    rejectUnsuitableCluster(plan.backup, { dataDir, replace });
    const setAside = replaceCluster(draft, cluster);
    return { recovered: state, setAside };
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
 * @param {{ postgres: string, user: ServerUser, plan: import('./recovery-plan.js').RecoveryPlan, segments: number,
 *   signal: AbortSignal }} options
 * @returns {Promise<Recovered & { fileKeys: string[] }>}
 */
async function replay(cluster, { postgres, user, plan, segments, signal }) {
  const folder = mkdtempSync(join(tmpdir(), 'travel-restore-'));
  const logFile = join(folder, 'postgres.log');
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, 'local all postgres trust\n', { mode: 0o644 });
  if (user.identity.uid !== undefined) chownSync(folder, user.identity.uid, user.identity.gid ?? -1);
  const settings = {
    ...ARCHIVE_LATER,
    listen_addresses: '',
    unix_socket_directories: folder,
    hba_file: rules,
    // Connections are accepted when the log is replayed.
    hot_standby: 'off',
    restore_command: `f=${RESTORED_WAL}/%f; if test -f "$f.gz"; then gzip -dc "$f.gz" > %p; else test -f "$f" && cp "$f" %p; fi`,
    recovery_target_timeline: String(plan.timeline.number),
    recovery_target_action: 'promote',
  };
  const launch = (/** @type {Record<string, string>} */ target) =>
    launchPostmaster(cluster, {
      postgres,
      user,
      port: SOCKET_PORT,
      durable: true,
      logFile,
      settings: { ...settings, ...target },
    });
  const url = (/** @type {string} */ database) =>
    `postgresql://postgres@/${database}?host=${encodeURIComponent(folder)}&port=${SOCKET_PORT}`;
  const wait = { url: url('postgres'), segments, signal };
  let server = launch(targetOf(plan.target));
  try {
    if (!(await isReplayed(server, wait))) {
      if (!plan.mayEndBefore || !isTooEarly(server.output())) throw recoveryFailure(server.output(), plan.target);
      server = launch({});
      if (!(await isReplayed(server, wait))) throw recoveryFailure(server.output(), plan.target);
    }
    const end = await connected(url('postgres'), endOfRecovery);
    const fileKeys = await connected(url(DATABASE), neededFiles);
    return { ...(await connected(url(DATABASE), restoredState)), ...end, fileKeys };
  } finally {
    if (isAlive(server.pid)) await stopPostmaster(server.pid);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('./recovery-plan.js').RecoveryPlan['target']} target @returns {Record<string, string>} */
function targetOf(target) {
  if (target === 'end') return {};
  if (target === 'backup') return { recovery_target: 'immediate' };
  return typeof target === 'bigint'
    ? { recovery_target_lsn: lsnOf(target), recovery_target_inclusive: 'off' }
    : { recovery_target_time: target.toISOString().replace('T', ' ').replace('Z', '+00') };
}

/**
 * @param {import('../embedded-postgres/postmaster.js').Postmaster} server
 * @param {{ url: string, segments: number, signal: AbortSignal }} options
 * @returns {Promise<boolean>} false if the server has ended
 */
async function isReplayed({ pid, output }, { url, segments, signal }) {
  const progress = progressOf('replaying the write-ahead log', segments, (count) => `${count} segments`);
  let seen = 0;
  while (!(await connected(url, async () => true).catch(() => false))) {
    signal.throwIfAborted();
    if (!isAlive(pid)) return false;
    const restored = output().match(/restored log file "[0-9A-F]{24}"/g)?.length ?? 0;
    progress.add(restored - seen);
    seen = restored;
    await delay(100);
  }
  progress.end();
  return true;
}

/** @param {string} output of the server */
function isTooEarly(output) {
  return output.includes('recovery ended before configured recovery target was reached');
}

/** @param {string} output @param {import('./recovery-plan.js').RecoveryPlan['target']} target */
function recoveryFailure(output, target) {
  if (!(target instanceof Date) || !isTooEarly(output)) {
    return failure('The write-ahead log could not be replayed.', output);
  }
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(output)?.[1];
  return new LaunchError(
    `No transaction after ${target.toISOString()} is archived${last ? `; the last one is of ${last} UTC` : ''}.`,
    'Choose an earlier time, or omit --at to restore everything that was archived.',
    { exitCode: EXIT_DATA },
  );
}

/**
 * @param {import('./recovery-plan.js').RecoveryPlan} plan
 * @param {import('./timelines.js').Timeline} restored
 */
function rejectEarlyEnd({ target }, { branches }) {
  const end = branches.at(-1)?.end ?? 0n;
  if (typeof target !== 'bigint' || end >= target) return;
  throw new LaunchError(
    `The archived log ends at ${lsnOf(end)}, before ${lsnOf(target)}, at which the last restore began.`,
    'Restore to a time before it with --at.',
    { exitCode: EXIT_DATA },
  );
}
