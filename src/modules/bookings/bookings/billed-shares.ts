import { divideRounded } from '../../../platform/money/money.js';
import type { EarlierRate } from './item-price.js';

interface TaxedLine {
  totalSellCents: number;
  taxIncludedCents: number;
}

/**
 * What documents billed of each of these items of one tax code: the gross in proportion to the totals, the tax in proportion
 * to the taxes of the items. Rounding the running sums makes the shares add up, and keeps each within its item, also beside
 * discounts. What documents bill beyond the items is a credit due and belongs to no item.
 */
export function billedShares(
  items: readonly TaxedLine[],
  { grossCents, taxCents }: { grossCents: number; taxCents: number },
): EarlierRate[] {
  const gross = sharesOf(
    items.map(({ totalSellCents }) => totalSellCents),
    grossCents,
  );
  const taxes = sharesOf(
    items.map(({ taxIncludedCents }) => taxIncludedCents),
    taxCents,
  );
  return gross.map((earlierRateCents, index) => {
    const [least, most] = [Math.min(0, earlierRateCents), Math.max(0, earlierRateCents)];
    return { earlierRateCents, earlierRateTaxCents: Math.min(most, Math.max(least, taxes[index] ?? 0)) };
  });
}

function sharesOf(parts: readonly number[], cents: number): number[] {
  const whole = parts.reduce((sum, part) => sum + BigInt(part), 0n);
  const billed = BigInt(cents) < whole ? BigInt(cents) : whole;
  if (billed <= 0n) return parts.map(() => 0);
  let [sum, shared] = [0n, 0n];
  return parts.map((part) => {
    sum += BigInt(part);
    const next = divideRounded(sum * billed, whole);
    const share = next - shared;
    shared = next;
    return Number(share);
  });
}
