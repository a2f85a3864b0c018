import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * Time-based one-time passwords (RFC 6238) with the parameters that all authenticator apps support: SHA-1, six digits,
 * 30 seconds. The tests contain the vectors of the RFC.
 */

const STEP_MS = 30_000;
const DIGITS = 6;
/** 160 bits, the length of the hash (RFC 4226, 4). */
export const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The number of the time step of an instant. */
export function stepAt(instant: Date): number {
  return Math.floor(instant.getTime() / STEP_MS);
}

/** The code of a time step. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 15;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * The step whose code this is: the current one, or one before or after it, because clocks differ. Null for a wrong code,
 * and for steps up to `lastStep`, whose codes were used (RFC 6238, 5.2).
 */
export function findStep(secret: Buffer, code: string, { now, lastStep }: { now: Date; lastStep: number }) {
  const current = stepAt(now);
  // All steps are compared, so that the time does not depend on the code.
  const matching = [current - 1, current, current + 1].filter((step) => isEqual(codeAt(secret, step), code));
  return matching.find((step) => step > lastStep) ?? null;
}

/** The URI that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  // A colon separates issuer and account.
  const [label, owner] = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(':', ' ')));
  return `otpauth://totp/${label}:${owner}?secret=${base32(secret)}&issuer=${label}&algorithm=SHA1&digits=6&period=30`;
}

/** Encodes as RFC 4648 defines, without padding. */
export function base32(bytes: Buffer): string {
  let [text, bits, length] = ['', 0, 0];
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    length += 8;
    while (length >= 5) {
      length -= 5;
      text += BASE32.charAt((bits >> length) & 31);
    }
    bits &= (1 << length) - 1;
  }
  return length === 0 ? text : text + BASE32.charAt((bits << (5 - length)) & 31);
}

function isEqual(expected: string, code: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}
