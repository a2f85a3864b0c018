// @ts-check
import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isStop } from '../child.js';
import { rejectFaults, embeddedFolders } from '../database.js';
import { backupFaults } from '../configuration.js';
import { backupFolder, dataFolder, ROOT } from '../environment.js';
import { LaunchError } from '../launch-error.js';
import { lockHolders } from '../lock.js';
import { Stopped } from '../platform/outcome.js';
import { note } from '../progress.js';
import { codeOf } from '../processes.js';
import { serviceLocks } from '../service.js';
import { BackupStore, verifyBackup } from './backup-store.js';
import { backupKind, chooseBackup } from './chosen-backup.js';
import { bytesOf } from './copies.js';
import { copyFiles, restoreFiles, restoreNeeded } from './files.js';
import { backupLines, backupResult, copyLines, restoreLines, some } from './summary.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {import('./recovery-plan.js').UpTo} UpTo */

const KEPT_BY_DEFAULT = 7;
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** @typedef {{ values: Record<string, string | boolean | undefined>, names: string[], signal: AbortSignal }} Request */
/** @typedef {Promise<import('../platform/outcome.js').Outcome>} Outcome */

/**
 * `platform backup`
 * @param {Record<string, any>} values
 * @param {{ stopping: AbortSignal }} surroundings
 * @returns {Outcome}
 */
export async function backup(values, { stopping }) {
  const work = takeBackup({ values, names: [], signal: stopping });
  return work.catch((error) => rethrown(error, stopping, 'No backup was made.'));
}

/**
 * `platform backup copy`
 * @param {Record<string, any>} values
 * @param {{ stopping: AbortSignal }} surroundings
 * @returns {Outcome}
 */
export async function backupCopy({ backup: name, ...values }, { stopping }) {
  const work = copyBackup({ values, names: name === undefined ? [] : [name], signal: stopping });
  return work.catch((error) => rethrown(error, stopping, 'No copy was made.'));
}

/**
 * `platform restore`
 * @param {Record<string, any>} values
 * @param {{ stopping: AbortSignal }} surroundings
 * @returns {Outcome}
 */
export async function restore({ backup: name, ...values }, { stopping }) {
  const work = restoreBackup({ values, names: name === undefined ? [] : [name], signal: stopping });
  const unchanged = 'The database is unchanged. Missing files may have been added.';
  return work.catch((error) => rethrown(error, stopping, unchanged));
}

/** @param {unknown} error @param {AbortSignal} stopping @param {string} unchanged what is true afterwards @returns {never} */
function rethrown(error, stopping, unchanged) {
  if (DISK_FULL.includes(codeOf(error))) {
    const remedy = 'Free some space, or choose a folder on a larger disk.';
    throw new LaunchError(`The disk is full. ${unchanged}`, remedy, { exitCode: 1, detail: String(error) });
  }
  throw isStop(error, stopping) ? new Stopped(`Stopped. ${unchanged}`) : error;
}

/** @param {Request} request */
async function takeBackup({ values, signal }) {
  await rejectFaults(backupFaults);
  const store = storeIn(values.to);
  const keep = keptBackups();
  return store.exclusively(async () => {
    const startedAt = new Date();
    const earlier = store.list().reverse();
    const acceptsLost = values.acceptLost === true;
    let [archivesWal, damaged, missing] = [false, /** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
    const fill = async (/** @type {string} */ draft, /** @type {number} */ number) => {
      const database = await (backupKind() === 'dump' ? takeDump : takePhysical)(draft, signal);
      const { fileKeys, archiving, entries, ...facts } = database;
      const { objectStore, ...places } = filePlaces();
      // Of an object store it is not known here which files it has.
      const keys = objectStore === null ? fileKeys : [];
      const files = await copyFiles(places, { target: draft, earlier, keys, signal });
      [archivesWal, damaged, missing] = [archiving, files.damaged, files.missing];
      const known = new Set(acceptsLost ? files.lacking : earlier.find(isComplete)?.manifest.lost);
      const lacking = files.lacking.filter((key) => !known.has(key)).sort();
      /** @type {Manifest} */
      const manifest = {
        format: 1,
        number,
        startedAt: startedAt.toISOString(),
        finishedAt: new Date().toISOString(),
        serviceVersion: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
        ...facts,
        objectStore,
        complete: lacking.length === 0,
        lacking,
        lost: files.lacking.filter((key) => known.has(key)).sort(),
        entries: [...entries, ...files.entries],
      };
      return { manifest, linked: files.linked };
    };
    const backup = await store.create(startedAt, fill, signal);
    const deleted = store.prune(backup.manifest.kind, keep);
    const unreadable = store.unreadable();
    const result = backupResult(backup, { archivesWal, damaged, missing, deleted, unreadable });
    return { result, lines: backupLines(result), exitCode: result.filesAtFault ? 1 : 0 };
  });
}

/** @param {Backup} backup */
function isComplete({ manifest }) {
  return manifest.complete;
}

/** @param {string} draft @param {AbortSignal} signal */
async function takeDump(draft, signal) {
  const { dumpDatabase } = await import('./dump.js');
  return {
    kind: /** @type {const} */ ('dump'),
    archiving: false,
    physical: null,
    ...(await dumpDatabase(draft, signal)),
  };
}

/** @param {string} draft @param {AbortSignal} signal */
async function takePhysical(draft, signal) {
  const { startPostgres } = await import('../embedded-postgres/index.js');
  const { DATABASE, connected } = await import('../embedded-postgres/database.js');
  const { copyCluster } = await import('./physical.js');
  const { DATABASE_FOLDER } = await import('./recovery.js');
  const { neededFiles, neededKeys } = await import('./restored-state.js');
  const server = await startPostgres({ ...embeddedFolders(), log: note, signal });
  try {
    const target = join(draft, DATABASE_FOLDER);
    const { entries, ...rest } = await copyCluster(server, target, signal);
    const database = new URL(server.superuserUrl);
    database.pathname = `/${DATABASE}`;
    const keyIds = await connected(database.href, neededKeys);
    const fileKeys = await connected(database.href, neededFiles);
    const below = entries.map((entry) => ({ ...entry, path: `${DATABASE_FOLDER}${entry.path}` }));
    return { kind: /** @type {const} */ ('physical'), ...rest, keyIds, fileKeys, entries: below };
  } finally {
    await server.stop();
  }
}

/** @param {Request} request */
async function copyBackup({ values, names: [name], signal }) {
  const [source, target] = [storeIn(values.from), storeIn(values.to)];
  if (source.folder === target.folder) {
    throw new LaunchError(
      `${target.folder} is the folder of the backups.`,
      'Choose a folder in another place with --to.',
    );
  }
  const keep = keptBackups();
  // No other process deletes the backup meanwhile.
  return source.exclusively(() =>
    target.exclusively(async () => {
      const { backup, wasPresent } = await target.add(backupIn(source, name), signal);
      const { kind, complete, entries } = backup.manifest;
      // An earlier backup may have been copied on purpose.
      const deleted = name === undefined ? target.prune(kind, keep, backup.name) : [];
      const result = {
        name: backup.name,
        folder: backup.folder,
        complete,
        bytes: bytesOf(entries),
        wasPresent,
        deleted,
      };
      return { result, lines: copyLines(result) };
    }),
  );
}

/** Of either kind: a copy needs no database. @param {BackupStore} store @param {string} [name] the newest by default */
function backupIn(store, name) {
  if (name !== undefined) return store.get(name);
  const newest = store.list().at(-1);
  if (newest !== undefined) return newest;
  throw new LaunchError(`${store.folder} contains no backup.`, 'Make one with `platform backup`, or correct --from.');
}

/** @param {Request} request */
async function restoreBackup({ values, names: [name], signal }) {
  await rejectFaults();
  const store = storeIn(values.from);
  const upTo = values.at === undefined ? 'end' : values.at === 'backup' ? 'backup' : timeOf(String(values.at));
  const newest = chooseBackup(store, { name, upTo });
  if (values.verify) {
    await verifyBackup(newest, { signal });
    return { result: { name: newest.name, verified: true }, lines: [`${newest.name} is complete and undamaged.`] };
  }
  return store.exclusively(async () => {
    await rejectRunningService();
    const replace = values.replace === true;
    const { backup, ...restored } =
      newest.manifest.kind === 'dump'
        ? await restoreDump(newest, { replace, store, signal })
        : await restorePhysical(newest, { isNamed: name !== undefined, replace, upTo, store, signal });
    const { kind, startedAt } = backup.manifest;
    const result = { name: backup.name, kind, startedAt, ...restored };
    return { result, lines: restoreLines(result) };
  });
}

/** @param {Backup} backup @param {{ replace: boolean, store: BackupStore, signal: AbortSignal }} options */
async function restoreDump(backup, { replace, store, signal }) {
  const { rejectUnsuitableDatabase, restoreDatabase } = await import('./dump.js');
  await rejectUnsuitableDatabase(backup, { replace });
  await verifyBackup(backup, { signal });
  const files = await restoreFiles(backup, { ...filePlaces(), signal });
  const { fileKeys, ...state } = await restoreDatabase(backup, { replace, signal });
  const needed = await neededFrom(store, fileKeys, signal);
  return { backup, files: { ...files, ...needed }, setAside: null, lastTransactionAt: null, timeline: null, ...state };
}

/**
 * @param {Backup} newest
 * @param {{ isNamed: boolean, replace: boolean, upTo: UpTo, store: BackupStore, signal: AbortSignal }} options `isNamed`: no other
 *   backup may be restored
 */
async function restorePhysical(newest, { isNamed, replace, upTo, store, signal }) {
  const { recoverCluster, rejectUnsuitableCluster } = await import('./recovery.js');
  const { planRecovery } = await import('./recovery-plan.js');
  const { clusterIn } = await import('../embedded-postgres/index.js');
  const { dataDir } = embeddedFolders();
  rejectUnsuitableCluster(newest, { dataDir, replace });
  const plan = planRecovery(store, { newest, isNamed, upTo, cluster: clusterIn(dataDir) });
  await verifyBackup(plan.backup, { signal });
  /** @type {Awaited<ReturnType<typeof restoreFiles>> & Awaited<ReturnType<typeof neededFrom>> | null} */
  let files = null;
  const before = async (/** @type {string[]} */ fileKeys) => {
    const restored = await restoreFiles(plan.backup, { ...filePlaces(), signal });
    files = { ...restored, ...(await neededFrom(store, fileKeys, signal)) };
  };
  const { recovered, setAside } = await recoverCluster(plan, { dataDir, replace, signal, before });
  return { backup: plan.backup, files, setAside, ...recovered };
}

/** @param {BackupStore} store @param {string[]} fileKeys @param {AbortSignal} signal */
async function neededFrom(store, fileKeys, signal) {
  const { objectStore, filesDir } = filePlaces();
  const keys = objectStore === null ? fileKeys : [];
  const { added, missing } = await restoreNeeded(keys, { filesDir, backups: store.list().reverse(), signal });
  return { fromOtherBackups: added, missing: some(missing) };
}

/** @param {string | boolean | undefined} given */
function storeIn(given) {
  const folder = typeof given === 'string' ? resolve(given) : backupFolder();
  if (folder === undefined) {
    throw new LaunchError(
      'BACKUP_DIR is not set.',
      'Set it to a folder on another disk, such as BACKUP_DIR=/var/backups/travel, or name a folder with --to or --from.',
    );
  }
  const inData = relative(dataFolder(), folder);
  if (inData === '' || (!inData.startsWith(`..${sep}`) && inData !== '..' && !inData.startsWith(sep))) {
    throw new LaunchError(
      `The folder for backups, ${folder}, is in the data folder and would be lost with it.`,
      'Choose a folder outside DATA_DIR, best on another disk.',
    );
  }
  return new BackupStore(folder);
}

function keptBackups() {
  const text = process.env.BACKUP_KEEP?.trim() || String(KEPT_BY_DEFAULT);
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep >= 1) return keep;
  throw new LaunchError(
    'BACKUP_KEEP is not a whole number from 1 to 9999.',
    'Correct it, or unset it to keep 7 backups.',
  );
}

/** Files in an object store are not part of a backup; while they are being moved, some are in the folder. */
function filePlaces() {
  const { FILES_DIR, FILES_URL, FILES_FALLBACK, LEDGER_CHECKPOINT_FILE } = process.env;
  const stores = [FILES_URL?.trim() || 'local', FILES_FALLBACK?.trim() || null];
  return {
    objectStore: stores.find((store) => store?.startsWith('s3:')) ?? null,
    filesDir: stores.includes('local') ? resolve(FILES_DIR?.trim() || join(dataFolder(), 'files')) : null,
    checkpointFile: resolve(LEDGER_CHECKPOINT_FILE?.trim() || join(dataFolder(), 'ledger-checkpoints.jsonl')),
  };
}

async function rejectRunningService() {
  const [service] = await lockHolders(serviceLocks());
  if (service === undefined) return;
  throw new LaunchError(`The service is running (process ${service}).`, `Stop it first: \`kill ${service}\`.`);
}

/** @param {string} text */
function timeOf(text) {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : null;
  if (time !== null && !Number.isNaN(time.getTime())) return time;
  throw new LaunchError(
    `'${text}' is not a time with a time zone.`,
    'Give a time such as 2026-11-23T14:05:00Z or 2026-11-23T15:05:00+01:00, or the word backup.',
  );
}
