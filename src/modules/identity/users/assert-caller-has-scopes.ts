import { excessScopes } from '../../../platform/auth/scopes.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { forbidden } from '../../../platform/errors/app-error.js';

/** A caller can assign or change only scopes that it has itself; the error contains the excess scopes. */
export function assertCallerHasScopes(scopes: readonly string[]): void {
  const excess = excessScopes(currentActor().scopes, scopes);
  if (excess.length > 0)
    throw forbidden('The roles or scopes exceed the scopes of the caller', { excessScopes: excess });
}
