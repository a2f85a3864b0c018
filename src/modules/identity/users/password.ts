import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../../../platform/id.js';

/**
 * OWASP's figures for scrypt: 16 MiB, eight-fold blocks, five passes. It runs on the thread pool, off the event loop.
 * argon2id would be the first choice, but the binary of argon2 0.45.1 asks for a newer Node-API than Node 20 has, and
 * ends the process.
 */
const COST = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 };
const BYTES = 32;
const FORM = /^\$scrypt\$ln=14,r=8,p=5\$([A-Za-z0-9+/=]{24})\$([A-Za-z0-9+/=]{44})$/;

const nobodys = hashPassword(randomBase62(43));

/** The password's hash in PHC form, with a salt of its own. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return `$scrypt$ln=14,r=8,p=5$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Whether this is the password behind the hash; where nobody is known (null) it costs the same work. */
export async function passwordMatches(password: string, hash: string | null): Promise<boolean> {
  const [, salt, key] = FORM.exec(hash ?? (await nobodys)) ?? [];
  if (salt === undefined || key === undefined) throw new Error('A stored password hash has an unknown form');
  const derived = await derive(password, Buffer.from(salt, 'base64'));
  return timingSafeEqual(derived, Buffer.from(key, 'base64')) && hash !== null;
}

/** NFKC, because one keyboard composes an accented letter and another one sends it whole. */
function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
