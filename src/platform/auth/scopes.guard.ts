import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { currentActor } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { access } from './access.js';
import { covers } from './scopes.js';

/** Refuses an actor whose scopes do not cover what the route declares: 403, naming the scope that is missing. */
@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { isPublic, scope } = access(this.reflector, context);
    if (isPublic || scope === null || covers(currentActor().scopes, scope)) return true;
    throw new AppError(403, 'forbidden', `This needs the scope ${scope}`, {
      details: { requiredScope: scope },
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    });
  }
}
