import { STAFF_SCOPES } from '../../../platform/auth/scopes.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import { dataOf, pageOf, PageQuery } from '../../../platform/http/dto.js';
import { Clearable, Id, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { ApiToken } from './api-token.entity.js';

const STAFF_SCOPE = {
  pattern: patternOf(STAFF_SCOPES),
  otherwise: 'must be a staff scope, such as finance:read, finance:approve or finance:*',
  maxLength: 200,
};

/** A new API token of the calling user. */
export class CreateApiToken {
  /**
   * Purpose of the token.
   * @example "Nightly export"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * Scopes of the token, at most the caller's.
   * @example ["finance:read", "distribution:read"]
   */
  @Texts({ ...STAFF_SCOPE, min: 1, max: 64, unique: true })
  scopes: string[];

  /**
   * When the token expires, at most a year (366 days) from now; with `API_TOKENS_WITHOUT_END=true` at most ten years. By
   * default it expires with the token that creates it or after a year, whichever is earlier; with that setting it may have no
   * end.
   */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

/** Filters and paging of the list of API tokens. */
export class ListApiTokens extends PageQuery {
  /** Only tokens of this user. */
  @Optional()
  @Id('user')
  userId?: string;

  /** `true` returns only usable tokens, `false` only revoked or expired ones. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** An API token of a staff user, without its value. */
export class ApiTokenResponse {
  @Id('atok')
  id: string;

  /** Purpose of the token. */
  @Text({ max: 120 })
  name: string;

  /**
   * Scopes of the token. They apply only as far as the roles of its user still cover them.
   * @example ["finance:read"]
   */
  @Texts({ min: 1, max: 64, maxLength: 200 })
  scopes: string[];

  /** The user on whose behalf the token acts. */
  @Id('user')
  userId: string;

  /** When the token expires; null if never. */
  @Instant()
  expiresAt: string | null;

  /** Time of revocation; null if it was not revoked. */
  @Instant()
  revokedAt: string | null;

  /** Time of the last request, accurate to one minute; null if it was never used. */
  @Instant()
  lastUsedAt: string | null;

  @Instant()
  createdAt: string;
}

/** A new API token with its value. */
class CreatedApiToken extends ApiTokenResponse {
  /**
   * The value, sent as `Authorization: Bearer` or `x-api-key`. It is returned only once and is absent when the response
   * is replayed for the same Idempotency-Key.
   */
  @Optional()
  @Text({ max: 200 })
  token?: string;
}

export function toApiToken(token: ApiToken): ApiTokenResponse {
  return respond(ApiTokenResponse, token, { userId: token.userId ?? '' });
}

export class ApiTokenEnvelope extends dataOf(ApiTokenResponse) {}
export class CreatedApiTokenEnvelope extends dataOf(CreatedApiToken) {}
export class ApiTokenPage extends pageOf(ApiTokenResponse) {}
