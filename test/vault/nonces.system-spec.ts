import { expect, it } from '@jest/globals';
import { createSecretKey, randomBytes } from 'node:crypto';
import { seal } from '../../src/platform/keys/aes-gcm.js';

it('a million ciphertexts have different nonces, even in their first eight bytes', () => {
  const binding = { key: createSecretKey(randomBytes(32)), aad: Buffer.from('additional data') };
  const [count, nothing] = [1_000_000, Buffer.alloc(0)];
  const beginnings = new BigUint64Array(count);
  const bytes = Buffer.from(beginnings.buffer);
  for (let i = 0; i < count; i += 1) seal(binding, nothing).copy(bytes, i * 8, 0, 8);

  const repeated = beginnings.sort().filter((beginning, i) => i > 0 && beginning === beginnings[i - 1]);

  expect([...repeated]).toEqual([]);
  expect(beginnings[0]).toBeGreaterThan(0n);
}, 120_000);
