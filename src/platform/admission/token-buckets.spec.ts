import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Clock } from '../clock/clock.js';
import { readEnv } from '../config/read-env.js';
import { RateLimits, TokenBuckets } from './rate-limits.js';

const policy = { perMinute: 60, burst: 15 };

it('a token bucket allows a burst, rejects the next request, and allows it after exactly retryAfterMs', () => {
  const buckets = new TokenBuckets(policy, 1);
  const burst = Array.from({ length: 15 }, () => buckets.take('a', 0).allowed);
  const rejected = buckets.take('a', 0);

  expect(burst.every(Boolean)).toBe(true);
  expect(rejected).toMatchObject({ allowed: false, remaining: 0 });
  expect(rejected.retryAfterMs).toBeGreaterThanOrEqual(1000);
  expect(rejected.retryAfterMs).toBeLessThanOrEqual(1100);
  expect(buckets.take('a', rejected.retryAfterMs).allowed).toBe(true);
});

it('token buckets count each subject separately', () => {
  const buckets = new TokenBuckets({ perMinute: 60, burst: 1 }, 1);
  expect([buckets.take('a', 0).allowed, buckets.take('a', 0).allowed, buckets.take('b', 0).allowed]).toEqual([
    true,
    false,
    true,
  ]);
});

it('a factor multiplies the refill and burst of a token bucket', () => {
  const buckets = new TokenBuckets(policy, 2);
  const allowed = Array.from({ length: 40 }, () => buckets.take('a', 0).allowed).filter(Boolean);
  expect(allowed).toHaveLength(30);
});

it('a token bucket never allows more than the burst and the refill of the elapsed time, also if the clock jumps', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 3_000 }), { maxLength: 200 }), (steps) => {
      const buckets = new TokenBuckets(policy, 1);
      let [now, latest, allowed] = [0, 0, 0];
      for (const step of steps) {
        now += step;
        latest = Math.max(latest, now);
        if (buckets.take('a', now).allowed) allowed += 1;
      }
      return allowed <= policy.burst + (latest * policy.perMinute) / 60_000 + 1;
    }),
  );
});

it.each([
  ['back', -3_600_000, true],
  ['forward', 3_600_000, false],
])('a rate limit refills in the elapsed time, although the system time was set %s', (_, jumpMs, refilled) => {
  const env = readEnv({ DATABASE_URL: 'postgres://a@b/c' });
  const clock = new Clock(env);
  const limits = new RateLimits(env, clock);
  const takeAll = () => {
    while (limits.allows('token-failures', 'a'));
  };
  takeAll();
  const systemTime = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + jumpMs);
  if (refilled) clock.travel(60_000);
  expect(limits.allows('token-failures', 'a')).toBe(refilled);
  systemTime.mockRestore();
});
