/** Folders whose contents PostgreSQL creates again at each start, and the log, which is copied after the data. */
const REBUILT = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
/** These files are only valid for the running server; the copy receives its own passwords. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'launcher-passwords.json', 'backup_label', 'tablespace_map'];

/**
 * Returns whether a copy of a running server's data needs this file or folder (PostgreSQL manual, "Making a Base Backup Using
 * the Low Level API").
 * @param {string} path relative to the data folder, with `/`
 */
export function belongsToBaseCopy(path) {
  const [top = '', ...rest] = path.split('/');
  const file = rest.at(-1) ?? top;
  if (LEFT_OUT.includes(top) || (REBUILT.includes(top) && rest.length > 0)) return false;
  // Temporary files and tables, and caches that are made again.
  return !path.includes('pgsql_tmp') && !file.startsWith('pg_internal.init') && !/^t\d+_\d+/.test(file);
}
