import { randomInt } from 'node:crypto';
import type { Policy } from './policies.js';

interface Bucket {
  tokens: number;
  /** The time of `tokens`, in milliseconds. */
  at: number;
}

/** The remaining requests of a subject, and the time until there are more. */
export interface Allowance {
  readonly allowed: boolean;
  /** Whole requests that are left now. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full again. */
  readonly resetMs: number;
  /** Milliseconds after which the rejected request passes; 0 if it was allowed. */
  readonly retryAfterMs: number;
}

const MAX_SUBJECTS = 100_000;
const JITTER_PERCENT = 10;

/**
 * Token buckets of one policy, one for each subject, in this process's memory. The least recently used go first when
 * there are too many. No library is used because rate-limiter-flexible counts in fixed windows, of which two in a row
 * permit twice the limit.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;
  private readonly capacity: number;

  constructor(policy: Policy, factor: number) {
    this.perMs = (policy.perMinute * factor) / 60_000;
    this.capacity = Math.max(1, policy.burst * factor);
  }

  /** Takes one from the subject's bucket if there is one. A clock that runs backwards refills nothing. */
  take(subject: string, nowMs: number): Allowance {
    const bucket = this.buckets.get(subject) ?? { tokens: this.capacity, at: nowMs };
    const elapsed = Math.max(0, nowMs - bucket.at);
    const tokens = Math.min(this.capacity, bucket.tokens + elapsed * this.perMs);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.keep(subject, { tokens: left, at: Math.max(nowMs, bucket.at) });
    return {
      allowed,
      remaining: Math.floor(left),
      resetMs: Math.ceil((this.capacity - left) / this.perMs),
      retryAfterMs: allowed ? 0 : withJitter(Math.ceil((1 - tokens) / this.perMs)),
    };
  }

  private keep(subject: string, bucket: Bucket): void {
    this.buckets.delete(subject);
    this.buckets.set(subject, bucket);
    if (this.buckets.size <= MAX_SUBJECTS) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

/** Up to a tenth more, so that clients rejected together do not retry together. */
function withJitter(milliseconds: number): number {
  return milliseconds + Math.floor((milliseconds * randomInt(JITTER_PERCENT + 1)) / 100);
}
