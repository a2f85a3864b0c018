import { hash, verify } from '@node-rs/argon2';
import { currentCaller } from '../../../platform/admission/request-shares.js';
import { FairShare } from '../../../platform/context/fair-share.js';
import { randomBase62 } from '../../../platform/ids/id.js';

/** The package's const enum cannot be read under isolatedModules. */
const ARGON2ID = 2;

/** argon2id with OWASP's first choice: 19 MiB, two passes, one lane. It runs on the thread pool, off the event loop. */
const COST = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Half of the thread pool. Opening a database connection needs several tasks in the pool: when logins used all threads, it
 * took longer than requests wait for a connection.
 */
const hashing = new FairShare({ running: 2, waiting: 64, runningPerCaller: 2, waitingPerCaller: 16 });

const unknownUserHash = hashPassword(randomBase62(43));

/** The hash of the password in PHC form, with a random salt. */
export function hashPassword(password: string): Promise<string> {
  return hashing.run(currentCaller(), () => hash(normalized(password), COST));
}

/** Whether the password matches the hash. For an unknown user (null) it takes the same work. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  const phc = passwordHash ?? (await unknownUserHash);
  const matches = await hashing.run(currentCaller(), () => verify(phc, normalized(password)));
  return matches && passwordHash !== null;
}

/** NFKC, because keyboards send an accented letter either composed or as one character. */
function normalized(password: string): string {
  return password.normalize('NFKC');
}
