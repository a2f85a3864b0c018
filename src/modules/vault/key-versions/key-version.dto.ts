import { dataOf } from '../../../platform/http/dto.js';
import { ListOf, OneOf, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { KEY_LIFETIME_MS, KEY_STATES, type KeyState, type KeyVersion } from '../keys/key-version.entity.js';

const MOST_VERSIONS = 1_000;

/** The new state of a key version. */
export class ChangeKeyVersion {
  /**
   * A `disabled` version neither encrypts nor decrypts. With `decrypt_only`, values encrypted with it can be decrypted again.
   * @example "disabled"
   */
  @OneOf(['disabled', 'decrypt_only'])
  state: 'disabled' | 'decrypt_only';
}

/** A version of the key of a vault, without the key material. */
export class KeyVersionResponse {
  /** Number of the version within its vault, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  /**
   * `pending` decrypts and becomes `primary` automatically; `primary` encrypts and decrypts; `decrypt_only` decrypts;
   * `disabled`, `pending_destruction` and `destroyed` do neither.
   */
  @OneOf(KEY_STATES)
  state: KeyState;

  /** Time when a pending version becomes primary; null in any other state. */
  @Instant()
  primaryAt: string | null;

  /**
   * Upper bound of the number of encryptions made with it; processes reserve them in blocks. At 2^31 a new version is
   * created automatically.
   */
  @Whole({ min: 0, max: 2 ** 32 })
  encryptions: number;

  @Instant()
  createdAt: string;

  /** Time when the key will be destroyed; null except in `pending_destruction`. */
  @Instant()
  destroyAt: string | null;
}

export class KeyVersionEnvelope extends dataOf(KeyVersionResponse) {}

/** All versions of the key of a vault. */
export class KeyVersionList {
  /** Newest first. */
  @ListOf(() => KeyVersionResponse, { max: MOST_VERSIONS })
  data: KeyVersionResponse[];
}

/** Omits the key material, even its wrapped form. */
export function toKeyVersion({ version, state, reserved, createdAt, destroyAt }: KeyVersion): KeyVersionResponse {
  const primaryAt = state === 'pending' ? new Date(createdAt.getTime() + KEY_LIFETIME_MS).toISOString() : null;
  return {
    version,
    state,
    primaryAt,
    encryptions: reserved,
    createdAt: createdAt.toISOString(),
    destroyAt: destroyAt && destroyAt.toISOString(),
  };
}
