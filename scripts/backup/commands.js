// @ts-check
import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isStop } from '../child.js';
import { backupFaults } from '../configuration.js';
import { rejectFaults } from '../database.js';
import { backupFolder, dataFolder, ROOT } from '../environment.js';
import { EXIT_DATA, LaunchError } from '../launch-error.js';
import { lockHolders } from '../lock.js';
import { Stopped } from '../platform/outcome.js';
import { codeOf } from '../processes.js';
import { serviceLocks } from '../service.js';
import { BackupStore, verifyBackup } from './backup-store.js';
import { bytesOf } from './copies.js';
import { copyFiles, restoreFiles } from './files.js';
import { backupLines, backupResult, copyLines, restoreLines, some } from './summary.js';

/** @typedef {import('./backup-store.js').Backup} Backup */
/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {{ stopping: AbortSignal }} Surroundings */
/** @typedef {import('../platform/outcome.js').Outcome} Outcome */

const KEPT_BY_DEFAULT = 7;
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * `platform backup`
 * @param {{ to?: string, acceptLost?: boolean }} options
 * @param {Surroundings} surroundings
 */
export function backup({ to, acceptLost = false }, { stopping: signal }) {
  return reporting('No backup was made.', signal, async () => {
    await rejectFaults(backupFaults);
    const [store, keep, startedAt] = [storeIn(to), keptBackups(), new Date()];
    return store.exclusively(async () => {
      const earlier = store.list().reverse();
      const atFault = { damaged: /** @type {string[]} */ ([]), missing: /** @type {string[]} */ ([]) };
      const fill = async (/** @type {string} */ draft) => {
        const { fileKeys, entries, ...facts } = await (await databaseOf(kind())).copyDatabase(draft, signal);
        const { objectStore, ...places } = filePlaces();
        // This command does not know which files an object store has.
        const keys = objectStore === null ? fileKeys : [];
        const files = await copyFiles(places, { target: draft, earlier, keys, signal });
        Object.assign(atFault, { damaged: files.damaged, missing: files.missing });
        const last = earlier.find(({ manifest }) => manifest.complete);
        const accepted = new Set(acceptLost ? files.lacking : last?.manifest.lost);
        const lacking = files.lacking.filter((key) => !accepted.has(key)).sort();
        /** @type {Manifest} */
        const manifest = {
          format: 1,
          kind: kind(),
          startedAt: startedAt.toISOString(),
          finishedAt: new Date().toISOString(),
          serviceVersion: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
          ...facts,
          objectStore,
          complete: lacking.length === 0,
          lacking,
          lost: files.lacking.filter((key) => accepted.has(key)).sort(),
          entries: [...entries, ...files.entries],
        };
        return { manifest, linked: files.linked };
      };
      const made = await store.create(startedAt, fill, signal);
      const deleted = store.prune(made.manifest.kind, keep);
      const unrecorded = made.manifest.complete ? await recordBackup(made, signal) : null;
      const result = backupResult(made, { ...atFault, deleted, unreadable: store.unreadable(), unrecorded });
      return { result, lines: backupLines(result), exitCode: result.filesAtFault ? 1 : 0 };
    });
  });
}

/**
 * Returns why the backup could not be recorded: it exists, but the alert on its age does not know of it. Null if it is recorded.
 * @param {Backup} backup
 * @param {AbortSignal} signal
 */
async function recordBackup({ manifest: { kind, startedAt } }, signal) {
  try {
    await (await databaseOf(kind)).recordBackup(startedAt, signal);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * `platform backup copy`
 * @param {{ backup?: string, from?: string, to: string }} options
 * @param {Surroundings} surroundings
 */
export function backupCopy({ backup: name, from, to }, { stopping: signal }) {
  return reporting('No copy was made.', signal, async () => {
    await rejectFaults(backupFaults);
    const [source, target, keep] = [storeIn(from), storeIn(to), keptBackups()];
    if (source.folder === target.folder) {
      throw new LaunchError(
        `${target.folder} is the folder of the backups.`,
        'Choose a folder in another place with --to.',
      );
    }
    // Keeps other processes from deleting the backup meanwhile.
    const copy = async () => {
      const chosen = chooseBackup(source, { name });
      const last = target.list().at(-1);
      // Staff may copy an earlier backup on purpose.
      if (name === undefined && last !== undefined && last.name > chosen.name) {
        throw new LaunchError(
          `${target.folder} contains ${last.name}, which is later than ${chosen.name}: a restore from there would choose it.`,
          'Choose a separate folder for the copies of each database; or name the backup to copy it anyway.',
          { exitCode: EXIT_DATA },
        );
      }
      const { backup: copied, wasPresent } = await target.add(chosen, signal);
      const { kind, complete, entries } = copied.manifest;
      const deleted = name === undefined ? target.prune(kind, keep) : [];
      const result = {
        name: copied.name,
        folder: copied.folder,
        complete,
        bytes: bytesOf(entries),
        wasPresent,
        deleted,
      };
      return { result, lines: copyLines(result) };
    };
    return source.exclusively(() => target.exclusively(copy));
  });
}

/**
 * `platform restore`
 * @param {{ backup?: string, from?: string, verify?: boolean, replace?: boolean }} options
 * @param {Surroundings} surroundings
 */
export function restore({ backup: name, from, verify = false, replace = false }, { stopping: signal }) {
  return reporting('The database is unchanged. Missing files may have been added.', signal, async () => {
    await rejectFaults();
    const store = storeIn(from);
    const chosen = chooseBackup(store, { name, kind: kind() });
    if (verify) {
      await verifyBackup(chosen, { signal });
      return { result: { name: chosen.name, verified: true }, lines: [`${chosen.name} is complete and undamaged.`] };
    }
    return store.exclusively(async () => {
      await rejectRunningService();
      const { kind, startedAt } = chosen.manifest;
      const database = await databaseOf(kind);
      await database.rejectUnsuitable(chosen, { replace });
      await verifyBackup(chosen, { signal });
      const others = store.list().reverse();
      const { missing, ...files } = await restoreFiles(chosen, { ...filePlaces(), others, signal });
      const restored = await database.restoreDatabase(chosen, { replace, signal });
      const result = { name: chosen.name, kind, startedAt, files: { ...files, missing: some(missing) }, ...restored };
      return { result, lines: restoreLines(result) };
    });
  });
}

/**
 * @param {string} unchanged what is true after a failure
 * @param {AbortSignal} stopping
 * @param {() => Promise<Outcome>} work
 */
async function reporting(unchanged, stopping, work) {
  try {
    return await work();
  } catch (error) {
    if (DISK_FULL.includes(codeOf(error))) {
      const remedy = 'Free some space, or choose a folder on a larger disk.';
      throw new LaunchError(`The disk is full. ${unchanged}`, remedy, { exitCode: 1, detail: String(error) });
    }
    throw isStop(error, stopping) ? new Stopped(`Stopped. ${unchanged}`) : error;
  }
}

/** Returns the kind of backup for the configured database. @returns {Manifest['kind']} */
function kind() {
  return process.env.DATABASE_URL || process.env.BACKUP_DATABASE_URL ? 'dump' : 'physical';
}

/** @param {Manifest['kind']} kind */
async function databaseOf(kind) {
  return kind === 'dump' ? import('./dump.js') : import('./physical.js');
}

/**
 * Returns the named backup, by default the newest one.
 * @param {BackupStore} store
 * @param {{ name: string | undefined, kind?: Manifest['kind'] }} wanted `kind`: either one by default
 * @returns {Backup}
 */
function chooseBackup(store, { name, kind }) {
  const isSuitable = (/** @type {Backup} */ { manifest }) => kind === undefined || manifest.kind === kind;
  const chosen = name === undefined ? store.list().findLast(isSuitable) : store.get(name);
  if (chosen === undefined) {
    throw new LaunchError(
      `${store.folder} contains no ${kind === undefined ? 'backup' : nameOf(kind)}.`,
      'Correct BACKUP_DIR or --from. DATABASE_URL selects dumps; without it the embedded server is restored.',
      { exitCode: EXIT_DATA },
    );
  }
  if (isSuitable(chosen)) return chosen;
  throw new LaunchError(
    `${chosen.name} is a ${nameOf(chosen.manifest.kind)}.`,
    chosen.manifest.kind === 'dump' ? 'Set DATABASE_URL to restore it.' : 'Unset DATABASE_URL to restore it.',
  );
}

/** @param {Manifest['kind']} kind */
function nameOf(kind) {
  return kind === 'dump' ? 'dump' : 'backup of the embedded server';
}

/** @param {string | undefined} given */
function storeIn(given) {
  const folder = given === undefined ? backupFolder() : resolve(given);
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

/** `rejectFaults` has verified the number. */
function keptBackups() {
  return Number(process.env.BACKUP_KEEP?.trim() || KEPT_BY_DEFAULT);
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
