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
import { closing } from './request-shares.js';
import { FairShare } from '../context/fair-share.js';
import { Env } from '../config/env.js';
import { currentActor } from '../context/request-context.js';
import { countRequest, type PolicyName, RateLimits } from './rate-limits.js';

export const OPERATION_LIMITS = 'operation-limits';

type Limit = number | ((env: Env) => number);

/** The limits of an expensive operation. */
export interface OperationLimits {
  /** The rate limit of one credential; routes with the same name share the limits. */
  readonly name: PolicyName;
  /** Requests that one process serves at the same time, for all credentials. */
  readonly maxConcurrent: Limit;
  /** Requests that one process serves at the same time for one credential; absent: half of `maxConcurrent`. */
  readonly maxConcurrentPerCredential?: Limit;
  /**
   * Returns whether a request with this body is expensive. Without this function every request is. The body is not validated
   * yet.
   */
  readonly when?: (body: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * Marks an expensive route. Besides the limits of its surface it has a rate limit per credential (429) and a limit on
 * concurrent requests, per credential (429) and in total (503). Requests never wait. Must be the last decorator of the method,
 * so that its interceptor is the outermost: a rejected request claims no idempotency key and opens no transaction.
 */
export function LimitOperation(limits: OperationLimits): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION_LIMITS, limits), UseInterceptors(OperationLimitsInterceptor));
}

/** The shares of the operations in this process, by name. */
@Injectable()
export class OperationShares {
  private readonly byName = new Map<PolicyName, FairShare>();

  constructor(private readonly env: Env) {}

  of({ name, maxConcurrent, maxConcurrentPerCredential }: OperationLimits): FairShare {
    const known = this.byName.get(name);
    if (known) return known;
    const running = this.valueOf(maxConcurrent);
    const runningPerCaller = this.valueOf(maxConcurrentPerCredential ?? Math.ceil(running / 2));
    const share = new FairShare({ running, waiting: 0, runningPerCaller, waitingPerCaller: 0 });
    this.byName.set(name, share);
    return share;
  }

  private valueOf(limit: Limit): number {
    return typeof limit === 'number' ? limit : limit(this.env);
  }
}

/** Enforces the limits of a `@LimitOperation()` route. Interceptors run after all guards, so a caller without the scope uses up nothing. */
@Injectable()
export class OperationLimitsInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly rates: RateLimits,
    private readonly shares: OperationShares,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const limits = this.reflector.get<OperationLimits>(OPERATION_LIMITS, context.getHandler());
    const http = context.switchToHttp();
    const { body } = http.getRequest<Request<unknown, unknown, Record<string, unknown> | null | undefined>>();
    if (limits.when?.(body ?? {}) === false) return next.handle();

    const { credentialId } = currentActor();
    countRequest(this.rates, { policy: limits.name, subject: credentialId }, context);
    const release = await this.shares.of(limits).take(credentialId);
    // After a client disconnects its work still runs, and a response may be sent long after the handler has returned: both
    // must have ended before the next request may begin.
    const closed = closing(http.getResponse<Response>());
    return next.handle().pipe(finalize(() => void closed.then(release)));
  }
}
