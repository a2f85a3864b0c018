import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { policies, type Policy, type PolicyName } from './policies.js';
import { type Allowance, TokenBuckets } from './token-buckets.js';

/**
 * The rate limits, counted in this process: with N processes a subject may do up to N times as much. That suffices against
 * a client in a loop, and costs no statement per request.
 */
@Injectable()
export class RateLimits {
  private readonly buckets = new Map<PolicyName, TokenBuckets>();

  constructor(
    private readonly env: Env,
    private readonly clock: Clock,
  ) {}

  /** Counts one for the subject. Throws 429 `rate_limited` if none is left. */
  take(name: PolicyName, subject: string): Allowance {
    const allowance = this.of(name).take(subject, this.clock.now().getTime());
    if (!allowance.allowed) throw this.rejection(name, allowance);
    return allowance;
  }

  /** Counts one for the subject. Returns whether one was left. */
  allows(name: PolicyName, subject: string): boolean {
    return this.of(name).take(subject, this.clock.now().getTime()).allowed;
  }

  /** The rejection of a subject that has just used up its limit, for responses that are prepared. */
  emptyRejection(name: PolicyName): AppError {
    const { perMinute, burst } = policies[name];
    const msFor = (requests: number) => Math.ceil((requests * 60_000) / (perMinute * this.factorOf(policies[name])));
    return this.rejection(name, {
      retryAfterMs: Math.max(1_000, msFor(1)),
      resetMs: msFor(burst * this.factorOf(policies[name])),
    });
  }

  /** `RateLimit-Policy` and `RateLimit` as the IETF's httpapi draft defines them: quota and window, rest and seconds. */
  headersOf(
    name: PolicyName,
    { remaining, resetMs }: Pick<Allowance, 'remaining' | 'resetMs'>,
  ): Record<string, string> {
    return {
      'RateLimit-Policy': `"${name}";q=${this.quotaOf(name)};w=60`,
      RateLimit: `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
    };
  }

  /** 429 `rate_limited`, with the time until the next request is accepted and until the limit is full again. */
  rejection(name: PolicyName, { retryAfterMs, resetMs }: Pick<Allowance, 'retryAfterMs' | 'resetMs'>): AppError {
    return new AppError(429, 'rate_limited', 'Too many requests; wait before the next one', {
      retryAfterMs,
      details: { limit: this.quotaOf(name) },
      headers: this.headersOf(name, { remaining: 0, resetMs }),
    });
  }

  private of(name: PolicyName): TokenBuckets {
    const known = this.buckets.get(name);
    if (known) return known;
    const buckets = new TokenBuckets(policies[name], this.factorOf(policies[name]));
    this.buckets.set(name, buckets);
    return buckets;
  }

  private quotaOf(name: PolicyName): number {
    return Math.round(policies[name].perMinute * this.factorOf(policies[name]));
  }

  private factorOf({ fixed = false }: Policy): number {
    return fixed ? 1 : this.env.rateLimitFactor;
  }
}
