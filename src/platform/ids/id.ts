import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { typeidUnboxed } from 'typeid-js';
import { v7 } from 'uuid';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
/** The first of the 26 characters has only three bits (a UUID has 128, not 130). */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A new TypeID: the kind's prefix, `_`, and a UUIDv7 in 26 base32 characters, so ids sort by time. */
export function newId(prefix: string): string {
  return typeidUnboxed(prefix);
}

/** Whether a text is a well-formed id of this kind. Any other is 404 without a database query. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}

/** A well-formed id with a fixed number, for demo rows that the API document's examples name. Bounds: 1..9999. */
export function demoId(prefix: string, number: number): string {
  return `${prefix}_01k0dem000e${String(number).padStart(15, '0')}`;
}

/** `length` random base62 characters, 5.95 bits each, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** `length` random lower-case Crockford base32 characters, 5 bits each. */
export function randomBase32(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += CROCKFORD.charAt(byte & 31);
  return text;
}

/** Six base62 characters of CRC-32, by which a secret scanner recognizes real secrets. */
export function checksum62(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let i = 0; i < 6; i += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** 256 random bits as 43 base62 characters, followed by their checksum. */
export function newSecret(): string {
  const secret = randomBase62(43);
  return secret + checksum62(secret);
}

/** A UUIDv7 in its usual form: request ids and event ids, which sort by time. */
export function uuidv7(): string {
  return v7();
}

/** The time at which a well-formed TypeID of a UUIDv7 was made. */
export function timeOf(id: string): Date {
  // The first ten base32 digits after the prefix are 50 bits, of which the first two are 0.
  const digits = [...id.slice(-26, -16)].map((digit) => CROCKFORD.indexOf(digit));
  return new Date(digits.reduce((milliseconds, digit) => milliseconds * 32 + digit, 0));
}

/** The last 32 bits of a well-formed TypeID's UUID, of any version. */
export function lastBitsOf(id: string): number {
  // Seven base32 digits are 35 bits.
  const digits = [...id.slice(-7)].map((digit) => CROCKFORD.indexOf(digit));
  return digits.reduce((bits, digit) => bits * 32 + digit, 0) % 2 ** 32;
}

/** The grammar of realtime channel names. */
export const CHANNEL_NAME = /^[A-Za-z0-9_=@,.;:-]{1,164}$/;
