import type { NextFunction, Request, Response } from 'express';
import { AppError, invalidRequest, type Issue } from '../errors/app-error.js';

const MAX_HEADERS = 100;
const MAX_PARAMETERS = 100;

/**
 * Headers of which Node keeps the first or joins all: with duplicates the request is ambiguous, and a proxy may read
 * the other one.
 */
const ONCE = new Map(
  [
    'Host',
    'Authorization',
    'X-Api-Key',
    'Content-Type',
    'Content-Encoding',
    'Expect',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'X-Request-Id',
  ].map((name) => [name.toLowerCase(), name]),
);
const HOST = /^[A-Za-z0-9.\-_~:[\]%]{0,300}$/;

/** Rejects requests that Node accepts although they are ambiguous or incomplete. */
export function requireWellFormed(request: Request, _response: Response, next: NextFunction): void {
  next(faultOf(request) ?? undefined);
}

function faultOf(request: Request): AppError | null {
  const { rawHeaders, headers, url } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new AppError(431, 'headers_too_large', `The request has more than ${MAX_HEADERS} headers`);
  }
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new AppError(417, 'expectation_failed', 'The only supported expectation is 100-continue');
  }
  const issues = [...repeatedHeaders(rawHeaders), ...hostFaults(request), ...queryFaults(url)];
  return issues.length > 0 ? invalidRequest(issues) : null;
}

function repeatedHeaders(rawHeaders: string[]): Issue[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = ONCE.get(rawHeaders[at]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  return [...repeated].map((path) => ({ path, message: 'Duplicate header', code: 'duplicate_header' }));
}

/** RFC 9112, 3.2: HTTP/1.1 without a valid Host is rejected. */
function hostFaults({ headers: { host }, httpVersion }: Request): Issue[] {
  const isGiven = host !== undefined || httpVersion === '1.0';
  return isGiven && HOST.test(host ?? '')
    ? []
    : [{ path: 'Host', message: 'must be a valid host name', code: 'wrong_format' }];
}

/** Node's query parser keeps broken encodings as they are and drops what comes after a thousand parameters. */
function queryFaults(url: string): Issue[] {
  const at = url.indexOf('?');
  if (at === -1) return [];
  const query = url.slice(at + 1);
  if (query.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    return [
      {
        path: '',
        message: `The query has more than ${MAX_PARAMETERS} parameters`,
        code: 'too_many_parameters',
        params: { max: MAX_PARAMETERS },
      },
    ];
  }
  try {
    decodeURIComponent(query);
    return [];
  } catch {
    return [{ path: '', message: 'The query is not percent-encoded UTF-8', code: 'encoding' }];
  }
}
