import { callerEnded } from '../context/unauthorized.js';
import type { RequestContext } from '../context/request-context.js';
import { mapConstraint } from '../errors/database-errors.js';
import type { Statement } from './statement.js';

/** The constraint that such a statement violates. */
export const LIVE_CALLER = 'live_caller';

mapConstraint(LIVE_CALLER, callerEnded);

/**
 * A statement that fails if the credential of the caller has ended in any process since it was verified, at most a second ago;
 * null if the service itself acts, or no user is logged in. It is sent with the first statement of a transaction, and costs no
 * round trip.
 */
export function requireLiveCaller(context: RequestContext | null, now: Date): Statement | null {
  const actor = context?.actor ?? null;
  if (actor === null || actor.type === 'system') return null;
  const values = [actor.type, actor.credentialId, now];
  return { name: 'require-live-caller', text: 'select require_live_caller($1, $2, $3)', values };
}
