import { STATUS_CODES } from 'node:http';
import type { AppError } from '../errors/app-error.js';
import { errorBody } from '../errors/error-bodies.js';
import { errorHeaders } from '../errors/error-headers.js';
import { errorShapeOf } from '../context/surface.js';

/**
 * An error response that is written without Express, because the request never reached it or must cost next to nothing.
 */
export interface BareResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The headers that `securityHeaders` sets on every API response, without those for pages. */
const SECURITY = {
  'Content-Security-Policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Builds the error body of the surface of `url`; a request that could not be parsed has no url and gets the
 * storefront's.
 */
export function bareResponse(
  error: AppError,
  { url = '/', requestId }: { url?: string; requestId: string },
): BareResponse {
  const [path = '/'] = url.split('?', 1);
  const body = JSON.stringify(errorBody(errorShapeOf(path), error, requestId));
  const headers = {
    ...SECURITY,
    ...errorHeaders(error),
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { status: error.status, headers, body };
}

/** The raw HTTP response, for a connection that is closed afterwards. */
export function rawResponse({ status, headers, body }: BareResponse): string {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
