import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeyEncryption, type WrappedKey } from './key-encryption.js';
import { UnwrappedKeys } from './unwrapped-keys.js';

const VERSION = { vaultId: 'vault_1', version: 1, kekId: 'a', wrappedKey: Buffer.alloc(60) };

/** A key-encryption service elsewhere: it keeps the keys itself, and may be away. */
class Elsewhere extends KeyEncryption {
  readonly primaryId = 'a';
  readonly bare = randomBytes(32);
  readonly handedOut: Buffer[] = [];
  away = false;

  async wrap(): Promise<WrappedKey> {
    return VERSION;
  }

  async unwrap(): Promise<Buffer> {
    if (this.away) throw new Error('away');
    const copy = Buffer.from(this.bare);
    this.handedOut.push(copy);
    return copy;
  }
}

describe('unwrapped keys', () => {
  let elsewhere: Elsewhere;
  let keys: UnwrappedKeys;

  beforeEach(() => {
    jest.useFakeTimers();
    elsewhere = new Elsewhere();
    keys = new UnwrappedKeys(elsewhere);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are unwrapped once, however many ask at the same time, and the buffer is overwritten with zeros', async () => {
    const asked = await Promise.all(Array.from({ length: 50 }, () => keys.get(VERSION)));

    expect(elsewhere.handedOut).toEqual([Buffer.alloc(32)]);
    expect(asked.every((key) => key.equals(createSecretKey(elsewhere.bare)))).toBe(true);
  });

  it('are forgotten after five minutes', async () => {
    await keys.get(VERSION);
    jest.advanceTimersByTime(5 * 60_000 - 1);
    await keys.get(VERSION);
    expect(elsewhere.handedOut.length).toBe(1);

    jest.advanceTimersByTime(1);
    await keys.get(VERSION);
    expect(elsewhere.handedOut.length).toBe(2);
  });

  it('are asked for again after a failure', async () => {
    elsewhere.away = true;
    await expect(keys.get(VERSION)).rejects.toThrow('away');
    elsewhere.away = false;

    expect((await keys.get(VERSION)).symmetricKeySize).toBe(32);
  });
});
