import { currentActor } from '../context/request-context.js';
import { invalidField } from '../errors/app-error.js';

/**
 * The end of a credential that the caller creates with its own: the requested end, by default that of the credential of the
 * caller. Throws 400 for a later end.
 */
export function derivedEnd(requested: Date | null): Date | null {
  const { expiresAt: latest } = currentActor();
  if (requested === null || latest === null || requested <= latest) return requested ?? latest;
  const message = 'expiresAt must not be later than the end of the credential that creates this one';
  throw invalidField('expiresAt', message, 'after_parent_end');
}
