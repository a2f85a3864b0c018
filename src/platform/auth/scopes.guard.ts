import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { currentActor } from '../context/request-context.js';
import { access, requiresFreshProof } from './access.js';
import { assertFreshProof, checkScope } from './assert-scope.js';
import { scopeForChannel } from './scopes.js';

/**
 * Rejects an actor whose scopes do not cover the route's scope with 403, naming the missing scope, and a session whose proof of
 * identity is too old for the route.
 */
@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const required = access(this.reflector, context);
    const { isPublic, scope, narrowedBy } = required;
    if (isPublic || scope === null) return true;
    const { params, method } = context.switchToHttp().getRequest<Request>();
    const channel = narrowedBy === null ? null : String(params[narrowedBy]);
    checkScope(channel === null ? scope : scopeForChannel(currentActor().scopes, scope, channel));
    if (requiresFreshProof(required, method)) assertFreshProof();
    return true;
  }
}
