import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { KeyEncryption, type KeySlot, type WrappedKey } from './key-encryption.js';

/** How long a bare key stays in memory, at most; also how long a new version is known before anybody encrypts with it. */
export const KEY_LIFETIME_MS = 5 * 60 * 1000;

/** The bare keys, which leave this process's memory after five minutes. */
@Injectable()
export class UnwrappedKeys implements OnApplicationShutdown {
  private readonly keys = new Map<string, Promise<KeyObject>>();

  constructor(private readonly encryption: KeyEncryption) {}

  /** Throws 503 where the key-encryption key is away. */
  async get(version: KeySlot & WrappedKey): Promise<KeyObject> {
    const slot = `${version.vaultId}|${version.version}`;
    return this.keys.get(slot) ?? this.remember(slot, this.unwrap(version));
  }

  /** For a version that is no longer to be used. Other processes forget it within its five minutes, and use it no more. */
  forget({ vaultId, version }: KeySlot): void {
    this.keys.delete(`${vaultId}|${version}`);
  }

  onApplicationShutdown(): void {
    this.keys.clear();
  }

  private remember(slot: string, key: Promise<KeyObject>): Promise<KeyObject> {
    const forget = () => void this.keys.delete(slot);
    this.keys.set(slot, key);
    key.catch(forget);
    setTimeout(forget, KEY_LIFETIME_MS).unref();
    return key;
  }

  private async unwrap(version: KeySlot & WrappedKey): Promise<KeyObject> {
    const bare = await this.encryption.unwrap(version, version);
    const key = createSecretKey(bare);
    bare.fill(0);
    return key;
  }
}
