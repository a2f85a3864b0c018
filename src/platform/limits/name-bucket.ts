import { createHash } from 'node:crypto';

const HEX_DIGITS = 3;

/**
 * One of 4,096 buckets in which failures are counted for a name that the caller chooses: invented names must not make the table of
 * failures grow. Two names share a bucket by chance only.
 */
export function nameBucketOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, HEX_DIGITS);
}
