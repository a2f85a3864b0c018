import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { findContext } from '../context/request-context.js';
import { type Surface, surfaceOf } from '../context/surface.js';
import { addressKey } from '../context/client-address.js';
import type { PolicyName } from './policies.js';
import { RateLimits } from './rate-limits.js';

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

/** Counts the request for the subject and reports the remainder in the response. Throws 429 `rate_limited`. */
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
