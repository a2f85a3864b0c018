import { STAFF_SCOPES } from '../../../platform/auth/scopes.js';
import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { ApiToken } from './api-token.entity.js';

const STAFF_SCOPE = {
  pattern: new RegExp(`^(${STAFF_SCOPES.map((scope) => scope.replace('*', '\\*')).join('|')})$`),
  otherwise: 'must be a staff scope, such as finance:read, finance:approve or finance:*',
  maxLength: 200,
};

export class CreateApiToken {
  /** What it is for.
   * @example "Nightly export" */
  @Text({ max: 120 })
  name: string;

  /** What it may do: at most what the caller may do.
   * @example ["finance:read", "distribution:read"] */
  @Texts({ ...STAFF_SCOPE, min: 1, max: 64, unique: true })
  scopes: string[];

  /** In the future, within ten years; without it the token holds until it is revoked.
   * @example "2035-01-01T00:00:00Z" */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

export class ListApiTokens extends PageQuery {
  /** Whose they are. */
  @Optional()
  @Id('user')
  userId?: string;

  /** `true`: those that can be used, `false`: those that are revoked or have expired. */
  @Optional()
  @QueryFlag()
  active?: boolean;
}

export class ApiTokenResponse {
  @Id('atok')
  id: string;

  @Text({ max: 120 })
  name: string;

  /** What it may do, as long as its user may do it too.
   * @example ["finance:read"] */
  @Texts({ min: 1, max: 64, maxLength: 200 })
  scopes: string[];

  /** Whose it is. */
  @Id('user')
  userId: string;

  @Instant()
  expiresAt: string | null;

  @Instant()
  revokedAt: string | null;

  /** Up to a minute behind. */
  @Instant()
  lastUsedAt: string | null;

  @Instant()
  createdAt: string;
}

class CreatedApiToken extends ApiTokenResponse {
  /** Sent as `Authorization: Bearer` or `x-api-key`; shown only here, and not in a replay. */
  @Optional()
  @Text({ max: 200 })
  token?: string;
}

export function toApiToken(token: ApiToken): ApiTokenResponse {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    userId: token.userId ?? '',
    expiresAt: token.expiresAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    createdAt: token.createdAt.toISOString(),
  };
}

export class ApiTokenEnvelope extends dataOf(ApiTokenResponse) {}
export class CreatedApiTokenEnvelope extends dataOf(CreatedApiToken) {}
export class ApiTokenPage extends pageOf(ApiTokenResponse) {}
