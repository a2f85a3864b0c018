import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { invalidRequest } from '../errors/app-error.js';
import { Routes } from './routes.js';
import { surfaceOf } from '../context/surface.js';

/**
 * A route without a query accepts no parameters: a misspelt or misplaced one is rejected. A route with a query rejects
 * unknown ones by its class. The storefront ignores unknown parameters, because links to it contain tracking parameters.
 */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  constructor(private readonly routes: Routes) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?') || this.routes.readsQuery(context.getHandler())) return true;
    const unknown = surfaceOf(request.path) === 'storefront' ? [] : Object.keys(request.query);
    if (unknown.length === 0) return true;
    throw invalidRequest(
      unknown.map((path) => ({ path, message: `${path} is not recognized`, code: 'unknown_member' })),
    );
  }
}
