import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { currentContext, type RequestContext } from '../context/request-context.js';
import { access } from './access.js';
import { Authenticator } from './authenticator.js';

/** Sets the actor of a guarded route, or answers 401. An actor who was authenticated before the body was read is kept. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (access(this.reflector, context).isPublic) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const running = currentContext();
    running.actor ??= this.authenticator.findCached(request);
    return running.actor !== null || this.authenticated(request, running);
  }

  private async authenticated(request: Request, running: RequestContext): Promise<boolean> {
    running.actor = await this.authenticator.authenticate(request);
    return true;
  }
}
