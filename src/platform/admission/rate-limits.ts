import { randomInt } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { currentActor, findContext } from '../context/request-context.js';
import { type Surface, surfaceOf } from '../context/surface.js';
import { addressKey } from '../context/client-address.js';

/** The limit of one subject: a refill per minute, and the largest burst. */
export interface Policy {
  readonly perMinute: number;
  readonly burst: number;
  /** `RATE_LIMIT_FACTOR` does not apply. */
  readonly fixed?: boolean;
}

function perMinute(figure: number, burst = Math.ceil(figure / 4)): Policy {
  return { perMinute: figure, burst };
}

/** Every limit of the service, by name. `RATE_LIMIT_FACTOR` multiplies all that are not `fixed`. */
export const policies = {
  /** Limits one address, before authentication. */
  address: perMinute(6_000),
  staff: perMinute(3_000),
  /** Limits failed logins, per account and per address. */
  'login-failures': { ...perMinute(10, 10), fixed: true },
  /** Limits the use of one-time links (invitations and password resets) per address. */
  'account-links': perMinute(30, 10),
  /** Limits requests for a password reset per address. */
  'password-resets': perMinute(10, 5),
  /** Limits one OAuth client. */
  token: perMinute(60),
  /** Limits failed token requests of one client from one address. */
  'token-failures': { ...perMinute(10, 10), fixed: true },
  /** Limits how often one OAuth client introspects tokens that it received. */
  'token-introspection': perMinute(600),
  'token-revocation': perMinute(60),
  'connect-read': perMinute(600),
  /** Limits one credential, before its scopes are checked. */
  'connect-write-attempts': perMinute(600),
  /** Limits one operator, across all credentials that act for it; counted after the scope check. */
  'connect-write': perMinute(60, 60),
  /** Limits the mails that requests send: about one subject such as a contract, to one recipient, and by one user. */
  'mails-about-subject': perMinute(1, 3),
  'mails-to-recipient': perMinute(2, 5),
  'mails-of-user': perMinute(60, 30),
  /** Limits CSV reports per credential. */
  'report-export': perMinute(30, 10),
  /** Limits unknown codes of vouchers, per caller. */
  'unknown-vouchers': { ...perMinute(30, 60), fixed: true },
  vault: perMinute(600, 100),
  'realtime-history': perMinute(300),
  'realtime-publish': perMinute(1_200),
  'realtime-subscription': perMinute(60),
  data: perMinute(600),
  'octo-browse': perMinute(600),
  'octo-sell': perMinute(600),
  // Limits the operations that declare `@LimitOperation()`, per credential.
  'ledger-verification': perMinute(30),
  'ledger-export': perMinute(30),
  'reversal-preview': perMinute(120),
  'collection-plan-preview': perMinute(240),
  'reminder-simulation': perMinute(60),
  'invoice-rendition': perMinute(240),
  'organization-logo': perMinute(60),
  'attachment-upload': perMinute(120),
  'record-document': perMinute(240),
  imports: perMinute(30),
  'password-hashing': perMinute(60),
  'realtime-stream': perMinute(30),
  /** Limits one address, because the storefront has no credentials. */
  'public-contract': perMinute(300),
  'public-offer': perMinute(300),
  'public-search': perMinute(600),
  /** Limits one address; the servers of a mail provider unsubscribe many recipients from few addresses. */
  'public-unsubscription': perMinute(600),
  /** Limits one mail server or provider that reports bounces. */
  'bounce-reports': perMinute(1_200),
} satisfies Record<string, Policy>;

export type PolicyName = keyof typeof policies;

interface Bucket {
  tokens: number;
  /** The time in which this number of tokens refills, in milliseconds. */
  at: number;
}

/** The remaining requests of a subject, and the time until more are available. */
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
 * Token buckets of one policy, one for each subject, in this process's memory. When there are too many, the least recently used
 * bucket is dropped. No library is used because rate-limiter-flexible counts in fixed windows, of which two in a row permit
 * twice the limit.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;
  private readonly capacity: number;

  constructor(policy: Policy, factor: number) {
    this.perMs = (policy.perMinute * factor) / 60_000;
    this.capacity = Math.max(1, policy.burst * factor);
  }

  /** Takes a token from the subject's bucket if one is left. A clock that runs backwards refills nothing. */
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

  /** Returns a token that was taken. */
  giveBack(subject: string): void {
    const bucket = this.buckets.get(subject);
    if (bucket) bucket.tokens = Math.min(this.capacity, bucket.tokens + 1);
  }

  private keep(subject: string, bucket: Bucket): void {
    this.buckets.delete(subject);
    this.buckets.set(subject, bucket);
    if (this.buckets.size <= MAX_SUBJECTS) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

/** Adds up to a tenth, so that clients rejected together do not retry together. */
function withJitter(milliseconds: number): number {
  return milliseconds + Math.floor((milliseconds * randomInt(JITTER_PERCENT + 1)) / 100);
}

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

  /** Counts one request of the subject. Throws 429 `rate_limited` if none is left. */
  take(name: PolicyName, subject: string): Allowance {
    const allowance = this.of(name).take(subject, this.clock.elapsedMs());
    if (!allowance.allowed) throw this.rejection(name, allowance);
    return allowance;
  }

  /**
   * Runs the work, which counts as a request of the subject only if it fails in this way. Throws 429 without running it if none is
   * left; it counts while it runs, so parallel guesses gain nothing.
   */
  async takeIfFailed<T>(
    name: PolicyName,
    subject: string,
    { work, isFailure }: { work: () => Promise<T>; isFailure: (error: unknown) => boolean },
  ): Promise<T> {
    this.take(name, subject);
    let failed = false;
    try {
      return await work();
    } catch (error) {
      failed = isFailure(error);
      throw error;
    } finally {
      if (!failed) this.of(name).giveBack(subject);
    }
  }

  /** Counts one request of the subject. Returns whether one was left. */
  allows(name: PolicyName, subject: string): boolean {
    return this.of(name).take(subject, this.clock.elapsedMs()).allowed;
  }

  /**
   * Counts a mail that a request sends, for its subject (such as the id of a contract), its recipient and its user, across all
   * credentials: nobody may flood an address in the organization's name. Mails that the service sends on its own are not counted.
   */
  takeMail({ subject, recipient }: { subject: string; recipient: string }): void {
    const { type, principal } = currentActor();
    if (type === 'system') return;
    // The narrowest limit is checked first: a rejected mail uses up nothing of the others.
    this.take('mails-about-subject', subject);
    this.take('mails-to-recipient', recipient.toLowerCase());
    this.take('mails-of-user', principal);
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

  /** `RateLimit-Policy` and `RateLimit` as the IETF's httpapi draft defines them: quota and window, remainder and seconds. */
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

const LIMIT = 'rate-limit';

/** The policy of the route instead of its surface's; null: the route counts its own requests, by their body. */
export function RateLimit(policy: PolicyName | null): MethodDecorator {
  return SetMetadata(LIMIT, policy);
}

const BY_SURFACE: Record<Surface, PolicyName | null> = {
  storefront: null,
  staff: 'staff',
  connect: 'connect-read',
  vault: 'vault',
  realtime: 'realtime-history',
  data: 'data',
  octo: 'octo-browse',
};

/**
 * Counts the request for its credential, or for its address on a public route, and reports the remainder. Runs before
 * the scope check, so that requests without the scope are limited too.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const declared = declaredPolicy(this.reflector, context);
    const policy = declared !== undefined ? declared : surfacePolicy(request);
    if (policy !== null) {
      const subject = findContext()?.actor?.credentialId ?? addressKey(request.ip);
      countRequest(this.limits, { policy, subject }, context);
    }
    return true;
  }
}

/**
 * Counts a write of the connect surface for its operator. Runs after the scope check, so that a caller without access
 * to an operator uses none of its limit. A bound credential counts for its own operator, independently of the path.
 */
@Injectable()
export class OperatorLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const actor = findContext()?.actor;
    const hasOwn = declaredPolicy(this.reflector, context) !== undefined;
    if (!actor || hasOwn || !isConnectWrite(request)) return true;
    const operatorId = actor.operatorId ?? request.params['operatorId'];
    const subject = typeof operatorId === 'string' ? `operator ${operatorId}` : actor.credentialId;
    countRequest(this.limits, { policy: 'connect-write', subject }, context);
    return true;
  }
}

function declaredPolicy(reflector: Reflector, context: ExecutionContext): PolicyName | null | undefined {
  return reflector.get<PolicyName | null | undefined>(LIMIT, context.getHandler());
}

function surfacePolicy(request: Request): PolicyName | null {
  return isConnectWrite(request) ? 'connect-write-attempts' : BY_SURFACE[surfaceOf(request.path)];
}

function isConnectWrite({ method, path }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD' && surfaceOf(path) === 'connect';
}

/** Counts the request for the subject and reports the remainder in the response. */
export function countRequest(
  limits: RateLimits,
  { policy, subject }: { policy: PolicyName; subject: string },
  context: ExecutionContext,
): void {
  const allowance = limits.take(policy, subject);
  const response = context.switchToHttp().getResponse<Response>();
  const headers = limits.headersOf(policy, allowance);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
