import { currentActor } from '../context/request-context.js';
import { invalidField } from '../errors/app-error.js';

/**
 * Returns the end of a credential that the caller creates: the requested end, or the end of the caller's own credential. A
 * later end is rejected (400).
 */
export function derivedEnd(requested: Date | null): Date | null {
  const { expiresAt: latest } = currentActor();
  if (requested === null || latest === null || requested <= latest) return requested ?? latest;
  const message = 'expiresAt must not be later than the end of the credential that creates this one';
  throw invalidField('expiresAt', message, 'after_parent_end');
}
