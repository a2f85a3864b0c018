import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The number of bytes by which an encrypted value is longer than its plaintext. */
export const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

interface Binding {
  /** 256 bits. */
  key: KeyObject;
  /** Authenticated, not encrypted: with another value, decryption fails. */
  aad: Buffer;
}

/** AES-256-GCM under a nonce of 12 random bytes, drawn for this value alone: nonce, ciphertext, tag (16 bytes). */
export function seal(binding: Binding, plaintext: Buffer): Buffer {
  return sealUnderNonce({ ...binding, nonce: randomBytes(NONCE_BYTES) }, plaintext);
}

/**
 * Used for published test vectors, which specify the nonce. Call `seal` in all other cases: a repeated nonce reveals the key.
 */
export function sealUnderNonce({ key, aad, nonce }: Binding & { nonce: Buffer }, plaintext: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext, which the caller overwrites with zeros; null if the value was not sealed with this key and AAD. */
export function open({ key, aad }: Binding, sealed: Buffer): Buffer | null {
  // Checked first, because Node.js accepts tags of 4 bytes, which can be guessed.
  if (sealed.length < OVERHEAD_BYTES) return null;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(aad).setAuthTag(tag);
  // `update` returns the whole plaintext, which is not authenticated until `final` has checked the tag.
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES));
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    return null;
  }
}
