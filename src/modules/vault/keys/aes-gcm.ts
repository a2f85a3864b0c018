import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Asking the system for the bytes of one nonce takes longer than to seal a short value: they are drawn for many at once. */
const NONCES_AT_ONCE = 512;

/** By how many bytes what is sealed is longer than what it was made of. */
export const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

interface Binding {
  /** 256 bits. */
  key: KeyObject;
  /** Not encrypted, but what is opened with another one does not open. */
  aad: Buffer;
}

/** AES-256-GCM under a fresh random nonce: nonce (12 bytes), ciphertext, tag (16 bytes). */
export function seal(binding: Binding, plaintext: Buffer): Buffer {
  return sealUnderNonce({ ...binding, nonce: freshNonce() }, plaintext);
}

/** For published vectors, which name their nonce. A nonce that is used twice gives the key away: call `seal`. */
export function sealUnderNonce({ key, aad, nonce }: Binding & { nonce: Buffer }, plaintext: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** What was sealed under this key and AAD; null for anything else, whatever is wrong with it. */
export function open({ key, aad }: Binding, sealed: Buffer): Buffer | null {
  // Before anything is split off: the runtime accepts tags of 4 bytes, which can be guessed.
  if (sealed.length < OVERHEAD_BYTES) return null;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad).setAuthTag(tag);
  // GCM is a stream: all of it comes out of `update`, unproven until `final` has checked the tag.
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES));
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    return null;
  }
}

let drawn: Buffer = Buffer.alloc(0);

/** Every byte that was drawn is given out once. */
function freshNonce(): Buffer {
  if (drawn.length === 0) drawn = randomBytes(NONCES_AT_ONCE * NONCE_BYTES);
  const nonce = drawn.subarray(0, NONCE_BYTES);
  drawn = drawn.subarray(NONCE_BYTES);
  return nonce;
}
