import pg from 'pg';
import { callerEnded } from '../context/unauthorized.js';
import type { RequestContext } from '../context/request-context.js';
import { mapConstraint } from '../errors/database-errors.js';

const { escapeLiteral } = pg;

/** The constraint that such a statement violates. */
export const LIVE_CALLER = 'live_caller';

mapConstraint(LIVE_CALLER, callerEnded);

/**
 * SQL that fails if the credential of the caller has ended in any process since it was verified, at most a second ago; null if
 * the service itself acts, or no user is logged in. It is a part of BEGIN, so it costs no statement.
 */
export function requireLiveCaller(context: RequestContext | null, now: Date): string | null {
  const actor = context?.actor ?? null;
  if (actor === null || actor.type === 'system') return null;
  const [kind, credential, moment] = [actor.type, actor.credentialId, now.toISOString()].map((value) =>
    escapeLiteral(value),
  );
  return `select require_live_caller(${kind}, ${credential}, ${moment})`;
}
