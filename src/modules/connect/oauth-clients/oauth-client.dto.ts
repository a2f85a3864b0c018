import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, Id, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { QueryFlag } from '../../../platform/http/query-fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CONNECT_SCOPES } from '../connect-scopes.js';
import type { OAuthClient } from './oauth-client.entity.js';

export class CreateOAuthClient {
  /** What people call it.
   * @example "Booking sync" */
  @Clearable()
  @Text({ max: 120 })
  name?: string | null;

  /** What it may do. Each one must be covered by a scope of the caller, and by the grant if there is one.
   * @example ["connect:bookings:read", "connect:bookings:write"] */
  @Texts(CONNECT_SCOPES)
  scopes: string[];

  /** A grant of the operator: the client works only while the grant is active.
   * @example "grant_demo" */
  @Clearable()
  @Text({ max: 64 })
  grantId?: string | null;

  /** In the future, at most ten years away. Without it the client ends with its grant, or never.
   * @example "2034-12-31T23:59:59Z" */
  @Clearable()
  @Instant()
  expiresAt?: string | null;
}

export class ListOAuthClients extends PageQuery {
  /** Only those that are active, or only those that are revoked. */
  @Optional()
  @QueryFlag()
  active?: boolean;
}

export class OAuthClientResponse {
  @Id('oacl')
  id: string;

  @Text({ max: 64 })
  operatorId: string;

  /** Public; what the client calls itself at the token endpoint. */
  @Text({ max: 28, pattern: /^occ_[0-9A-Za-z]{24}$/ })
  clientId: string;

  @Text({ max: 120 })
  name: string | null;

  @Texts(CONNECT_SCOPES)
  scopes: string[];

  @Text({ max: 64 })
  grantId: string | null;

  @Instant()
  expiresAt: string | null;

  /** False once it is revoked. */
  @Flag()
  active: boolean;

  @Instant()
  createdAt: string;

  @Instant()
  revokedAt: string | null;
}

export class CreatedOAuthClient extends OAuthClientResponse {
  /** Shown this once. An idempotent replay does not hold it. */
  @Optional()
  @Text({ max: 53, pattern: /^ocs_[0-9A-Za-z]{49}$/ })
  clientSecret?: string;
}

export function toOAuthClient(client: OAuthClient): OAuthClientResponse {
  return {
    id: client.id,
    operatorId: client.operatorId,
    clientId: client.clientId,
    name: client.name,
    scopes: client.scopes,
    grantId: client.grantId,
    expiresAt: client.expiresAt?.toISOString() ?? null,
    active: client.active,
    createdAt: client.createdAt.toISOString(),
    revokedAt: client.revokedAt?.toISOString() ?? null,
  };
}

export class OAuthClientPage extends pageOf(OAuthClientResponse) {}
