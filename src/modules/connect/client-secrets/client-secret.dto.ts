import { Flag, Id, ListOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { ClientSecret } from './client-secret.entity.js';

const THIRTY_DAYS = 30 * 24 * 3600;

/** Options for replacing the secret of a client. */
export class RotateClientSecret {
  /**
   * Seconds during which the current secret stays valid beside the new one: 0 to 2592000 (30 days); 86400 (one day) by default.
   * @example 3600
   */
  @Optional()
  @Whole({ min: 0, max: THIRTY_DAYS })
  overlapSeconds?: number;
}

/** A secret of an OAuth client, without its value. */
export class ClientSecretResponse {
  @Id('oasc')
  id: string;

  /** Public ID of the client that owns the secret. */
  @Text({ max: 28, pattern: /^occ_[0-9A-Za-z]{24}$/ })
  clientId: string;

  /** Whether the client can authenticate with it now. */
  @Flag()
  live: boolean;

  @Instant()
  createdAt: string;

  /** End of the overlap with the next secret; null until a next secret exists. */
  @Instant()
  expiresAt: string | null;

  /** Time of revocation; null if it was not revoked. */
  @Instant()
  revokedAt: string | null;
}

/** A new secret with its value. */
export class CreatedClientSecret extends ClientSecretResponse {
  /** The value, returned only once. It is absent when the response is replayed for the same Idempotency-Key. */
  @Optional()
  @Text({ max: 53, pattern: /^ocs_[0-9A-Za-z]{49}$/ })
  clientSecret?: string;
}

/** The secrets of a client. */
export class ClientSecretList {
  /** Newest first, at most 20, including expired and revoked ones. */
  @ListOf(() => ClientSecretResponse, { max: 20 })
  data: ClientSecretResponse[];
}

/** Returns the secret without its value, with its state at this time. */
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
