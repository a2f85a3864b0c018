import type { Actor } from '../context/actor.js';
import { currentActor } from '../context/request-context.js';
import { AppError } from '../errors/app-error.js';

/**
 * The actor of a request that a person makes: what decides over an account (password, second factor) is not open to an API
 * token, which may have been stolen. Throws 403 `session_required`.
 */
export function assertSession(): Actor {
  const actor = currentActor();
  if (actor.type === 'user') return actor;
  throw new AppError(403, 'session_required', 'Requires a session: log in and use its token');
}
