import { currentActor } from '../../../platform/context/request-context.js';
import { AppError } from '../../../platform/errors/app-error.js';

/** Nobody decides for himself what he is permitted: 403 for a caller who acts for one operator. */
export function assertUnbound(): void {
  if (currentActor().operatorId === null) return;
  throw new AppError(403, 'forbidden', 'A credential bound to an operator cannot change operators or grants');
}
