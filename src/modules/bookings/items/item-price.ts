import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { divideRounded } from '../../../platform/money/money.js';
import { includedTax, type TaxOfDay } from '../../taxes/index.js';
import type { ItemType } from './booking-item.entity.js';

export interface PricedItem {
  type: ItemType;
  quantity: number;
  unitSellCents: number;
  taxIncludedCents: number;
  costCents: number | null;
  costCurrency: string | null;
}

/** quantity * unitSellCents. */
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

/**
 * The tax included in the total of a whole line. The part that documents billed at earlier rates keeps its tax, or the same
 * share of it if the line now costs less. An item under the margin scheme shows none.
 */
export function codedTax(
  totalSellCents: number,
  tax: TaxRateOfItem,
  { earlierRateCents, earlierRateTaxCents }: EarlierRate,
): number {
  if (tax.taxKind === 'margin_scheme') return 0;
  if (Math.abs(totalSellCents) < Math.abs(earlierRateCents)) {
    return Number(divideRounded(BigInt(earlierRateTaxCents) * BigInt(totalSellCents), BigInt(earlierRateCents)));
  }
  return earlierRateTaxCents + includedTax(totalSellCents - earlierRateCents, tax);
}

/** The part of a line that documents billed before its rate changed, and its tax; 0 without one. */
export interface EarlierRate {
  earlierRateCents: number;
  earlierRateTaxCents: number;
}

export const NO_EARLIER_RATE: EarlierRate = { earlierRateCents: 0, earlierRateTaxCents: 0 };

export type TaxRateOfItem = Pick<TaxOfDay, 'taxKind' | 'taxRateBasisPoints'>;

/** Scales a tax that was sent as an amount with a changed price. */
export function scaledTax(before: PriceBefore, after: { quantity: number; unitSellCents: number }): number {
  const total = BigInt(after.quantity) * BigInt(after.unitSellCents);
  const totalBefore = BigInt(before.totalSellCents);
  if (total === totalBefore) return before.taxIncludedCents;
  return totalBefore === 0n ? 0 : Number(divideRounded(BigInt(before.taxIncludedCents) * total, totalBefore));
}

/** The expected cost of a unit follows the quantity; the cost of an item without a unit is what was typed. */
export function scaledCost(
  { unitId, costCents, quantity: before }: { unitId: string | null; costCents: number | null; quantity: number },
  quantity: number,
): number | null {
  if (unitId === null || costCents === null) return costCents;
  const cents = Number(divideRounded(BigInt(costCents) * BigInt(quantity), BigInt(before)));
  if (Number.isSafeInteger(cents)) return cents;
  throw invalidField('quantity', 'The cost of the quantity exceeds 2^53-1', 'amount_too_large');
}

export interface PriceBefore {
  totalSellCents: number;
  taxIncludedCents: number;
}

/** A sent tax must equal the tax computed from the tax code. */
export function assertStatedTax(actual: number | undefined, expected: number): void {
  if (actual === undefined || actual === expected) return;
  const details = { field: 'taxIncludedCents', expected, actual };
  throw unprocessable('totals_mismatch', 'The tax is not that of the tax code', details);
}
