import type { Actor } from '../context/actor.js';
import { currentActor } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';
import { rejectInitialPassword } from './assert-scope.js';

/**
 * The actor of a request that a person makes: what decides over an account (password, second factor) is not open to an API
 * token, which may have been stolen, nor to a user whose password is known to somebody else. Throws 403 `session_required`,
 * `password_change_required`.
 */
export function assertSession(): Actor {
  const actor = assertAnySession();
  rejectInitialPassword(actor);
  return actor;
}

/** As `assertSession`, but for users who must change their password too. Throws 403 `session_required`. */
export function assertAnySession(): Actor {
  const actor = currentActor();
  if (actor.type === 'user') return actor;
  throw new AppError(403, 'session_required', 'Requires a session: log in and use its token');
}
