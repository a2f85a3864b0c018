import { invalidField } from '../../../platform/errors/app-error.js';
import type { ItemType } from './booking-item.entity.js';

export interface PricedItem {
  type: ItemType;
  quantity: number;
  unitSellCents: number;
  taxIncludedCents: number;
  costCents: number | null;
  costCurrency: string | null;
}

/**
 * quantity * unitSellCents. Throws 400 if the sign does not fit the type, the tax exceeds the total, only one of cost and
 * cost currency is set, or the total exceeds 2^53-1.
 */
export function priceItem({ quantity, unitSellCents, ...item }: PricedItem): number {
  if (item.type === 'discount' ? unitSellCents > 0 : item.type !== 'adjustment' && unitSellCents < 0) {
    throw invalidField(
      'unitSellCents',
      `An item of type ${item.type} cannot have a price of this sign`,
      'sign_of_type',
    );
  }
  const total = BigInt(quantity) * BigInt(unitSellCents);
  const totalSellCents = Number(total);
  if (!Number.isSafeInteger(totalSellCents)) {
    throw invalidField('unitSellCents', 'quantity * unitSellCents exceeds 2^53-1', 'amount_too_large');
  }
  const [least, most] = [Math.min(0, totalSellCents), Math.max(0, totalSellCents)];
  if (item.taxIncludedCents < least || item.taxIncludedCents > most) {
    throw invalidField('taxIncludedCents', `taxIncludedCents must be between ${least} and ${most}`, 'tax_beyond_total');
  }
  if ((item.costCents === null) !== (item.costCurrency === null)) {
    const missing = item.costCents === null ? 'costCents' : 'costCurrency';
    throw invalidField(missing, 'costCents and costCurrency must be set together', 'cost_incomplete');
  }
  return totalSellCents;
}
