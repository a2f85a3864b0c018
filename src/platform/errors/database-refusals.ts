import { AppError, conflict, invalidRequest, unavailable } from './app-error.js';

/** What PostgreSQL says of a failed statement; TypeORM wraps it, pg throws it bare. */
interface DatabaseError {
  code: string;
  constraint?: string;
  detail?: string;
}

type Refusal = (error: DatabaseError) => AppError;
const refusals = new Map<string, Refusal>();

/**
 * Says what the caller hears when this constraint refuses a row. The database decides what is unique; looking first
 * and inserting later would be a race. Call it at the top level of the service that writes the table.
 */
export function refuseOn(constraint: string, refusal: Refusal): void {
  refusals.set(constraint, refusal);
}

/** The database's error inside whatever was thrown, or null. */
export function databaseErrorOf(error: unknown): DatabaseError | null {
  if (typeof error !== 'object' || error === null) return null;
  const { driverError, code, constraint, detail } = error as Partial<DatabaseError> & { driverError?: unknown };
  if (driverError) return databaseErrorOf(driverError);
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return null;
  return { code, ...(constraint ? { constraint } : {}), ...(detail ? { detail } : {}) };
}

/** Whether running the whole transaction again may succeed: a serialization failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  const code = databaseErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/** What the caller hears of a failed statement; null where it is our own fault. */
export function refusalOf(error: DatabaseError): AppError | null {
  const refusal = error.constraint === undefined ? undefined : refusals.get(error.constraint);
  if (refusal) return refusal(error);

  const kind = error.code.slice(0, 2);
  if (kind === '22' || kind === '54') {
    return invalidRequest([{ path: '', message: 'A value cannot be stored', code: 'unstorable' }]);
  } else if (['23502', '23503', '23505', '23514', '23P01'].includes(error.code)) {
    return conflict('conflict', 'The change contradicts what is stored');
  } else if (kind === '40' || kind === '53' || kind === '57' || kind === '08' || error.code === '55P03') {
    return unavailable('The database is busy or away');
  } else {
    return null;
  }
}
