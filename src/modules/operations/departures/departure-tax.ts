import { divideRounded } from '../../../platform/money/money.js';

/** The tax of units without a tax code: the same share of their price as of the departure's, in any currency. */
export function departureTax(
  totalSellCents: number,
  { priceCents, taxIncludedCents }: { priceCents: number; taxIncludedCents: number },
): number {
  if (priceCents === 0) return 0;
  return Number(divideRounded(BigInt(totalSellCents) * BigInt(taxIncludedCents), BigInt(priceCents)));
}
