import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KekProvider, WrappedKey } from '../../../platform/keys/kek-provider.js';
import { bindingOf, KEY_LIFETIME_MS, type KeySlot } from './key-version.entity.js';

/** Caches plaintext keys in the memory of this process, each for at most five minutes. */
export class PlaintextKeyCache {
  private readonly keys = new Map<string, Promise<KeyObject>>();

  constructor(private readonly keks: KekProvider) {}

  async get(version: KeySlot & WrappedKey): Promise<KeyObject> {
    const name = nameOf(version);
    return this.keys.get(name) ?? this.add(name, this.unwrap(version));
  }

  forget(slot: KeySlot): void {
    this.keys.delete(nameOf(slot));
  }

  clear(): void {
    this.keys.clear();
  }

  private add(name: string, key: Promise<KeyObject>): Promise<KeyObject> {
    const forget = () => void this.keys.delete(name);
    this.keys.set(name, key);
    key.catch(forget);
    setTimeout(forget, KEY_LIFETIME_MS).unref();
    return key;
  }

  private async unwrap(version: KeySlot & WrappedKey): Promise<KeyObject> {
    const plaintextKey = await this.keks.unwrap(bindingOf(version), version);
    const key = createSecretKey(plaintextKey);
    plaintextKey.fill(0);
    return key;
  }
}

function nameOf({ vaultId, version }: KeySlot): string {
  return `${vaultId}|${version}`;
}
