import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Actor } from '../context/actor.js';
import { currentContext } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { type Surface, surfaceOf } from '../http/surface.js';
import { access } from './access.js';
import { type CredentialKind, parseCredential } from './credentials.js';
import { type OwnPassport, PASSPORT } from './passport.js';
import { TokenVerifier } from './token-verifier.js';

/** Which credentials a surface takes. The storefront takes none: there, every route is public. */
const KINDS: Record<Surface, readonly CredentialKind[]> = {
  storefront: [],
  staff: ['vsk', 'vss'],
  connect: ['tpk', 'oat'],
  vault: ['tpk'],
  realtime: ['tpk'],
  data: ['tpk'],
};

/**
 * Says who is acting, or 401. The header is read here first: passport-http-bearer would also take a token from the
 * query or the body, where it ends up in logs. Passport is asked only when the token is not cached.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    @Inject(PASSPORT) private readonly passport: OwnPassport,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (access(this.reflector, context).isPublic) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    const kind = token === null ? null : parseCredential(token)?.kind;
    const actor =
      token !== null && kind && KINDS[surface].includes(kind)
        ? (this.verifier.findCached(token) ?? (await this.authenticate(kind, token)))
        : null;
    if (!actor) throw unauthorized(surface, token !== null);
    currentContext().actor = actor;
    return true;
  }

  /** Passport sees the token and nothing else of the request: no body, no query, no second header. */
  private authenticate(kind: CredentialKind, token: string): Promise<Actor | null> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, actor?: Actor | false | null) => {
        if (error) reject(error instanceof Error ? error : new Error('passport failed', { cause: error }));
        else resolve(actor || null);
      };
      const handle: unknown = this.passport.authenticate(kind, { session: false }, done);
      // Passport types its middleware as any.
      (handle as (request: object, response: object, next: typeof done) => void)(
        { headers: { authorization: `Bearer ${token}` } },
        {},
        done,
      );
    });
  }
}

/** The token of the Authorization header; staff may use `x-api-key`, but Authorization decides where both are sent. */
export function presentedToken(request: Request, surface: Surface): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? '';
  const apiKey = surface === 'staff' ? request.headers['x-api-key'] : undefined;
  return typeof apiKey === 'string' ? apiKey : null;
}

/** One and the same 401 for missing, unknown, expired, revoked and wrong kind (RFC 6750, 3). */
export function unauthorized(surface: string, wasPresented: boolean): AppError {
  const challenge = `Bearer realm="${surface}"${wasPresented ? ', error="invalid_token"' : ''}`;
  return new AppError(401, 'unauthorized', 'A valid credential is required', {
    headers: { 'WWW-Authenticate': challenge },
  });
}
