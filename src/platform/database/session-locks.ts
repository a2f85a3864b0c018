import type { QueryConfig } from 'pg';

/** Apart from all other advisory locks, which have one key and not two. */
const SESSIONS = 7_120_010;

/** Holds a session's lock until its connection ends, however that comes about: nothing else is as sure a sign of it. */
export function lockSession(session: number): QueryConfig {
  return { text: 'select pg_try_advisory_lock($1, $2)', values: [SESSIONS, session] };
}

/** SQL: whether nobody holds the lock of the session in this column any more; null where there was none. */
export function sessionEnded(column: string): string {
  return `pg_try_advisory_xact_lock_shared(${SESSIONS}, ${column})`;
}
