import { expect, it } from '@jest/globals';
import { nameBucketOf } from './failure-limits.js';

it('invented names fall into a bounded number of buckets, and two names rarely into the same one', () => {
  const bucketsOf = (count: number) =>
    new Set(Array.from({ length: count }, (_, n) => nameBucketOf(`invented-${n}`))).size;
  expect(bucketsOf(100_000)).toBe(4_096);
  expect(bucketsOf(50)).toBeGreaterThanOrEqual(48);
});
