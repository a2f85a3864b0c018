import { assertScope } from '../../../platform/auth/access.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { SalesOverride, SalesTerms } from '../../operations/index.js';

/** Members of a request that sell units after the end of sales. */
interface SalesOverrideBody {
  override?: SalesOverride[];
  overrideReason?: string;
}

/** The terms on which the units are taken. An override needs a reason and the scope `bookings:override`. */
export function salesTermsOf({ override = [], overrideReason }: SalesOverrideBody): SalesTerms {
  if (override.length === 0) return [];
  if (overrideReason === undefined) {
    throw invalidField('overrideReason', 'override requires overrideReason', 'override_reason_missing');
  }
  assertScope('bookings:override');
  return override;
}
