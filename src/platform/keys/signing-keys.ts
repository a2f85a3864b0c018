import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { unavailable } from '../errors/app-error.js';
import { type ServiceKey, ServiceKeys } from './service-keys.js';

const MAC_BYTES = 16;

/**
 * Signs cursors and links that clients send back, each purpose with its own key. A token is valid for at least a day after the
 * rotation of the key that signed it; one that must be valid for longer cannot be made here.
 */
@Injectable()
export class SigningKeys {
  constructor(private readonly keys: ServiceKeys) {}

  /** `base64url(JSON).base64url(HMAC-SHA-256 cut to 128 bits)`. */
  async sign(purpose: string, value: unknown): Promise<string> {
    const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${payload}.${macOf(this.keys.active('signing'), purpose, payload)}`;
  }

  /** The signed value, or null if it was changed, cut, signed for another purpose, or signed by a key that has expired. */
  async verify(purpose: string, token: string): Promise<unknown> {
    const [payload = '', mac = '', ...rest] = token.split('.');
    if (rest.length > 0) return null;
    const keys = this.keys.valid('signing');
    const isSigned = keys.some((key) => key.available && isSame(macOf(key, purpose, payload), mac));
    if (isSigned) return JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown;
    // It may be signed by the key that is missing.
    if (!keys.every(({ available }) => available)) throw unavailable('The key-encryption key is missing');
    return null;
  }
}

function macOf(key: ServiceKey, purpose: string, payload: string): string {
  const hmac = createHmac('sha256', key.derive(`sign|${purpose}`));
  return hmac.update(payload).digest().subarray(0, MAC_BYTES).toString('base64url');
}

/** Compared as text: base64 has several encodings of the same bytes, and only the issued one is valid. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
