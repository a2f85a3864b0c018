import { Flag, Id, ListOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { ClientSecret } from './client-secret.entity.js';

const THIRTY_DAYS = 30 * 24 * 3600;

export class RotateClientSecret {
  /** For how many seconds the secret that is in use stays good beside the new one: 0 to 2592000 (30 days), a day unless
   * given.
   * @example 3600 */
  @Optional()
  @Whole({ min: 0, max: THIRTY_DAYS })
  overlapSeconds?: number;
}

export class ClientSecretResponse {
  @Id('oasc')
  id: string;

  /** Public id of the client. */
  @Text({ max: 28, pattern: /^occ_[0-9A-Za-z]{24}$/ })
  clientId: string;

  /** Whether the client can authenticate by it now. */
  @Flag()
  live: boolean;

  @Instant()
  createdAt: string;

  /** When its overlap with the next one is over; null while there is no next one. */
  @Instant()
  expiresAt: string | null;

  @Instant()
  revokedAt: string | null;
}

export class CreatedClientSecret extends ClientSecretResponse {
  /** Shown this once. An idempotent replay does not hold it. */
  @Optional()
  @Text({ max: 53, pattern: /^ocs_[0-9A-Za-z]{49}$/ })
  clientSecret?: string;
}

export class ClientSecretList {
  /** Newest first: those that are live, and the last of those that were. */
  @ListOf(() => ClientSecretResponse, { max: 20 })
  data: ClientSecretResponse[];
}

/** What of a secret may be seen, as of this time. */
export function toClientSecret(secret: ClientSecret, { clientId, now }: { clientId: string; now: Date }) {
  return {
    id: secret.id,
    clientId,
    live: secret.isLive(now),
    createdAt: secret.createdAt.toISOString(),
    expiresAt: secret.expiresAt?.toISOString() ?? null,
    revokedAt: secret.revokedAt?.toISOString() ?? null,
  } satisfies ClientSecretResponse;
}
