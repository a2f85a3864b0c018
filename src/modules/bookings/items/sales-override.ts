import { assertScope } from '../../../platform/auth/access.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import { SALES_OVERRIDES, type SalesTerms } from '../../operations/index.js';

/** What an item may deviate from: the end of sales, its list price, and the currency of its departure. */
export const ITEM_OVERRIDES = named('BookingItemOverride', [...SALES_OVERRIDES, 'price', 'currency']);
export type ItemOverride = (typeof ITEM_OVERRIDES)[number];

interface OverrideBody<Override> {
  override?: Override[];
  overrideReason?: string;
}

/** An override needs a reason and the scope `bookings:override`. */
export function overridesOf<Override>({ override = [], overrideReason }: OverrideBody<Override>): readonly Override[] {
  if (override.length === 0) return [];
  if (overrideReason === undefined) {
    throw invalidField('overrideReason', 'override requires overrideReason', 'override_reason_missing');
  }
  assertScope('bookings:override');
  return override;
}

/** The terms on which the units are taken. */
export function termsOf(overrides: readonly ItemOverride[]): SalesTerms {
  return SALES_OVERRIDES.filter((override) => overrides.includes(override));
}
