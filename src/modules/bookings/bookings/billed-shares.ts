import { divideRounded } from '../../../platform/money/money.js';
import type { EarlierRate } from './item-price.js';

interface Amounts {
  grossCents: number;
  taxCents: number;
}

interface TaxedLine {
  id: string;
  totalSellCents: number;
  taxIncludedCents: number;
}

/** What documents bill of one tax code, and the part of it on lines that name an item. */
interface Billed extends Amounts {
  items: readonly (Amounts & { itemId: string })[];
}

/**
 * What documents billed of each of these items of one tax code. An item has what lines bill that name it, at most its own
 * price. The rest is shared: the gross in proportion to what is left of the totals, the tax in proportion to what is left of
 * the taxes. Rounding the running sums makes the shares add up, and keeps each within its item, also beside discounts. What
 * documents bill beyond the items is a credit due and belongs to no item.
 */
export function billedShares(
  items: readonly TaxedLine[],
  { grossCents, taxCents, items: named }: Billed,
): EarlierRate[] {
  const own = items.map((item) =>
    ownPart(
      item,
      named.find(({ itemId }) => itemId === item.id),
    ),
  );
  const gross = sharesOf(
    items.map(({ totalSellCents }, index) => ({ whole: totalSellCents, own: own[index]?.grossCents ?? 0 })),
    grossCents,
  );
  const taxes = sharesOf(
    items.map(({ taxIncludedCents }, index) => ({ whole: taxIncludedCents, own: own[index]?.taxCents ?? 0 })),
    taxCents,
  );
  return gross.map((earlierRateCents, index) => ({
    earlierRateCents,
    earlierRateTaxCents: within(earlierRateCents, taxes[index] ?? 0),
  }));
}

/** The part of an item on lines that name it; if they bill more than its price, the price with its share of their tax. */
function ownPart({ totalSellCents, taxIncludedCents }: TaxedLine, billed: Amounts | undefined): Amounts {
  if (!billed || billed.grossCents === 0) return { grossCents: 0, taxCents: 0 };
  const grossCents = within(totalSellCents, billed.grossCents);
  const share = divideRounded(BigInt(billed.taxCents) * BigInt(grossCents), BigInt(billed.grossCents));
  return { grossCents, taxCents: within(taxIncludedCents, Number(share)) };
}

function sharesOf(parts: readonly { whole: number; own: number }[], cents: number): number[] {
  const [whole, own] = [sumOf(parts.map((part) => part.whole)), sumOf(parts.map((part) => part.own))];
  const billed = BigInt(cents) < whole ? BigInt(cents) : whole;
  if (billed <= 0n) return parts.map(() => 0);
  if (billed === whole) return parts.map((part) => part.whole);
  // Credits that name no item take from all of them.
  if (billed < own)
    return proportionally(
      parts.map((part) => part.own),
      billed,
    );
  const rest = proportionally(
    parts.map((part) => part.whole - part.own),
    billed - own,
  );
  return parts.map((part, index) => part.own + (rest[index] ?? 0));
}

/** Splits an amount between 0 and the sum of the parts. */
function proportionally(parts: readonly number[], cents: bigint): number[] {
  const whole = sumOf(parts);
  let [sum, shared] = [0n, 0n];
  return parts.map((part) => {
    sum += BigInt(part);
    const next = divideRounded(sum * cents, whole);
    const share = next - shared;
    shared = next;
    return Number(share);
  });
}

/** The amount, or the nearest one between 0 and the limit. */
function within(limit: number, cents: number): number {
  return Math.min(Math.max(0, limit), Math.max(Math.min(0, limit), cents));
}

function sumOf(parts: readonly number[]): bigint {
  return parts.reduce((sum, part) => sum + BigInt(part), 0n);
}
