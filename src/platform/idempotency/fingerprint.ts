import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Request } from 'express';
import { invalidField } from '../errors/app-error.js';

const FORM = /^[\x21-\x7e]{8,255}$/;

/** The request's key, or null. Throws 400 on a key that is none. */
export function idempotencyKey(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && FORM.test(key)) return key;
  throw invalidField('Idempotency-Key', 'must be 8 to 255 visible ASCII characters', 'idempotencyKey');
}

/** Two requests are the same if method, path, query and body (whatever the order of its keys) are. */
export function fingerprint(request: Request): Buffer {
  const [path = '', query = ''] = request.originalUrl.split('?', 2);
  const body = request.body === undefined ? '' : (canonicalize(request.body) ?? '');
  return createHash('sha256').update([request.method, path, query, body].join('\n')).digest();
}
