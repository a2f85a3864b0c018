import { HttpException } from '@nestjs/common';
import { AppError, invalidRequest, notFound, tooManyRequests, unavailable } from './app-error.js';
import { databaseErrorOf, appErrorOf } from './database-errors.js';

/** Errors of the connection, the pool or the name lookup while the database is unavailable; they have no SQLSTATE. */
const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const AWAY_WORDS = /Connection terminated|Query read timeout|not queryable|Query runner already released/;

/**
 * No connection became free in time, because all of them are in use: an error of pg-pool, or of PgBouncer, which closes the
 * connection.
 */
const POOL_WAIT_OVER = /^(timeout exceeded when trying to connect|query_wait_timeout)$/;

/** Translates a thrown value to an error for the caller; null if it is a fault of the service (a 500). */
export function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof HttpException) return ofHttpException(error);
  if (isAny(error, isPoolWaitOver)) return tooManyRequests();
  const databaseError = databaseErrorOf(error);
  if (databaseError) return appErrorOf(databaseError);
  return isAny(error, isAway) ? unavailable('The database is unavailable') : null;
}

interface SystemError {
  code?: unknown;
  message?: unknown;
  driverError?: unknown;
  cause?: unknown;
}

/** Whether this error, or the one it wraps, matches. */
function isAny(error: unknown, isOne: (error: SystemError) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { driverError, cause } = error as SystemError;
  return isOne(error) || isAny(driverError ?? cause, isOne);
}

function isPoolWaitOver({ message }: SystemError): boolean {
  return typeof message === 'string' && POOL_WAIT_OVER.test(message);
}

function isAway({ code, message }: SystemError): boolean {
  return (typeof code === 'string' && AWAY.has(code)) || (typeof message === 'string' && AWAY_WORDS.test(message));
}

/** Nest's own exceptions: unknown routes, malformed paths and bodies that the parser rejects. */
function ofHttpException(error: HttpException): AppError | null {
  // The body parser wraps the service's own errors.
  if (error.cause instanceof AppError) return error.cause;
  const status = error.getStatus();
  if (status === 400) {
    // A path parameter that cannot be decoded matches no resource.
    if (error.message.startsWith('Failed to decode param')) return notFound();
    return invalidRequest([{ path: '', message: 'The body is not valid JSON', code: 'malformed' }]);
  } else if (status === 404) {
    return notFound();
  } else if (status === 413) {
    return new AppError(413, 'payload_too_large', 'The body is too large');
  } else if (status === 415) {
    return new AppError(415, 'unsupported_media_type', 'The body must be JSON in UTF-8, plain or gzip');
  } else {
    return status < 500 ? new AppError(status, 'invalid_request', 'The request is invalid') : null;
  }
}
