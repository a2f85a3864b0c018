import type { QueryConfig } from 'pg';

/** Different from all other advisory locks, which have one key and not two. */
const SESSIONS = 7_120_010;
const JOB_WORKERS = 7_120_011;

/** Locks the session until its connection ends: the only reliable sign that the process or its connection has ended. */
export function lockSession(session: number): QueryConfig {
  return { text: 'select pg_try_advisory_lock($1, $2)', values: [SESSIONS, session] };
}

/** SQL: whether the lock of the session in this column is free; null if the column is null. */
export function sessionEnded(column: string): string {
  return `pg_try_advisory_xact_lock_shared(${SESSIONS}, ${column})`;
}

/**
 * Marks a worker of the job queue as alive until the connection ends. The lock is shared: after a reconnection, the lock of
 * the lost connection can remain for a while.
 */
export function lockWorker(worker: string): QueryConfig {
  return { text: 'select pg_advisory_lock_shared($1, hashtext($2))', values: [JOB_WORKERS, worker] };
}

/** SQL: whether no connection marks the worker in this column as alive. */
export function workerEnded(column: string): string {
  return `pg_try_advisory_xact_lock(${JOB_WORKERS}, hashtext(${column}))`;
}
