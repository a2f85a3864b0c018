import { ASSIGNMENT_SCOPES } from '../policy-assignments/policy-assignment.entity.js';

/** How specific the scope of the assignment `a` is; the lowest is the most specific. */
const SCOPE_RANK = `array_position(array['${ASSIGNMENT_SCOPES.join("', '")}'], a.scope)`;

/** Which of several assignments `a` applies: the first. */
export const PRECEDENCE = `${SCOPE_RANK}, a.priority desc, a.created_at desc, a.id desc`;

/** Whether the assignment `a` is live on the day that is this parameter. */
export function liveOn(day: string): string {
  return `a.removed_at is null and (a.valid_from is null or a.valid_from <= ${day}::date)
    and (a.valid_to is null or a.valid_to >= ${day}::date)`;
}
