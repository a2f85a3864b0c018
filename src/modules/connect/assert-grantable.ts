import { excessScopes } from '../../platform/auth/scopes.js';
import { currentActor } from '../../platform/context/request-context.js';
import { AppError } from '../../platform/errors/app-error.js';

/**
 * A caller can pass on only scopes that it has; the error lists the excess scopes, and `required` is the scope of the route.
 * The system, which loads demo data and provisioning files, has all scopes.
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
