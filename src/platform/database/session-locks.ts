import type { QueryConfig } from 'pg';

/** Different from all other advisory locks, which have one key and not two. */
const SESSIONS = 7_120_010;

/** Locks the session until its connection ends: the only reliable sign that the process or its connection is gone. */
export function lockSession(session: number): QueryConfig {
  return { text: 'select pg_try_advisory_lock($1, $2)', values: [SESSIONS, session] };
}

/** SQL: whether the lock of the session in this column is free; null if the column is null. */
export function sessionEnded(column: string): string {
  return `pg_try_advisory_xact_lock_shared(${SESSIONS}, ${column})`;
}
