import { createHash, timingSafeEqual } from 'node:crypto';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Actor } from '../context/actor.js';
import { TokenVerifier } from './token-verifier.js';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Request, Response } from 'express';
import { FairShare, quarterOf } from '../context/fair-share.js';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { currentContext } from '../context/request-context.js';
import { type Surface, surfaceOf } from '../context/surface.js';
import { type CredentialKind, parseCredential } from '../ids/credentials.js';
import { access, type SharedSecret } from './access.js';
import { notFound } from '../errors/app-error.js';
import { unauthorized } from '../context/unauthorized.js';

/**
 * Passport receives this object instead of the request. It has no query and no body, in which passport-http-bearer would also
 * look for a token.
 */
export interface PresentedCredential {
  readonly headers: { readonly authorization?: string };
  readonly verifier: TokenVerifier;
}

/**
 * Verifies bearer tokens. Passport keeps strategies in one registry per process, where that of a second application replaces
 * that of the first one; so the strategy has no state, and takes the verifier of the application from the request.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor() {
    super({ passReqToCallback: true });
  }

  async validate({ verifier }: PresentedCredential, token: string): Promise<Actor | false> {
    return (await verifier.verify(token)) ?? false;
  }
}

/** The credentials that a surface accepts. The storefront accepts none: all of its routes are public. */
const KINDS: Record<Surface, readonly CredentialKind[]> = {
  storefront: [],
  staff: ['vsk', 'vss'],
  connect: ['tpk', 'oat'],
  vault: ['tpk'],
  realtime: ['tpk', 'rts'],
  data: ['tpk'],
  octo: ['tpk', 'oat'],
};

/**
 * Sets the actor of a guarded route, or rejects the request with 401. A token that was verified less than a second ago is found
 * in a cache; only the others go through passport, which would cost each request 13 to 17 % of the request rate.
 */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  /** An address that sends many invalid tokens must not occupy the connections to the database. */
  private readonly verifications: FairShare;

  constructor(
    private readonly reflector: Reflector,
    private readonly verifier: TokenVerifier,
    private readonly env: Env,
  ) {
    super();
    const [running, waiting] = [Infinity, env.maxInFlight];
    const [runningPerCaller, waitingPerCaller] = [
      Math.ceil(quarterOf(env.databasePoolSize) / 2),
      Math.ceil(waiting / 2),
    ];
    this.verifications = new FairShare({ running, waiting, runningPerCaller, waitingPerCaller });
  }

  /** An actor who was authenticated before the body was read stays. */
  override canActivate(context: ExecutionContext): true | Promise<true> {
    const { isPublic, sharedSecret, kind } = access(this.reflector, context);
    if (sharedSecret !== null) this.assertSharedSecret(context.switchToHttp().getRequest<Request>(), sharedSecret);
    if (kind === 'rtt') return this.verifyTicket(context.switchToHttp().getRequest<Request>());
    if (isPublic) return true;
    const running = currentContext();
    running.actor ??= this.findCached(context.switchToHttp().getRequest<Request>(), kind);
    return running.actor !== null || this.verify(context);
  }

  /** Used by middleware, which runs before Nest has chosen a handler. */
  async authenticate(request: Request, response: Response): Promise<void> {
    currentContext().actor = this.findCached(request);
    if (currentContext().actor === null) await this.verify(new ExecutionContextHost([request, response]));
  }

  /**
   * Throws 401 unless the request has the value of this setting as its bearer token, and 404 if the setting has none. The digests
   * have one length, so the comparison takes the same time for every token.
   */
  assertSharedSecret(request: Request, sharedSecret: SharedSecret): void {
    const { [sharedSecret]: secret } = this.env;
    if (secret === null) throw notFound();
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    if (token === null || !timingSafeEqual(digestOf(token), digestOf(secret)))
      throw unauthorized(surface, token !== null);
  }

  override getRequest(context: ExecutionContext): PresentedCredential {
    const request = context.switchToHttp().getRequest<Request>();
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    const kind = token === null ? undefined : parseCredential(token)?.kind;
    const isAccepted = kind !== undefined && this.acceptedBy(context, surface).includes(kind);
    return { headers: isAccepted ? { authorization: `Bearer ${token}` } : {}, verifier: this.verifier };
  }

  /** Receives the result of passport. An error is a failure of the service, such as a lost database. */
  override handleRequest<Found extends Actor>(error: unknown, found: Found | false): Found | false {
    if (error) throw error instanceof Error ? error : new Error('passport failed', { cause: error });
    currentContext().actor = found || null;
    return found;
  }

  private async verify(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<Request>();
    await this.verifications.run(addressKey(request.ip), async () => super.canActivate(context));
    if (currentContext().actor !== null) return true;
    const surface = surfaceOf(request.path);
    throw unauthorized(surface, presentedToken(request, surface) !== null);
  }

  /** Throws 404 for a ticket that opens nothing, as for any other link. */
  private async verifyTicket({ params, ip }: Request): Promise<true> {
    const { ticket } = params;
    const token = typeof ticket === 'string' && ticket.startsWith('rtt_') ? ticket : null;
    const verify = async () => (token === null ? null : this.verifier.verify(token));
    const actor = await this.verifications.run(addressKey(ip), verify);
    if (actor === null) throw notFound();
    currentContext().actor = actor;
    return true;
  }

  /** Middleware runs before there is a handler. */
  private acceptedBy(context: ExecutionContext, surface: Surface): readonly CredentialKind[] {
    const handler: unknown = context.getHandler();
    return acceptedKinds(surface, handler ? access(this.reflector, context).kind : undefined);
  }

  private findCached(request: Request, kind?: CredentialKind): Actor | null {
    const surface = surfaceOf(request.path);
    const token = presentedToken(request, surface);
    // A token that was verified begins with its kind.
    const isAccepted = token !== null && acceptedKinds(surface, kind).some((one) => token.startsWith(`${one}_`));
    return isAccepted ? this.verifier.findCached(token) : null;
  }
}

function acceptedKinds(surface: Surface, kind: CredentialKind | undefined): readonly CredentialKind[] {
  return kind === undefined ? KINDS[surface] : [kind];
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The token of the Authorization header; staff may use `x-api-key`, but Authorization decides if both are sent. */
export function presentedToken(request: Request, surface: Surface): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? '';
  const apiKey = surface === 'staff' ? request.headers['x-api-key'] : undefined;
  return typeof apiKey === 'string' ? apiKey : null;
}
