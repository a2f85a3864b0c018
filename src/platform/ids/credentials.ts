import { createHash, timingSafeEqual } from 'node:crypto';
import { checksum62, newSecret, randomBase62 } from './id.js';

/** Staff API token, staff session, platform API key, OAuth access token, subscription to events, ticket for one stream of events. */
export const CREDENTIAL_KINDS = ['vsk', 'vss', 'tpk', 'oat', 'rts', 'rtt'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The parts of a presented credential. The secret is 43 base62 characters and 6 of checksum. */
export interface Credential {
  readonly kind: CredentialKind;
  readonly publicId: string;
  readonly secret: string;
}

const FORM = /^(vsk|vss|tpk|oat|rts|rtt)_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Parses a token; null if its form or checksum is wrong, which needs no database query. */
export function parseCredential(token: string): Credential | null {
  const [, kind, publicId, secret, checksum] = FORM.exec(token) ?? [];
  const known = CREDENTIAL_KINDS.find((candidate) => candidate === kind);
  if (!known || !publicId || !secret || checksum !== checksum62(secret)) return null;
  return { kind: known, publicId, secret: secret + checksum };
}

/** A new credential: shown once as `token`; only `publicId` and `secretHash` are stored. */
export function newCredential(kind: CredentialKind): { token: string; publicId: string; secretHash: Buffer } {
  const [publicId, secret] = [randomBase62(16), newSecret()];
  return { token: `${kind}_${publicId}_${secret}`, publicId, secretHash: hashSecret(secret) };
}

/** SHA-256: 256 random bits need no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

const UNKNOWN_SECRET = hashSecret('unknown');

/** Compares the secret with the hash in constant time; an unknown id (null) costs the same work. */
export function secretMatches(secret: string, hash: Buffer | null): boolean {
  const matches = timingSafeEqual(hashSecret(secret), hash ?? UNKNOWN_SECRET);
  return matches && hash !== null;
}
