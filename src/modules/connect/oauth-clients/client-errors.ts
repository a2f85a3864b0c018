import { MAX_ISSUES } from '../../../platform/errors/app-error.js';
import { invalidMembers } from '../../../platform/openapi/error-schemas.js';
import type { NamedSchema } from '../../../platform/http/route-errors.js';

const text = (maxLength: number) => ({ type: 'string', maxLength });
const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });
const retryAfterMs = { ...whole(1, 86_400_000), description: 'Milliseconds after which a retry is useful' };

/** The schema of an error body of the client endpoints, with these codes and details. */
function body(
  { name, description }: { name: string; description: string },
  codes: readonly string[],
  details?: Record<string, object>,
): NamedSchema {
  const closed = {
    type: 'object',
    description: 'Details of the error; the members depend on the code',
    properties: details ?? {},
    additionalProperties: false,
  };
  return {
    name: `OAuthClient${name}`,
    schema: {
      type: 'object',
      description,
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

const invalid = body(
  { name: 'InvalidRequest', description: 'The request to an OAuth client endpoint is invalid.' },
  ['invalid_request'],
  invalidMembers(MAX_ISSUES),
);
const unauthorized = body({ name: 'Unauthorized', description: 'The request has no valid credential.' }, [
  'unauthorized',
]);
const forbidden = body(
  { name: 'Forbidden', description: 'The credential does not permit the request.' },
  ['forbidden'],
  {
    requiredScope: { ...text(200), description: 'Scope that the credential lacks' },
    excessScopes: {
      type: 'array',
      maxItems: 64,
      items: text(200),
      description: 'Requested scopes that the caller may not grant',
    },
  },
);
const missing = body(
  { name: 'NotFound', description: 'The operator, the grant or the client does not exist for the caller.' },
  ['not_found'],
  {
    resource: {
      type: 'string',
      enum: ['operator', 'grant', 'oauth_client'],
      description: 'Kind of the missing resource',
    },
  },
);
const conflict = body(
  { name: 'Conflict', description: 'The client cannot be created in the current state.' },
  ['operator_inactive', 'grant_conflict', 'client_limit_reached', 'idempotency_in_progress'],
  {
    reason: { type: 'string', enum: ['inactive', 'scopes', 'expiry'], description: 'Why the grant does not fit' },
    limit: { ...whole(1, 1_000), description: 'Maximum number of active clients of an operator' },
    retryAfterMs,
  },
);
const limited = body({ name: 'RateLimited', description: 'The caller has sent too many requests.' }, ['rate_limited'], {
  retryAfterMs,
  limit: { ...whole(0, 1_000_000_000), description: 'Requests that the exceeded limit allows' },
});

/** The error bodies of revoking a client. */
export const REVOKE_ERRORS = { 400: invalid, 401: unauthorized, 403: forbidden, 404: missing, 429: limited };

/** The error bodies of creating a client. */
export const CREATE_ERRORS = { ...REVOKE_ERRORS, 409: conflict };
