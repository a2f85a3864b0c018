import type { IssueCode, IssueParams } from './issue-codes.js';

export interface ErrorExtras {
  /** Data for the caller; on the storefront, staff and connect surfaces it is the member `details`. */
  details?: Record<string, unknown>;
  /** Milliseconds after which the same call may succeed; also becomes `Retry-After`. */
  retryAfterMs?: number;
  headers?: Record<string, string>;
}

/**
 * An error for the caller. `code` is for machines and never changes, the message is for people and may change. There is no
 * AppError with status 500: faults of the service are other errors.
 */
export class AppError extends Error {
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterMs: number | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    extras: ErrorExtras = {},
  ) {
    super(message);
    this.name = 'AppError';
    this.details = extras.details;
    this.retryAfterMs = extras.retryAfterMs;
    this.headers = extras.headers ?? {};
  }
}

/** One fault of a body, query or path: a dotted path such as `stages.0.offsetDays`, a message and a stable code. */
export interface Issue {
  path: string;
  message: string;
  code: IssueCode;
  params?: IssueParams;
}

export const MAX_ISSUES = 100;
/**
 * The length is in UTF-16 units. The caller chooses the names of members: a name of a megabyte must not be repeated in each
 * issue.
 */
export const MAX_PATH = 200;
export const MAX_MESSAGE = 1_000;

/** 400. At most 100 issues are listed, names are cut, and no value is echoed. */
export function invalidRequest(issues: Issue[], message = 'The request is invalid'): AppError {
  const listed = issues.slice(0, MAX_ISSUES).map((issue) => ({
    ...issue,
    path: cutPath(issue.path),
    message: cut(issue.message, MAX_MESSAGE),
  }));
  // A map, because the caller chooses the names, and every object has a `constructor`.
  const fields = new Map<string, string[]>();
  for (const { path, message: fault } of listed) fields.set(path, [...(fields.get(path) ?? []), fault]);
  return new AppError(400, 'invalid_request', message, {
    details: { issues: listed, fields: Object.fromEntries(fields) },
  });
}

/** Shortens a path before it is repeated to the caller, who chose the names in it. */
export function cutPath(path: string): string {
  return cut(path, MAX_PATH);
}

function cut(text: string, units: number): string {
  return text.length <= units ? text : `${text.slice(0, units - 1).toWellFormed()}…`;
}

/** Creates a 400 with a single issue. */
export function invalidField(path: string, message: string, code: IssueCode, params?: IssueParams): AppError {
  return invalidRequest([{ path, message, code, ...(params && { params }) }]);
}

/** Creates a 404 for a resource that is unknown or not visible to the caller. All such responses are the same. */
export function notFound(details?: Record<string, unknown>): AppError {
  return new AppError(404, 'not_found', 'Not found', details ? { details } : {});
}

/** Creates a 409: the current state does not allow the request. */
export function conflict(code: string, message: string, details?: Record<string, unknown>): AppError {
  return new AppError(409, code, message, details ? { details } : {});
}

/**
 * Creates a 422: the request is well-formed, but the amounts or the state do not allow it. `field` is the path of the member
 * that the caller has to change, or the name of a header.
 */
export function unprocessable(
  code: string,
  message: string,
  details: Record<string, unknown> & { field: string },
): AppError {
  return new AppError(422, code, message, { details });
}

/** Creates a 403 with the missing scope. */
export function forbidden(message: string, details: Record<string, unknown>): AppError {
  return new AppError(403, 'forbidden', message, { details });
}

/** Creates a 503: a dependency does not respond. */
export function unavailable(message: string, retryAfterMs = 1000): AppError {
  return new AppError(503, 'service_unavailable', message, { retryAfterMs });
}

/** 503: more concurrent requests than connections or memory allow; the same request may succeed soon. */
export function overloaded(message: string, retryAfterMs = 1000): AppError {
  return new AppError(503, 'overloaded', message, { retryAfterMs });
}

/** Creates a 503: a connection or a row used by other requests did not become free in time. */
export function tooManyRequests(): AppError {
  return overloaded('Too many requests at once');
}

/** Creates a 503: the disk is full, which takes longer than a second to resolve. */
export function diskFull(): AppError {
  return unavailable('The service cannot store data at the moment', 10_000);
}
