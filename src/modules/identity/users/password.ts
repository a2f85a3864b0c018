import { hash, verify } from '@node-rs/argon2';
import { randomBase62 } from '../../../platform/ids/id.js';
import { ConcurrencyCounter } from '../../../platform/limits/concurrency-counter.js';

/** The package's const enum cannot be read under isolatedModules. */
const ARGON2ID = 2;

/** argon2id with OWASP's first choice: 19 MiB, two passes, one lane. It runs on the thread pool, off the event loop. */
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Half of the thread pool. Opening a connection to the database takes several steps in it, one after the other: behind a
 * flood of logins that kept all threads busy, it took longer than a request waits for a connection.
 */
const hashing = new ConcurrencyCounter({ running: 2, waiting: 64 });

const nobodys = hashPassword(randomBase62(43));

/** The password's hash in PHC form, with a salt of its own. */
export function hashPassword(password: string): Promise<string> {
  return hashing.run(() => hash(composed(password), COST));
}

/** Whether this is the password behind the hash; where nobody is known (null) it costs the same work. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const phc = passwordHash ?? (await nobodys);
  const matches = await hashing.run(() => verify(phc, composed(password)));
  return matches && passwordHash !== null;
}

/** NFKC, because one keyboard composes an accented letter and another one sends it whole. */
function composed(password: string): string {
  return password.normalize('NFKC');
}
