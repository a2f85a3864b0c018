import { currentActor, currentContext } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { covers } from './scopes.js';

/**
 * For a scope that only the request's content makes necessary; `checkScope` it, and remember that it was asked for: an
 * answer that is told again under its `Idempotency-Key` asks for it again.
 */
export function assertScope(scope: string): void {
  checkScope(scope);
  const context = currentContext();
  context.askedScopes = [...new Set([...(context.askedScopes ?? []), scope])];
}

/** Refuses an actor whose scopes do not cover this one: 403, naming the scope that is missing. */
export function checkScope(scope: string): void {
  if (covers(currentActor().scopes, scope)) return;
  throw new AppError(403, 'forbidden', `Requires the scope ${scope}`, {
    details: { requiredScope: scope },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}
