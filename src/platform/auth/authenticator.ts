import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import type { Actor } from '../context/actor.js';
import { AppError } from '../errors/app-error.js';
import { type Surface, surfaceOf } from '../context/surface.js';
import { CREDENTIAL_KINDS, type CredentialKind, parseCredential } from '../ids/credentials.js';
import { TokenVerifier } from './token-verifier.js';

/** Which credentials a surface accepts. The storefront accepts none: all of its routes are public. */
const KINDS: Record<Surface, readonly CredentialKind[]> = {
  storefront: [],
  staff: ['vsk', 'vss'],
  connect: ['tpk', 'oat'],
  vault: ['tpk'],
  realtime: ['tpk'],
  data: ['tpk'],
};

/**
 * Verifies the credential of a request with passport, one bearer strategy per credential kind. The header is read here,
 * because passport-http-bearer would also accept a token from the query or the body, which would then be logged. Passport
 * is called only for a token that is not cached: for each request it would cost 13 to 17 % of the request rate.
 */
@Injectable()
export class Authenticator {
  /** Not the process-wide instance: two applications in one process (tests) would replace each other's strategies. */
  private readonly passport = new passport.Passport();

  constructor(private readonly verifier: TokenVerifier) {
    for (const kind of CREDENTIAL_KINDS) {
      const strategy = new Strategy((token, done) => {
        verifier.verify(token).then(
          (actor) => done(null, actor ?? false),
          (error: unknown) => done(error),
        );
      });
      this.passport.use(kind, strategy);
    }
  }

  /** The actor whose credential the request carries. Throws 401. */
  async authenticate(request: Request): Promise<Actor> {
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    const kind = token === null ? null : parseCredential(token)?.kind;
    const actor =
      token !== null && kind && KINDS[surface].includes(kind)
        ? (this.verifier.findCached(token) ?? (await this.verify(kind, token)))
        : null;
    if (!actor) throw unauthorized(surface, token !== null);
    return actor;
  }

  /** The actor, if the credential was verified less than a second ago: most requests need not wait. */
  findCached(request: Request): Actor | null {
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    // A token that was verified begins with its kind.
    const isAccepted = token !== null && KINDS[surface].some((kind) => token.startsWith(`${kind}_`));
    return isAccepted ? this.verifier.findCached(token) : null;
  }

  /** Passport receives the token only, without the body and the query of the request. */
  private verify(kind: CredentialKind, token: string): Promise<Actor | null> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, actor?: Actor | false | null) => {
        if (error) reject(error instanceof Error ? error : new Error('passport failed', { cause: error }));
        else resolve(actor || null);
      };
      const handle: unknown = this.passport.authenticate(kind, { session: false }, done);
      // Passport's types do not describe the middleware that it returns.
      (handle as (request: object, response: object, next: typeof done) => void)(
        { headers: { authorization: `Bearer ${token}` } },
        {},
        done,
      );
    });
  }
}

/** The token of the Authorization header; staff may use `x-api-key`, but Authorization decides if both are sent. */
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
