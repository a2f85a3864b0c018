// @ts-check
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { embeddedFolders } from '../database.js';
import { belongsToBaseCopy } from '../embedded-postgres/base-copy.js';
import { removeAbandonedDrafts } from '../embedded-postgres/cluster.js';
import { connected, DATABASE } from '../embedded-postgres/database.js';
import { clusterIn, runningPostgres, startPostgres } from '../embedded-postgres/index.js';
import { packagedServer } from '../embedded-postgres/programs.js';
import { completeReplacement, replaceCluster } from '../embedded-postgres/replacement.js';
import { giveTo, serverUserFor } from '../embedded-postgres/server-user.js';
import { LaunchError } from '../launch-error.js';
import { note } from '../progress.js';
import { copyFile, digestOf, filesIn, forEachOf } from './copies.js';
import { recordLastBackup } from './last-backup.js';
import { DATABASE_FOLDER } from './manifest.js';
import { neededFiles, neededKeys, restoredState } from './restored-state.js';

/** @typedef {import('./copies.js').Entry} Entry */
/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./dump.js').DatabaseCopy} DatabaseCopy */
/** @typedef {import('../embedded-postgres/index.js').PostgresServer} PostgresServer */

const LOG = 'pg_wal';

/**
 * Copies the data folder of the embedded server. Starts the server first if it is not running. The copy is complete in itself: it needs no
 * other part of the server's log.
 * @param {string} target an empty folder
 * @param {AbortSignal} signal
 * @returns {Promise<DatabaseCopy>}
 */
export async function copyDatabase(target, signal) {
  const server = await startPostgres({ ...embeddedFolders(), log: note, signal });
  try {
    const copy = await copyCluster(server, join(target, DATABASE_FOLDER), signal);
    const needed = await connected(addressOf(server), async (client) => ({
      keyIds: await neededKeys(client),
      fileKeys: await neededFiles(client),
    }));
    const entries = copy.entries.map((entry) => ({ ...entry, path: `${DATABASE_FOLDER}${entry.path}` }));
    return { ...copy, ...needed, entries };
  } finally {
    await server.stop();
  }
}

/** @param {string} startedAt of a complete backup @param {AbortSignal} signal */
export async function recordBackup(startedAt, signal) {
  const server = await startPostgres({ ...embeddedFolders(), log: note, signal });
  try {
    await connected(addressOf(server), (client) => recordLastBackup(client, startedAt));
  } finally {
    await server.stop();
  }
}

/** The superuser reads every table. @param {PostgresServer} server */
function addressOf({ superuserUrl }) {
  return Object.assign(new URL(superuserUrl), { pathname: `/${DATABASE}` }).href;
}

/**
 * Copies the data and the part of the write-ahead log that makes it consistent. Uses the low-level backup functions, because
 * the package has no pg_basebackup.
 * @param {PostgresServer} server
 * @param {string} target
 * @param {AbortSignal} signal
 */
async function copyCluster({ cluster, superuserUrl }, target, signal) {
  if (readdirSync(join(cluster, 'pg_tblspc')).length > 0) {
    throw new LaunchError('The server has tablespaces outside its data folder.', 'Back it up with pg_basebackup.');
  }
  return connected(superuserUrl, async (client) => {
    const query = async (/** @type {string} */ text, /** @type {unknown[]} */ values = []) =>
      (await client.query(text, values)).rows[0];
    const name = `backup_${process.pid}`;
    // The server keeps the log, and the backup continues, only until this connection ends.
    await query('select pg_create_physical_replication_slot($1, true, true)', [name]);
    await query('select pg_backup_start($1, true)', [name]);
    const folders = foldersIn(cluster);
    /** @type {Entry[]} */
    const entries = [];
    const copy = async (/** @type {{ path: string, bytes: number }[]} */ files, /** @type {string} */ work) =>
      forEachOf(files, { name: work, signal }, async ({ path }) => {
        const copied = await copyFile(join(cluster, path), join(target, path));
        // The file of a table that was dropped meanwhile; the log also contains the drop.
        if (copied) entries.push({ path, ...copied });
      });
    await copy(
      [...filesIn(cluster)].filter(({ path, isFile }) => isFile && belongsToBaseCopy(path)),
      'copying the database',
    );
    const { labelfile, last, version } = await query(
      `select labelfile, pg_walfile_name(lsn - 1) as last, current_setting('server_version') as version from pg_backup_stop(false)`,
    );
    const first = /START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(labelfile)?.[1] ?? '';
    const isNeeded = (/** @type {string} */ path) => path >= `${LOG}/${first}` && path <= `${LOG}/${last}`;
    const log = [...filesIn(cluster, `${LOG}/`)].filter(
      ({ path }) => /^pg_wal\/[0-9A-F]{24}$/.test(path) && isNeeded(path),
    );
    await copy(log, 'copying the write-ahead log');
    for (const segment of [first, last]) {
      if (!entries.some(({ path }) => path === `${LOG}/${segment}`)) throw new Error(`The log lacks ${segment}`);
    }
    writeFileSync(join(target, 'backup_label'), labelfile, { mode: 0o600, flush: true });
    const label = /** @type {Omit<Entry, 'path'>} */ (await digestOf(join(target, 'backup_label')));
    entries.push({ path: 'backup_label', ...label });
    return { postgresVersion: version, folders, entries };
  });
}

/** Lists the folders of a cluster, including empty ones, which PostgreSQL does not recreate. @param {string} cluster */
function foldersIn(cluster) {
  const folders = readdirSync(cluster, { withFileTypes: true, recursive: true }).filter((each) => each.isDirectory());
  const paths = folders.map(({ parentPath, name }) => relative(cluster, join(parentPath, name)));
  return paths.filter((path) => !path.startsWith('pg_replslot/')).sort();
}

/**
 * Rejects a restore that would damage existing data, before it reads or writes anything.
 * @param {Backup} backup
 * @param {{ replace: boolean }} options
 */
export async function rejectUnsuitable({ name, manifest }, { replace }) {
  const { dataDir } = embeddedFolders();
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
 * Restores a copy in a draft folder, on which a server replays the log of the backup. Then the cluster gets its name.
 * @param {Backup} backup
 * @param {{ replace: boolean, signal: AbortSignal }} options
 * @returns {Promise<import('./restored-state.js').RestoredState & { setAside: string | null }>}
 */
export async function restoreDatabase(backup, { replace, signal }) {
  const cluster = clusterIn(resolve(embeddedFolders().dataDir));
  mkdirSync(dirname(cluster), { recursive: true, mode: 0o711 });
  await removeAbandonedDrafts(cluster);
  const area = mkdtempSync(`${cluster}.draft-${process.pid}-`);
  try {
    // The server's user must be able to enter the folder.
    chmodSync(area, 0o711);
    const restored = clusterIn(area);
    await copyBack(backup, restored, signal);
    giveTo(serverUserFor(cluster), restored);
    // The start replays the log up to the end of the backup, and sets new passwords.
    const server = await startPostgres({ dataDir: area, signal });
    const state = await connected(addressOf(server), restoredState).finally(() => server.stop());
    signal.throwIfAborted();
    // Another process may have started the service meanwhile.
    await rejectUnsuitable(backup, { replace });
    return { ...state, setAside: replaceCluster(restored, cluster) };
  } finally {
    rmSync(area, { recursive: true, force: true });
  }
}

/** @param {Backup} backup @param {string} cluster @param {AbortSignal} signal */
async function copyBack({ folder, manifest }, cluster, signal) {
  mkdirSync(cluster, { mode: 0o700 });
  for (const path of manifest.folders) mkdirSync(join(cluster, path), { recursive: true, mode: 0o700 });
  const files = manifest.entries.filter(({ path }) => path.startsWith(DATABASE_FOLDER));
  await forEachOf(files, { name: 'restoring the database', signal }, async ({ path }) => {
    await copyFile(join(folder, path), join(cluster, path.slice(DATABASE_FOLDER.length)));
  });
}
