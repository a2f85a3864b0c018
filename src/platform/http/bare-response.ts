import { STATUS_CODES } from 'node:http';
import type { AppError } from '../errors/app-error.js';
import { errorBody, errorHeaders, errorStatus, type ErrorShape } from '../errors/error-bodies.js';
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
  const shape = errorShapeOf(path);
  const body = JSON.stringify(errorBody(shape, error, requestId));
  const headers = {
    ...SECURITY,
    ...errorHeaders(error),
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { status: errorStatus(shape, error), headers, body };
}

/** The headers, alternately names and values, and the body. */
export interface PreparedResponse {
  readonly headers: string[];
  readonly body: string;
}

/**
 * The response of one error for any request: only the request id, of a fixed length, and the surface differ. The rest is
 * computed once per surface, at a third of the cost of `bareResponse`.
 */
export function preparedResponse(error: AppError): (given: { url: string; requestId: string }) => PreparedResponse {
  const forms = new Map<ErrorShape, { headers: string[]; body: string[] }>();
  const formOf = (url: string, requestId: string) => {
    const { headers, body } = bareResponse(error, { url, requestId });
    const fixed = Object.entries(headers).filter(([name]) => name !== 'X-Request-Id');
    return { headers: fixed.flat(), body: body.split(requestId) };
  };
  return ({ url, requestId }) => {
    const [path = '/'] = url.split('?', 1);
    const shape = errorShapeOf(path);
    const form = forms.get(shape) ?? formOf(url, requestId);
    forms.set(shape, form);
    return { headers: [...form.headers, 'X-Request-Id', requestId], body: form.body.join(requestId) };
  };
}

/** The raw HTTP response, for a connection that is closed afterwards. */
export function rawResponse({ status, headers, body }: BareResponse): string {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
