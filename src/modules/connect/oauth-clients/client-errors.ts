import type { NamedSchema } from '../../../platform/openapi/errors.js';

const text = (maxLength: number) => ({ type: 'string', maxLength });
const issue = {
  type: 'object',
  required: ['path', 'message', 'code'],
  properties: { path: text(200), message: text(1_000), code: text(100) },
};
const scope = text(200);

/** One of the error bodies of the client endpoints: these codes, and details of this form where there are any. */
function body(name: string, codes: readonly string[], details?: Record<string, object>): NamedSchema {
  const closed = { type: 'object', properties: details ?? {}, additionalProperties: false };
  return {
    name: `OAuthClient${name}`,
    schema: {
      type: 'object',
      required: ['error', 'code', 'requestId'],
      properties: {
        error: { ...text(2_000), description: 'Explanation in English; the text may change' },
        code: { type: 'string', enum: [...codes], description: 'Stable error code for programs' },
        requestId: { ...text(128), minLength: 8, description: 'The value of X-Request-Id' },
        ...(details ? { details: closed } : {}),
      },
      additionalProperties: false,
    },
  };
}

const invalid = body('InvalidRequest', ['invalid_request'], {
  issues: { type: 'array', maxItems: 50, items: issue },
  fields: { type: 'object', additionalProperties: { type: 'array', maxItems: 50, items: text(1_000) } },
});
const unauthorized = body('Unauthorized', ['unauthorized']);
const forbidden = body('Forbidden', ['forbidden'], {
  requiredScope: scope,
  excessScopes: { type: 'array', maxItems: 64, items: scope },
});
const missing = body('NotFound', ['not_found'], {
  resource: { type: 'string', enum: ['operator', 'grant', 'oauth_client'] },
});
const conflict = body(
  'Conflict',
  ['operator_inactive', 'grant_conflict', 'client_limit_reached', 'idempotency_in_progress'],
  {
    reason: { type: 'string', enum: ['inactive', 'scopes', 'expiry'] },
    limit: { type: 'integer', minimum: 1, maximum: 1_000 },
    retryAfterMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
  },
);
const limited = body('RateLimited', ['rate_limited'], {
  retryAfterMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
  limit: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
});

/** The five error bodies of revoking a client. */
export const REVOKE_ERRORS = { 400: invalid, 401: unauthorized, 403: forbidden, 404: missing, 429: limited };

/** The six of creating one. */
export const CREATE_ERRORS = { ...REVOKE_ERRORS, 409: conflict };
