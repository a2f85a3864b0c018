import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { access } from './access.js';
import { checkScope } from './assert-scope.js';

/** Rejects an actor whose scopes do not cover the route's scope with 403, naming the missing scope. */
@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { isPublic, scope } = access(this.reflector, context);
    if (!isPublic && scope !== null) checkScope(scope);
    return true;
  }
}
