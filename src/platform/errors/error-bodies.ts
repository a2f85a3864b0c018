import type { AppError } from './app-error.js';

/** The shape of a surface's errors. `oauth` is the token endpoint, whose shape is RFC 6749's. */
export type ErrorShape = 'trade' | 'plain' | 'data' | 'oauth';

const UNEXPECTED = 'An unexpected error occurred';

/** The body of an error in the shape of its surface; `error` null is a 500, which contains only the request id. */
export function errorBody(shape: ErrorShape, error: AppError | null, requestId: string): Record<string, unknown> {
  switch (shape) {
    case 'trade':
      return tradeBody(error, requestId);
    case 'plain':
      return plainBody(error);
    case 'data':
      return dataBody(error);
    case 'oauth':
      return oauthBody(error, requestId);
  }
}

/** Storefront, staff and connect: `{error, code?, requestId, details?}`. */
function tradeBody(error: AppError | null, requestId: string): Record<string, unknown> {
  if (!error) return { error: UNEXPECTED, requestId };
  const details = { ...error.details, ...retryAfter(error) };
  return {
    error: error.message,
    code: error.code,
    requestId,
    ...(Object.keys(details).length > 0 ? { details } : {}),
  };
}

/** Vault and realtime: `{error, retryAfterMs?}`; for a rejected body, the first issue. */
function plainBody(error: AppError | null): Record<string, unknown> {
  if (!error) return { error: UNEXPECTED };
  const [issue] = (error.details?.['issues'] ?? []) as { path: string; message: string }[];
  const message = issue ? [issue.path, issue.message].filter(Boolean).join(': ') : error.message;
  return { error: message, ...retryAfter(error) };
}

/** Data: `{code, message, retryAfterMs?}` with codes in upper case. */
function dataBody(error: AppError | null): Record<string, unknown> {
  if (!error) return { code: 'INTERNAL', message: UNEXPECTED };
  const { error: message } = plainBody(error);
  return { code: error.code.toUpperCase(), message, ...retryAfter(error) };
}

/** The token endpoint: `{error, error_description, code, requestId}`; `error` is the code of RFC 6749, 5.2. */
function oauthBody(error: AppError | null, requestId: string): Record<string, unknown> {
  if (!error) return { error: 'server_error', error_description: UNEXPECTED, requestId };
  const { error: description } = plainBody(error);
  const code = error.status === 429 || error.status === 503 ? 'temporarily_unavailable' : error.code;
  return { error: code, error_description: description, code, requestId, ...retryAfter(error) };
}

function retryAfter(error: AppError): { retryAfterMs?: number } {
  return error.retryAfterMs === undefined ? {} : { retryAfterMs: Math.max(1, Math.ceil(error.retryAfterMs)) };
}

/** The headers of an error response; `error` null is a 500. */
export function errorHeaders(error: AppError | null): Record<string, string> {
  const retryAfterMs = error?.retryAfterMs;
  return {
    ...error?.headers,
    'Cache-Control': 'private, no-store',
    ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  };
}
