import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { covers, needsFreshProof, scopeForChannel } from './scopes.js';
import type { Actor } from '../context/actor.js';
import { currentActor, currentContext } from '../context/request-context.js';
import type { CredentialKind } from '../ids/credentials.js';
import { AppError } from '../errors/app-error.js';
import type { Request } from 'express';

export const ACCESS = 'access';

/** The requirement of a route: nothing, any credential of the surface (`scope` null), or this scope. */
export interface Access {
  readonly isPublic: boolean;
  readonly scope: string | null;
  /** The path parameter with the channel to which the scope can be narrowed; null if it cannot be narrowed. */
  readonly narrowedBy: string | null;
  /** Whether a change needs a fresh proof of identity; null: it depends on the scope. */
  readonly freshProof: boolean | null;
  /** The setting whose value is the bearer token of a public route; null: the route needs none. */
  readonly sharedSecret: SharedSecret | null;
  /** The only kind of credential that the route accepts; absent: all kinds of its surface. */
  readonly kind?: CredentialKind;
}

/** Settings with the bearer token of another system. Without a value, their routes do not exist. */
export type SharedSecret = 'bounceReportSecret';

const READING = ['GET', 'HEAD'];
const OPEN = { isPublic: true, scope: null, narrowedBy: null, freshProof: null };

/**
 * The route needs a credential of its surface that covers this scope; without a name any such credential does. A realtime scope
 * can be narrowed to the channel in the path parameter `narrowedBy`. Changes under special and sensitive scopes need a fresh
 * proof of identity; `freshProof` requires one for a change under another scope, `false` waives it for a POST that only reads.
 */
export function RequireScope(
  scope?: string,
  { narrowedBy = null, freshProof = null }: { narrowedBy?: string | null; freshProof?: boolean | null } = {},
): MethodDecorator {
  return SetMetadata(ACCESS, {
    isPublic: false,
    scope: scope ?? null,
    narrowedBy,
    freshProof,
    sharedSecret: null,
  } satisfies Access);
}

/** The route needs the token of a subscription to channels. */
export function RequireSubscription(): MethodDecorator {
  const open = { scope: null, narrowedBy: null, freshProof: null, sharedSecret: null };
  return SetMetadata(ACCESS, { isPublic: false, ...open, kind: 'rts' } satisfies Access);
}

/** The route needs no header: the ticket in its path parameter `ticket` is the credential. */
export function RequireTicket(): MethodDecorator {
  return SetMetadata(ACCESS, { ...OPEN, sharedSecret: null, kind: 'rtt' } satisfies Access);
}

/** The route needs no credential. */
export function Public(): MethodDecorator {
  return SetMetadata(ACCESS, { ...OPEN, sharedSecret: null } satisfies Access);
}

/**
 * The route needs no credential of the service, but the value of this setting as its bearer token, which is checked before the
 * body is read.
 */
export function RequireSecret(sharedSecret: SharedSecret): MethodDecorator {
  return SetMetadata(ACCESS, { ...OPEN, sharedSecret } satisfies Access);
}

export function access(reflector: Reflector, context: ExecutionContext): Access {
  const declared = reflector.get<Access | undefined>(ACCESS, context.getHandler());
  // The start fails if a route has no declaration; as a second safeguard, this rejects all callers.
  return declared ?? { isPublic: false, scope: 'undeclared', narrowedBy: null, freshProof: null, sharedSecret: null };
}

/** Whether a session needs a fresh proof of identity for a route with this access and method. */
export function requiresFreshProof({ scope, freshProof }: Access, method: string): boolean {
  return !READING.includes(method) && (freshProof ?? (scope !== null && needsFreshProof(scope)));
}

/**
 * Checks a scope that is required by the content of the request, with the fresh proof of identity that it needs, and records
 * it: a replayed response to an `Idempotency-Key` requires the scope again.
 */
export function assertScope(scope: string): void {
  checkScope(scope);
  if (needsFreshProof(scope)) assertFreshProof();
  requireOnReplay([scope]);
}

/** Records scopes that the content of the request requires, and that the actor has: a replayed response requires them again. */
function requireOnReplay(scopes: readonly string[]): void {
  const context = currentContext();
  context.askedScopes = [...new Set([...(context.askedScopes ?? []), ...scopes])];
}

/**
 * Whether the actor's scopes cover this one, for members of a response that not every caller may see. A replayed response
 * with these members requires the scope.
 */
export function hasScope(scope: string): boolean {
  const isCovered = covers(currentActor().scopes, scope);
  if (isCovered) requireOnReplay([scope]);
  return isCovered;
}

/**
 * Rejects an actor whose scopes do not cover this one with 403, naming the missing scope. A user who must change the
 * password first gets 403 `password_change_required`; then, if second factors are required and there is none,
 * `second_factor_setup_required`.
 */
export function checkScope(scope: string): void {
  const actor = currentActor();
  const { scopes, secondFactorSetupRequired } = actor;
  if (covers(scopes, scope)) return;
  rejectInitialPassword(actor);
  if (secondFactorSetupRequired) {
    throw rejected('second_factor_setup_required', 'Set up a second factor first', 'me/second-factor');
  }
  throw new AppError(403, 'forbidden', `Requires the scope ${scope}`, {
    details: { requiredScope: scope },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}

/** Rejects a session in which the second factor was proved too long ago, with 403 `reauthentication_required`. */
function assertFreshProof(): void {
  if (!currentActor().freshProofRequired) return;
  throw rejected('reauthentication_required', 'Prove the second factor again', 'sessions/current/reauthentication');
}

/** Rejects a user who must first replace a password chosen by another person, with 403 `password_change_required`. */
function rejectInitialPassword({ passwordChangeRequired }: Actor): void {
  if (passwordChangeRequired) throw rejected('password_change_required', 'Change the password first', 'me/password');
}

/** Creates a 403 that names the route by which the user can meet the requirement. */
function rejected(code: string, message: string, route: string): AppError {
  return new AppError(403, code, `${message}: POST /v1/admin/identity/${route}`);
}

/**
 * Returns the actor if it is a user in a session. Account settings (password, second factor) can be changed only there: an API
 * token may have been stolen. Rejects a user whose password another person has chosen.
 */
export function assertSession(): Actor {
  const actor = assertAnySession();
  rejectInitialPassword(actor);
  return actor;
}

/** Like `assertSession`, but accepts users who must change their password. */
export function assertAnySession(): Actor {
  const actor = currentActor();
  if (actor.type === 'user') return actor;
  throw new AppError(403, 'session_required', 'Requires a session: log in and use its token');
}

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
