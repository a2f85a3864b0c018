import { currentActor } from '../../../platform/context/request-context.js';
import { AppError } from '../../../platform/errors/app-error.js';

/** A caller bound to one operator must not change its own permissions. */
export function assertUnbound(): void {
  if (currentActor().operatorId === null) return;
  throw new AppError(403, 'forbidden', 'A credential bound to an operator cannot change operators or grants');
}
