import { currentActor } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { covers } from './scopes.js';

/** Refuses an actor whose scopes do not cover this one: 403, naming the scope that is missing. */
export function assertScope(scope: string): void {
  if (covers(currentActor().scopes, scope)) return;
  throw new AppError(403, 'forbidden', `This needs the scope ${scope}`, {
    details: { requiredScope: scope },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}
