import type { AppError } from './app-error.js';

/** The shape of a surface's errors. `oauth` is the token endpoint, whose shape is RFC 6749's. */
export type ErrorShape = 'trade' | 'plain' | 'data' | 'oauth' | 'octo';

const OCTO_CODE = /^[A-Z][A-Z_]+$/;

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
    case 'octo':
      return octoBody(error, requestId);
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

/** The ids that an error of OCTO names, each in a member of its own. */
const OCTO_IDS = ['productId', 'optionId', 'unitId', 'availabilityId', 'uuid'];

const OCTO_CODES: Record<number, string> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'UNPROCESSABLE_ENTITY',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'TOO_MANY_REQUESTS',
  503: 'INTERNAL_SERVER_ERROR',
};

/** OCTO: `{error, errorMessage, requestId}` with the offending id; `error` is a code of the standard. */
function octoBody(error: AppError | null, requestId: string): Record<string, unknown> {
  if (!error) return { error: 'INTERNAL_SERVER_ERROR', errorMessage: UNEXPECTED, requestId };
  const { error: errorMessage } = plainBody(error);
  const ids = Object.entries(error.details ?? {}).filter(([name]) => OCTO_IDS.includes(name));
  const own = OCTO_CODE.test(error.code) ? error.code : undefined;
  const code = own ?? OCTO_CODES[error.status] ?? 'BAD_REQUEST';
  return { error: code, errorMessage, requestId, ...Object.fromEntries(ids), ...retryAfter(error) };
}

/** The status of an error in the shape of its surface: OCTO knows only 400 for a request that cannot be fulfilled. */
export function errorStatus(shape: ErrorShape, error: AppError | null): number {
  if (!error) return 500;
  return shape === 'octo' && ![401, 403, 404, 405, 413, 429, 503].includes(error.status) ? 400 : error.status;
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
