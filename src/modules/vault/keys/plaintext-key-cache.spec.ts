import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KekProvider, type Mac, type WrappedKey } from '../../../platform/keys/kek-provider.js';
import { PlaintextKeyCache } from './plaintext-key-cache.js';

const VERSION = { vaultId: 'vault_1', version: 1, kekId: 'a', wrappedKey: Buffer.alloc(60) };

/** An external key-encryption service that can be unavailable. */
class ExternalKeys extends KekProvider {
  readonly primaryId = 'a';
  readonly plaintextKey = randomBytes(32);
  readonly returned: Buffer[] = [];
  unavailable = false;

  async wrap(): Promise<WrappedKey> {
    return VERSION;
  }

  async mac(): Promise<Mac> {
    throw new Error('unused');
  }

  async verifyMac(): Promise<boolean> {
    throw new Error('unused');
  }

  async unwrap(): Promise<Buffer> {
    if (this.unavailable) throw new Error('unavailable');
    const copy = Buffer.from(this.plaintextKey);
    this.returned.push(copy);
    return copy;
  }
}

describe('the cache of plaintext keys', () => {
  let external: ExternalKeys;
  let keys: PlaintextKeyCache;

  beforeEach(() => {
    jest.useFakeTimers();
    external = new ExternalKeys();
    keys = new PlaintextKeyCache(external);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the cache of plaintext keys unwraps a key once for concurrent requests and overwrites the buffer with zeros', async () => {
    const asked = await Promise.all(Array.from({ length: 50 }, () => keys.get(VERSION)));

    expect(external.returned).toEqual([Buffer.alloc(32)]);
    expect(asked.every((key) => key.equals(createSecretKey(external.plaintextKey)))).toBe(true);
  });

  it('the cache of plaintext keys forgets a key after five minutes', async () => {
    await keys.get(VERSION);
    jest.advanceTimersByTime(5 * 60_000 - 1);
    await keys.get(VERSION);
    expect(external.returned.length).toBe(1);

    jest.advanceTimersByTime(1);
    await keys.get(VERSION);
    expect(external.returned.length).toBe(2);
  });

  it('the cache of plaintext keys unwraps a key again after a failure', async () => {
    external.unavailable = true;
    await expect(keys.get(VERSION)).rejects.toThrow('unavailable');
    external.unavailable = false;

    expect((await keys.get(VERSION)).symmetricKeySize).toBe(32);
  });
});
