import type { AppError } from './app-error.js';

/** The headers of an error response; `error` null is a 500. */
export function errorHeaders(error: AppError | null): Record<string, string> {
  const retryAfterMs = error?.retryAfterMs;
  return {
    ...error?.headers,
    'Cache-Control': 'private, no-store',
    ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
  };
}
