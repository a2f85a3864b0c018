import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { Env } from '../config/env.js';
import { currentActor } from '../context/request-context.js';
import { AppError, overloaded } from '../errors/app-error.js';
import { type Bound, ConcurrencyLimits } from './concurrency-limits.js';
import type { PolicyName } from './policies.js';
import { countRequest } from './rate-limit.guard.js';
import { RateLimits } from './rate-limits.js';

export const OPERATION_LIMITS = 'operation-limits';
const RETRY_AFTER_MS = 1_000;

type Limit = number | ((env: Env) => number);

/** The limits of an expensive operation. */
export interface OperationLimits {
  /** The rate limit of one credential; routes with the same name share the limits. */
  readonly name: PolicyName;
  /** Requests that one process serves at the same time, for all credentials. */
  readonly maxConcurrent: Limit;
  /** Requests that one process serves at the same time for one credential; absent: `maxConcurrent`. */
  readonly maxConcurrentPerCredential?: Limit;
  /** Whether a request with this body is an expensive one; absent: each request is. The body is not validated yet. */
  readonly when?: (body: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * The route is expensive: beside the limits of its surface it has a rate limit per credential (429) and a limit on the
 * requests that run at the same time (503). Must be the last decorator of the method, so that its interceptor is the
 * outermost: a rejected request claims no idempotency key and opens no transaction.
 */
export function LimitOperation(limits: OperationLimits): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION_LIMITS, limits), UseInterceptors(OperationLimitsInterceptor));
}

/** Enforces the limits of a `@LimitOperation()` route. Interceptors run after all guards, so a caller without the scope uses up nothing. */
@Injectable()
export class OperationLimitsInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly rates: RateLimits,
    private readonly concurrency: ConcurrencyLimits,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const limits = this.reflector.get<OperationLimits>(OPERATION_LIMITS, context.getHandler());
    const http = context.switchToHttp();
    const { body } = http.getRequest<Request<unknown, unknown, Record<string, unknown> | null | undefined>>();
    if (limits.when?.(body ?? {}) === false) return next.handle();

    const { credentialId } = currentActor();
    countRequest(this.rates, { policy: limits.name, subject: credentialId }, context);
    const release = this.concurrency.take(this.boundsOf(limits, credentialId));
    // After a client disconnects its work still runs, and a response may be sent long after the handler has returned: both
    // must have ended before the next request may begin.
    const closed = closing(http.getResponse<Response>());
    return next.handle().pipe(finalize(() => void closed.then(release)));
  }

  private boundsOf(
    { name, maxConcurrent, maxConcurrentPerCredential = maxConcurrent }: OperationLimits,
    credentialId: string,
  ): Bound[] {
    const perCredential = this.valueOf(maxConcurrentPerCredential);
    return [
      { key: name, most: this.valueOf(maxConcurrent), rejection: tooManyAtOnce },
      { key: `${name} ${credentialId}`, most: perCredential, rejection: () => tooManyOfCredential(perCredential) },
    ];
  }

  private valueOf(limit: Limit): number {
    return typeof limit === 'number' ? limit : limit(this.env);
  }
}

/** Resolves when the response has been sent or its connection is closed. */
function closing(response: Response): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once('close', resolve);
  });
}

function tooManyAtOnce(): AppError {
  return overloaded('Too many requests of this kind are running; try again later', RETRY_AFTER_MS);
}

function tooManyOfCredential(limit: number): AppError {
  const message = 'Too many requests of this kind are running with this credential; end one first';
  return new AppError(429, 'rate_limited', message, { retryAfterMs: RETRY_AFTER_MS, details: { limit } });
}
