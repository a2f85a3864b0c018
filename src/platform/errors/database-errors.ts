import { AppError, conflict, diskFull, invalidRequest, tooManyRequests, unavailable } from './app-error.js';

/** The error of a failed statement. TypeORM wraps it, pg throws it directly. */
interface DatabaseError {
  code: string;
  constraint?: string;
  detail?: string;
}

type Refusal = (error: DatabaseError) => AppError;
const refusals = new Map<string, Refusal>();

/**
 * Maps a violation of this constraint to an error for the caller. The database determines uniqueness; checking first and
 * inserting later would be a race. Call it at the top level of the service that writes the table.
 */
export function mapConstraint(constraint: string, refusal: Refusal): void {
  refusals.set(constraint, refusal);
}

/** The database error inside a thrown value, or null. */
export function databaseErrorOf(error: unknown): DatabaseError | null {
  if (typeof error !== 'object' || error === null) return null;
  const { driverError, cause, code, constraint, detail } = error as Partial<DatabaseError> & Record<string, unknown>;
  const wrapped = driverError ?? cause;
  if (wrapped) return databaseErrorOf(wrapped);
  // Requires a digit: the system error EPIPE also has five letters.
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || !/\d/.test(code)) return null;
  return { code, ...(constraint ? { constraint } : {}), ...(detail ? { detail } : {}) };
}

/** Whether running the whole transaction again may succeed: a serialization failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  const code = databaseErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/** Whether the database could not write because its disk is full. */
export function isDiskFull(error: unknown): boolean {
  return databaseErrorOf(error)?.code === DISK_FULL;
}

/** Classes and codes of a database that is busy, unavailable or recovering: a retry may succeed. */
const PASSING = /^(40|53|57|08|28)|^(55P03|25006|25P03|3D000)$/;
/** Other requests use the row, the memory or the connections; serialization failures and deadlocks count as well. */
const OVERLOADED = /^(40|53[023]00$)|^55P03$/;
/** The database is reachable, but stopped the statement or the transaction at a limit. */
const STOPPED = /^(57014|53400|25P03)$/;
const DISK_FULL = '53100';
const UNSTORABLE = /^(22|54)/;
const CONTRADICTING = /^(23502|23503|23505|23514|23P01)$/;

/** The error for the caller of a failed statement; null if it is a fault of the service. */
export function appErrorOf(error: DatabaseError): AppError | null {
  const refusal = error.constraint === undefined ? undefined : refusals.get(error.constraint);
  if (refusal) {
    return refusal(error);
  } else if (UNSTORABLE.test(error.code)) {
    return invalidRequest([{ path: '', message: 'A value cannot be stored', code: 'unstorable' }]);
  } else if (CONTRADICTING.test(error.code)) {
    return conflict('conflict', 'The change conflicts with stored data');
  } else if (error.code === DISK_FULL) {
    return diskFull();
  } else if (OVERLOADED.test(error.code)) {
    return tooManyRequests();
  } else if (STOPPED.test(error.code)) {
    return unavailable('The database could not complete the request within its limits');
  } else if (PASSING.test(error.code)) {
    return unavailable('The database is unavailable');
  } else {
    return null;
  }
}

/** Whether neither `mapConstraint` nor a passing state of the database explains this error. */
export function isUnmapped({ code, constraint }: DatabaseError): boolean {
  return !PASSING.test(code) && (constraint === undefined || !refusals.has(constraint));
}
