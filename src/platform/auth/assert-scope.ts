import type { Actor } from '../context/actor.js';
import { currentActor, currentContext } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { covers, needsFreshProof } from './scopes.js';

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
export function assertFreshProof(): void {
  if (!currentActor().freshProofRequired) return;
  throw rejected('reauthentication_required', 'Prove the second factor again', 'sessions/current/reauthentication');
}

/** Rejects a user who must first replace a password that somebody else has set, with 403 `password_change_required`. */
export function rejectInitialPassword({ passwordChangeRequired }: Actor): void {
  if (passwordChangeRequired) throw rejected('password_change_required', 'Change the password first', 'me/password');
}

/** 403 with the route by which the user becomes able to do it. */
function rejected(code: string, message: string, route: string): AppError {
  return new AppError(403, code, `${message}: POST /v1/admin/identity/${route}`);
}
