import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, ListOf, OneOf, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CONNECT_SCOPES } from '../connect-scopes.js';
import type { OAuthClient } from './oauth-client.entity.js';

/** A new OAuth client of an operator. */
export class CreateOAuthClient {
  /**
   * Name for display.
   * @example "Booking sync"
   */
  @Clearable()
  @Text({ max: 120 })
  name?: string | null;

  /**
   * Scopes of the client. Each must be covered by the scopes of the caller and, with `grantId`, by the scopes of the grant.
   * @example ["connect:bookings:read", "connect:bookings:write"]
   */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /**
   * A grant of the operator. The client works only while the grant is active. The default is the caller's grant, if the caller
   * is a client with a grant.
   * @example "grant_demo"
   */
  @Clearable()
  @Text({ max: 64 })
  grantId?: string | null;

  /**
   * End of the client, in the future, at most ten years away and not later than the end of the credential that creates it. By
   * default it ends with that credential and with its grant.
   * @example "2034-12-31T23:59:59Z"
   */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

/** Filters and paging of the OAuth clients of an operator. */
export class ListOAuthClients extends PageQuery {
  /** `true` returns only active clients, `false` only revoked ones. */
  @Optional()
  @QueryFlag()
  active?: boolean;
}

/** An OAuth client of an operator, without its secret. */
export class OAuthClientResponse {
  @Id('oacl')
  id: string;

  /** The operator on whose behalf the client acts. */
  @Text({ max: 64 })
  operatorId: string;

  /** Public ID, sent as `client_id` to the token endpoint. */
  @Text({ max: 28, pattern: /^occ_[0-9A-Za-z]{24}$/ })
  clientId: string;

  /** Name for display; null if not set. */
  @Text({ max: 120 })
  name: string | null;

  /** Maximum scopes of its tokens. */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /** The grant that limits the client; null if there is none. */
  @Text({ max: 64 })
  grantId: string | null;

  /** End of the client; null if it does not expire. */
  @Instant()
  expiresAt: string | null;

  /** False after revocation. Expiry does not change it. */
  @Flag()
  active: boolean;

  @Instant()
  createdAt: string;

  /** Time of revocation; null if it was not revoked. */
  @Instant()
  revokedAt: string | null;
}

/** Types of problems of a new client. */
export const CLIENT_WARNINGS = named('OAuthClientWarningCode', ['scope_without_operation']);

/** A problem of a new client, which does not prevent its creation. */
export class OAuthClientWarning {
  /** `scope_without_operation`: no operation of this surface has the area and action of the scope. */
  @OneOf(CLIENT_WARNINGS)
  code: (typeof CLIENT_WARNINGS)[number];

  /**
   * The scope concerned. It is stored, and is accepted by operations that accept any area.
   * @example "connect:bookings:read"
   */
  @Text({ max: 200 })
  scope: string;
}

/** A new OAuth client with its first secret. */
export class CreatedOAuthClient extends OAuthClientResponse {
  /** The secret, returned only once. It is absent when the response is replayed for the same Idempotency-Key. */
  @Optional()
  @Text({ max: 53, pattern: /^ocs_[0-9A-Za-z]{49}$/ })
  clientSecret?: string;

  /** Problems that did not prevent the creation; empty if there are none. */
  @ListOf(() => OAuthClientWarning, { max: 64 })
  warnings: OAuthClientWarning[];
}

export function toOAuthClient(client: OAuthClient): OAuthClientResponse {
  return respond(OAuthClientResponse, client);
}

export class OAuthClientPage extends pageOf(OAuthClientResponse) {}
