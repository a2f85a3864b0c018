// @ts-check

/** Extensions the application builds on; made by the superuser, because the application's role is none. */
export const EXTENSIONS = ['btree_gist', 'citext', 'pg_trgm', 'pgcrypto', 'unaccent'];

/** Tells a server of ours from one that a person started on the same folder; also shown in process lists. */
export const CLUSTER_NAME = 'travel-operations';

/** What only this machine may reach: TCP on the loopback address, with a password. */
export const HOST_BASED_AUTHENTICATION = 'host all all 127.0.0.1/32 scram-sha-256\n';

/**
 * The server's settings, given on its command line: they follow the launcher's version, not the day the cluster was made.
 * @param {{ port: number, durable: boolean }} options
 * @returns {string[]}
 */
export function settingsOf({ port, durable }) {
  const settings = {
    port,
    cluster_name: CLUSTER_NAME,
    listen_addresses: '127.0.0.1',
    // A socket's path may have 107 bytes; a clone in a deep folder exceeds that.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    effective_cache_size: '1GB',
    random_page_cost: 1.1,
    max_wal_size: '1GB',
    jit: 'off',
    // Parallel queries take shared memory from /dev/shm, of which a container has 64 MB.
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_checkpoints: 'off',
    log_lock_waits: 'on',
    log_min_duration_statement: '1s',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
