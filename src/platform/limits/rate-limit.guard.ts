import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, RequestHandler, Response } from 'express';
import { Env } from '../config/env.js';
import { findContext } from '../context/request-context.js';
import { type Surface, surfaceOf } from '../http/surface.js';
import type { PolicyName } from './policies.js';
import { rateLimitHeaders, RateLimits } from './rate-limits.js';

const LIMIT = 'rate-limit';
const HEALTH = /^\/health(\/|$)/i;

/** The route is counted under this policy, not under its surface's; null: it counts for itself, by what its body names. */
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

/** Counts the request for its credential, or for its address where the route is public, and says what is left. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly env: Env,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const policy = this.policyOf(context, request);
    if (policy !== null) {
      const allowance = this.limits.take(policy, subjectOf(policy, request));
      const response = http.getResponse<Response>();
      const headers = rateLimitHeaders(policy, allowance, this.env.rateLimitFactor);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    }
    return true;
  }

  private policyOf(context: ExecutionContext, request: Request): PolicyName | null {
    const own = this.reflector.get<PolicyName | null | undefined>(LIMIT, context.getHandler());
    const surface = surfaceOf(request.path);
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
    if (own !== undefined) return own;
    return surface === 'connect' && isWrite ? 'connect-write' : BY_SURFACE[surface];
  }
}

/** Writes of connect are counted for the operator they concern; a bound credential can only use up its own operator's. */
function subjectOf(policy: PolicyName, request: Request): string {
  const actor = findContext()?.actor;
  if (!actor) return request.ip ?? '';
  const operatorId = policy === 'connect-write' ? (actor.operatorId ?? request.params['operatorId']) : undefined;
  return typeof operatorId === 'string' ? `operator ${operatorId}` : actor.credentialId;
}

/**
 * Counts every request for its address, before its body is read or its credential looked at. Not those for health: a
 * balancer that shares its address with a flood must not take this process for dead.
 */
export function limitAddresses(limits: RateLimits): RequestHandler {
  return (request, _response, next) => {
    if (!HEALTH.test(request.path)) limits.take('address', request.ip ?? '');
    next();
  };
}
