import { excessScopes } from '../../platform/auth/scopes.js';
import { currentActor } from '../../platform/context/request-context.js';
import { AppError } from '../../platform/errors/app-error.js';

/**
 * Nobody hands out what he does not hold: 403 with the scopes that are too many; `required` is what the route asks for.
 * The service itself, which makes demo data and provisions, holds everything.
 */
export function assertMayGive(scopes: readonly string[], required: string): void {
  const actor = currentActor();
  const excess = actor.type === 'system' ? [] : excessScopes(actor.scopes, scopes);
  if (excess.length === 0) return;
  throw new AppError(403, 'forbidden', 'The requested scopes exceed the scopes of the caller', {
    details: { requiredScope: required, excessScopes: excess },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${excess.join(' ')}"` },
  });
}
