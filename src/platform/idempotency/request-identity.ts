import type { Request } from 'express';
import { invalidField } from '../errors/app-error.js';

const FORM = /^[\x21-\x7e]{8,255}$/;

/** Returns the request's key, or null. Throws 400 for a malformed key. */
export function idempotencyKey(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && FORM.test(key)) return key;
  throw invalidField('Idempotency-Key', 'must be 8 to 255 visible ASCII characters', 'wrong_format');
}

/**
 * Two requests are the same if method, path, query and body are equal; the order of keys in the body does not matter.
 */
export function identityOf({ method, originalUrl, body }: Request): Buffer {
  const [path = '', ...rest] = originalUrl.split('?');
  const content: Buffer = body === undefined ? Buffer.alloc(0) : Buffer.isBuffer(body) ? body : canonical(body);
  return Buffer.concat([Buffer.from(`${[method, path, rest.join('?')].join('\n')}\n`), content]);
}

/**
 * The body with its keys in order. Not RFC 8785, which has no form for a lone surrogate: the pipe rejects one, or
 * accepts it in a member kept as data, but this is computed before that.
 */
function canonical(body: unknown): Buffer {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? inOrder(value) : value,
  );
  return Buffer.from(text);
}

function inOrder(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
