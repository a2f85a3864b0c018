import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { make } from '../../../platform/database/rows.js';
import { KeyEncryption, type KeySlot } from './key-encryption.js';
import { KeyVersion, type LiveState } from './key-version.entity.js';

const KEY_BYTES = 32;

/** Makes data-encryption keys, which nobody sees bare. */
@Injectable()
export class NewKeys {
  constructor(
    private readonly encryption: KeyEncryption,
    private readonly clock: Clock,
  ) {}

  /** A random key for this slot, wrapped; storing it is the caller's. Throws 503 where the key-encryption key is away. */
  async make({ vaultId, version }: KeySlot, state: LiveState): Promise<KeyVersion> {
    const bare = randomBytes(KEY_BYTES);
    const wrapped = await this.encryption.wrap({ vaultId, version }, bare);
    bare.fill(0);
    return make(KeyVersion, { vaultId, version, state, ...wrapped, reserved: 0, createdAt: this.clock.now() });
  }
}
