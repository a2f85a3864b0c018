import { describe, expect, it } from '@jest/globals';
import { checksum62, demoId, isId, lastBitsOf, newId, newSecret, randomBase32, randomBase62, uuidv7 } from './id.js';

describe('ids', () => {
  it('an id contains its kind and is recognised by it only', () => {
    const id = newId('sinv');
    expect(id).toMatch(/^sinv_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(isId('sinv', id)).toBe(true);
    expect(isId('chan', id)).toBe(false);
  });

  it('ids sort by the time of their creation', async () => {
    const first = newId('chan');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(newId('chan') > first).toBe(true);
  });

  it.each([
    'sinv',
    'sinv_',
    'sinv_01h455vb4pex5vsknk084sn02',
    'sinv_81h455vb4pex5vsknk084sn02q',
    'sinv_01H455VB4PEX5VSKNK084SN02Q',
  ])('the malformed id %s is rejected', (text) => expect(isId('sinv', text)).toBe(false));

  it('ids of demo rows are well-formed and fixed', () => {
    expect(demoId('chan', 2)).toBe('chan_01k0dem000e000000000000002');
    expect(isId('chan', demoId('chan', 9999))).toBe(true);
  });
});

describe('secrets', () => {
  it('a secret consists of 43 random base62 characters and their checksum', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^[0-9A-Za-z]{49}$/);
    expect(secret.slice(43)).toBe(checksum62(secret.slice(0, 43)));
    expect(newSecret()).not.toBe(secret);
  });

  it('secrets use the whole alphabet', () => {
    expect(new Set(randomBase62(5_000)).size).toBe(62);
    expect(new Set(randomBase32(5_000)).size).toBe(32);
  });
});

it('request ids are UUIDs of version 7', () => {
  expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('the last bits of an id are those of its UUID', () => {
  expect(lastBitsOf('rtm_00000000000000000000000000')).toBe(0);
  expect(lastBitsOf('rtm_0000000000000000000000001z')).toBe(63);
  expect(lastBitsOf('rtm_7zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe(2 ** 32 - 1);
});
