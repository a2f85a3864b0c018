import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { open, seal, sealUnderNonce } from './aes-gcm.js';

interface Vector {
  source: string;
  key: string;
  nonce: string;
  plaintext: string;
  aad: string;
  ciphertext: string;
  tag: string;
}

const ZERO_KEY = '00'.repeat(32);
const FEFFE9 = 'feffe9928665731c6d6a8f9467308308'.repeat(2);
const CAFE = 'cafebabefacedbaddecaf888';
const D93132 =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255';
const S522DC1 =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';

/** Key 256, nonce 96, tag 128. McGrew and Viega's test cases 13 to 16, and NIST's CAVP (gcmEncryptExtIV256). */
const VECTORS: Vector[] = [
  {
    source: 'GCM specification, test case 13',
    key: ZERO_KEY,
    nonce: '00'.repeat(12),
    plaintext: '',
    aad: '',
    ciphertext: '',
    tag: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    source: 'GCM specification, test case 14',
    key: ZERO_KEY,
    nonce: '00'.repeat(12),
    plaintext: '00'.repeat(16),
    aad: '',
    ciphertext: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    source: 'GCM specification, test case 15',
    key: FEFFE9,
    nonce: CAFE,
    plaintext: D93132,
    aad: '',
    ciphertext: S522DC1,
    tag: 'b094dac5d93471bdec1a502270e3cc6c',
  },
  {
    source: 'GCM specification, test case 16',
    key: FEFFE9,
    nonce: CAFE,
    plaintext: D93132.slice(0, 120),
    aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    ciphertext: S522DC1.slice(0, 120),
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
  {
    source: 'CAVP, no plaintext, count 0',
    key: 'b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4',
    nonce: '516c33929df5a3284ff463d7',
    plaintext: '',
    aad: '',
    ciphertext: '',
    tag: 'bdc1ac884d332457a1d2664f168c76f0',
  },
  {
    source: 'CAVP, plaintext of 128 bits, count 0',
    key: '31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22',
    nonce: '0d18e06c7c725ac9e362e1ce',
    plaintext: '2db5168e932556f8089a0622981d017d',
    aad: '',
    ciphertext: 'fa4362189661d163fcd6a56d8bf0405a',
    tag: 'd636ac1bbedd5cc3ee727dc2ab4a9489',
  },
  {
    source: 'CAVP, plaintext and AAD of 128 bits, count 0',
    key: '92e11dcdaa866f5ce790fd24501f92509aacf4cb8b1339d50c9c1240935dd08b',
    nonce: 'ac93a1a6145299bde902f21a',
    plaintext: '2d71bcfa914e4ac045b2aa60955fad24',
    aad: '1e0889016f67601c8ebea4943bc23ad6',
    ciphertext: '8995ae2e6df3dbf96fac7b7137bae67f',
    tag: 'eca5aa77d51d4a0a14d9c51e1da474ab',
  },
];

const hex = (text: string) => Buffer.from(text, 'hex');

function bindingOf({ key, aad }: Vector) {
  return { key: createSecretKey(hex(key)), aad: hex(aad) };
}

function sealedOf({ nonce, ciphertext, tag }: Vector): Buffer {
  return hex(nonce + ciphertext + tag);
}

/** A copy with one inverted bit in the byte at this index. */
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

describe.each(VECTORS)('the published vector: $source', (vector) => {
  it('sealing gives the ciphertext of the published vector', () => {
    const sealed = sealUnderNonce({ ...bindingOf(vector), nonce: hex(vector.nonce) }, hex(vector.plaintext));

    expect(sealed.toString('hex')).toBe(vector.nonce + vector.ciphertext + vector.tag);
  });

  it('opening gives the plaintext of the published vector', () => {
    expect(open(bindingOf(vector), sealedOf(vector))?.toString('hex')).toBe(vector.plaintext);
  });

  it('a published vector is rejected after a change of any byte of nonce, ciphertext or tag', () => {
    const sealed = sealedOf(vector);
    const opened = [...sealed.keys()].filter((at) => open(bindingOf(vector), flipped(sealed, at)) !== null);

    expect(opened).toEqual([]);
  });

  it('a published vector is rejected with another AAD or key', () => {
    const { key, aad } = bindingOf(vector);

    expect(open({ key, aad: Buffer.concat([aad, hex('00')]) }, sealedOf(vector))).toBeNull();
    expect(open({ key: createSecretKey(randomBytes(32)), aad }, sealedOf(vector))).toBeNull();
  });
});

describe('sealed values', () => {
  const binding = { key: createSecretKey(randomBytes(32)), aad: Buffer.from('aad') };

  it.each([0, 1, 15, 16, 17, 65_536])(
    'a value of %d bytes is returned unchanged, and is 28 bytes longer when sealed',
    (length) => {
      const value = randomBytes(length);
      const sealed = seal(binding, value);

      expect(sealed.length).toBe(length + 28);
      expect(open(binding, sealed)).toEqual(value);
    },
  );

  it.each([4, 8, 12, 13, 14, 15])(
    'a tag truncated to %d bytes, which the runtime would accept, is rejected',
    (tagBytes) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', binding.key, nonce, { authTagLength: tagBytes }).setAAD(binding.aad);
      const ciphertext = Buffer.concat([cipher.update('guess me'), cipher.final()]);

      expect(open(binding, Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]))).toBeNull();
    },
  );

  it.each([0, 1, 12, 27])('a sealed value of only %d bytes is rejected', (length) => {
    expect(open(binding, Buffer.alloc(length))).toBeNull();
  });
});
