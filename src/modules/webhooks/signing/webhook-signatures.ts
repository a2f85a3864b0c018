import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { named } from '../../../platform/http/named-values.js';

export const SIGNATURE_TYPES = named('WebhookSignatureType', ['hmac_sha256', 'ed25519']);
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

const SECRET_BYTES = 32;
/** RFC 8410: what precedes the 32 bytes of a private key of Ed25519, and of a public one. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_BYTES = 12;

/** What is signed: the id and the time protect against repetitions. */
export interface SignedContent {
  id: string;
  /** Unix time in seconds. */
  timestamp: number;
  body: string;
}

/** The bytes that sign, and what a receiver needs to verify. */
export interface NewSecret {
  bytes: Buffer;
  /** `whsec_` and the bytes in Base64; null for Ed25519, whose receivers need the public key only. */
  shown: string | null;
  /** `whpk_` and the 32 bytes of the key in Base64; null for HMAC. */
  publicKey: string | null;
}

export function newSecret(type: SignatureType): NewSecret {
  switch (type) {
    case 'hmac_sha256': {
      const bytes = randomBytes(SECRET_BYTES);
      return { bytes, shown: `whsec_${bytes.toString('base64')}`, publicKey: null };
    }
    case 'ed25519': {
      const { privateKey } = generateKeyPairSync('ed25519');
      const bytes = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8.length);
      const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_BYTES);
      return { bytes, shown: null, publicKey: `whpk_${publicKey.toString('base64')}` };
    }
  }
}

/** Returns one signature of the header `webhook-signature`, by the specification Standard Webhooks 1.0. */
export function signatureOf(type: SignatureType, bytes: Buffer, { id, timestamp, body }: SignedContent): string {
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  switch (type) {
    case 'hmac_sha256':
      return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
    case 'ed25519': {
      const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' });
      return `v1a,${sign(null, content, key).toString('base64')}`;
    }
  }
}
