import { dataOf } from '../../../platform/http/dto.js';
import { ListOf, OneOf, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { KEY_STATES, type KeyState, type KeyVersion } from './key-version.entity.js';
import { KEY_LIFETIME_MS } from './unwrapped-keys.js';

const MOST_VERSIONS = 1_000;

export class ChangeKeyVersion {
  /** `disabled`: it neither encrypts nor decrypts. `decrypt_only`: what it has encrypted opens again.
   * @example "disabled" */
  @OneOf(['disabled', 'decrypt_only'])
  state: 'disabled' | 'decrypt_only';
}

export class KeyVersionResponse {
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /** `pending` decrypts and becomes `primary` by itself; `primary` encrypts and decrypts; `decrypt_only` decrypts. */
  @OneOf(KEY_STATES)
  state: KeyState;

  /** When a pending version takes over; null for any other. */
  @Instant()
  primaryAt: string | null;

  /** How many encryptions were taken out, in blocks; at 2^31 a new version is made. */
  @Whole({ min: 0, max: 2 ** 32 })
  encryptions: number;

  @Instant()
  createdAt: string;
}

export class KeyVersionEnvelope extends dataOf(KeyVersionResponse) {}

export class KeyVersionList {
  /** Newest first. */
  @ListOf(() => KeyVersionResponse, { max: MOST_VERSIONS })
  data: KeyVersionResponse[];
}

/** Nothing of the key itself, not even wrapped. */
export function toKeyVersion({ version, state, reserved, createdAt }: KeyVersion): KeyVersionResponse {
  const primaryAt = state === 'pending' ? new Date(createdAt.getTime() + KEY_LIFETIME_MS).toISOString() : null;
  return { version, state, primaryAt, encryptions: reserved, createdAt: createdAt.toISOString() };
}
