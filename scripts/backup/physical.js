// @ts-check
import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { belongsToBaseCopy } from '../embedded-postgres/base-copy.js';
import { connected } from '../embedded-postgres/database.js';
import { systemIdentifierOf } from '../embedded-postgres/wal-archive.js';
import { LaunchError } from '../launch-error.js';
import { bytesOf, copyFile, digestOf, forEachOf, listFiles } from './copies.js';
import { progressOf } from './progress.js';

/** @typedef {import('./copies.js').Entry} Entry */
/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {Pick<Manifest, 'postgresVersion' | 'physical' | 'entries'> & { archiving: boolean }} PhysicalBackup */

const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Copies the data folder of a running server and the write-ahead log that makes the copy consistent, by the low-level backup
 * functions: the package has no pg_basebackup.
 * @param {{ cluster: string, superuserUrl: string }} server
 * @param {string} target an empty folder
 * @param {AbortSignal} signal
 * @returns {Promise<PhysicalBackup>} paths of the entries are relative to `target`
 */
export async function copyCluster({ cluster, superuserUrl }, target, signal) {
  if (readdirSync(join(cluster, 'pg_tblspc')).length > 0) {
    throw new LaunchError('The server has tablespaces outside its data folder.', 'Back it up with pg_basebackup.');
  }
  return connected(superuserUrl, async (client) => {
    const query = async (/** @type {string} */ text, /** @type {unknown[]} */ values = []) =>
      (await client.query(text, values)).rows[0];
    const { version, archiving, size } = await query(`
      select current_setting('server_version') as version, current_setting('archive_mode') = 'on' as archiving,
        (select setting::int from pg_settings where name = 'wal_segment_size') as size`);
    // Until this connection ends the server keeps the log, and the backup ends with it.
    const name = `backup_${process.pid}`;
    await query('select pg_create_physical_replication_slot($1, true, true)', [name]);
    await query('select pg_backup_start($1, true)', [name]);
    const folders = foldersIn(cluster);
    const entries = await copyData(cluster, target, signal);
    const { labelfile, lsn } = await query('select labelfile, lsn::text from pg_backup_stop(false)');
    const completeAt = new Date().toISOString();
    writeFileSync(join(target, 'backup_label'), labelfile, { mode: 0o600 });
    entries.push(await entryOf(target, 'backup_label'));

    const firstSegment = /START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(labelfile)?.[1] ?? '';
    const lastSegment = segmentOf(lsn, { timeline: firstSegment.slice(0, 8), size });
    const needed = (/** @type {string} */ each) =>
      each.endsWith('.history') || (SEGMENT.test(each) && each >= firstSegment && each <= lastSegment);
    entries.push(...(await copyAll(join(cluster, 'pg_wal'), { target, below: 'pg_wal', wanted: needed, signal })));
    rejectMissing([firstSegment, lastSegment], entries);
    const systemIdentifier = systemIdentifierOf(cluster);
    const physical = { systemIdentifier, firstSegment, lastSegment, endLsn: lsn, completeAt, folders };
    return { postgresVersion: version, archiving, physical, entries };
  });
}

/** @param {string} cluster @param {string} target @param {AbortSignal} signal */
async function copyData(cluster, target, signal) {
  return copyAll(cluster, { target, below: '', wanted: belongsToBaseCopy, signal });
}

/** The folders of a cluster, also empty ones, which PostgreSQL does not create again. @param {string} cluster */
function foldersIn(cluster) {
  const folders = readdirSync(cluster, { withFileTypes: true, recursive: true }).filter((each) => each.isDirectory());
  const paths = folders.map(({ parentPath, name }) => relative(cluster, join(parentPath, name)));
  return paths.filter((path) => !path.startsWith('pg_replslot/')).sort();
}

/**
 * @param {string} source
 * @param {{ target: string, below: string, wanted: (path: string) => boolean, signal: AbortSignal }} options
 * @returns {Promise<Entry[]>}
 */
async function copyAll(source, { target, below, wanted, signal }) {
  const files = listFiles(source, wanted);
  const progress = progressOf(
    below === 'pg_wal' ? 'copying the write-ahead log' : 'copying the database',
    bytesOf(files),
  );
  /** @type {Entry[]} */
  const entries = [];
  await forEachOf(
    files,
    async ({ path, bytes }) => {
      const name = below === '' ? path : `${below}/${path}`;
      const copied = await copyFile(join(source, path), join(target, name));
      // A table that was dropped meanwhile: the log says so too.
      if (copied) entries.push({ path: name, ...copied });
      progress.add(bytes);
    },
    signal,
  );
  progress.end();
  return entries;
}

/** @param {string} folder @param {string} path @returns {Promise<Entry>} */
async function entryOf(folder, path) {
  const digest = await digestOf(join(folder, path));
  if (digest === null) throw new Error(`${path} was not written`);
  return { path, ...digest };
}

/**
 * The segment that contains the last byte before a position. `pg_walfile_name` differs between versions at the boundary of
 * two segments, which is where a backup ends.
 * @param {string} lsn
 * @param {{ timeline: string, size: number }} options
 */
function segmentOf(lsn, { timeline, size }) {
  const [high = '0', low = '0'] = lsn.split('/');
  const position = BigInt(`0x${high}`) * 0x1_0000_0000n + BigInt(`0x${low}`) - 1n;
  const hex = (/** @type {bigint} */ number) => number.toString(16).toUpperCase().padStart(8, '0');
  return `${timeline}${hex(position / 0x1_0000_0000n)}${hex((position % 0x1_0000_0000n) / BigInt(size))}`;
}

/** @param {string[]} segments @param {readonly Entry[]} entries */
function rejectMissing(segments, entries) {
  const present = new Set(entries.map(({ path }) => path));
  const missing = segments.filter((segment) => !present.has(`pg_wal/${segment}`));
  if (missing.length > 0) throw new Error(`The write-ahead log lacks ${missing.join(', ')}`);
}
