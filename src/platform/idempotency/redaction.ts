import { scrypt } from 'node:crypto';

/** 32 MiB and about 0.1 s, off the event loop. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const BYTES = 32;

/**
 * The body with these members replaced by a slow hash with this salt. A fingerprint is stored for a day; with a fast
 * hash, a reader of it could try billions of passwords, which storing them by argon2id prevents.
 */
export async function hashMembers(body: unknown, members: readonly string[], salt: string): Promise<unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const copy: Record<string, unknown> = { ...body };
  for (const member of members.filter((name) => Object.hasOwn(body, name))) {
    copy[member] = await slowHash(JSON.stringify(copy[member]), salt);
  }
  return copy;
}

function slowHash(text: string, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, BYTES, COST, (error, hash) => (error ? reject(error) : resolve(hash.toString('hex'))));
  });
}
