import { requireOnReplay } from '../../platform/auth/assert-scope.js';
import { excessScopes } from '../../platform/auth/scopes.js';
import { currentActor } from '../../platform/context/request-context.js';
import { AppError } from '../../platform/errors/app-error.js';

/**
 * A caller can pass on only scopes that it has: 403 with the excess scopes; `required` is the scope of the route. The
 * system, which loads demo data and provisioning files, has all scopes.
 */
export function assertGrantable(scopes: readonly string[], required: string): void {
  const actor = currentActor();
  const excess = actor.type === 'system' ? [] : excessScopes(actor.scopes, scopes);
  if (excess.length === 0) return;
  throw new AppError(403, 'forbidden', 'The requested scopes exceed the scopes of the caller', {
    details: { requiredScope: required, excessScopes: excess },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${excess.join(' ')}"` },
  });
}

/**
 * To end the access of a client, a caller needs a delete scope for each area of the scopes of the client: 403 with the scopes
 * that are missing. `connect:*:delete` and `connect:*` cover all areas.
 */
export function assertRevocable(scopes: readonly string[]): void {
  const actor = currentActor();
  if (actor.type === 'system') return;
  const areas = new Set(scopes.map((scope) => scope.split(':')[1] ?? '*'));
  const required = [...areas].map((area) => `connect:${area}:delete`);
  const missing = excessScopes(actor.scopes, required);
  if (missing.length === 0) return requireOnReplay(required);
  throw new AppError(403, 'forbidden', 'The client has scopes in areas in which the caller has no delete scope', {
    details: { requiredScope: '*:delete', missingScopes: missing },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing.join(' ')}"` },
  });
}
