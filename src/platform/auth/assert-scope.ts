import { currentActor, currentContext } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { covers } from './scopes.js';

/**
 * Checks a scope that is required by the content of the request, and records it: a replayed response to an
 * `Idempotency-Key` requires it again.
 */
export function assertScope(scope: string): void {
  checkScope(scope);
  requireOnReplay([scope]);
}

/** Records scopes that the content of the request requires, and that the actor has: a replayed response requires them again. */
export function requireOnReplay(scopes: readonly string[]): void {
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
 * Rejects an actor whose scopes do not cover this one with 403, naming the missing scope; a user who must change the
 * password first gets 403 `password_change_required`.
 */
export function checkScope(scope: string): void {
  const { scopes, passwordChangeRequired } = currentActor();
  if (covers(scopes, scope)) return;
  if (passwordChangeRequired) {
    throw new AppError(
      403,
      'password_change_required',
      'Change the password first: POST /v1/admin/identity/me/password',
    );
  }
  throw new AppError(403, 'forbidden', `Requires the scope ${scope}`, {
    details: { requiredScope: scope },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}
