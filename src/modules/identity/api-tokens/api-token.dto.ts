import { Instant } from '../../../platform/http/trade-fields.js';
import { Id, Text, Texts } from '../../../platform/http/fields.js';
import type { ApiToken } from './api-token.entity.js';

export class ApiTokenResponse {
  @Id('atok')
  id: string;

  @Text({ max: 120 })
  name: string;

  /** What it may do; never more than its user may at the time.
   * @example ["finance:read"] */
  @Texts({ min: 1, max: 64, maxLength: 200 })
  scopes: string[];

  /** Whose it is; null for a platform API key. */
  @Id('user')
  userId: string | null;

  /** The one operator that it is bound to. */
  @Text({ max: 64 })
  operatorId: string | null;

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

export function toApiToken(token: ApiToken): ApiTokenResponse {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    userId: token.userId,
    operatorId: token.operatorId,
    expiresAt: token.expiresAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    createdAt: token.createdAt.toISOString(),
  };
}
