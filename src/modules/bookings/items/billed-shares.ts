import { divideRounded } from '../../../platform/money/money.js';
import type { EarlierRate } from './item-price.js';

interface Amounts {
  grossCents: number;
  taxCents: number;
}

interface TaxedLine {
  id: string;
  totalSellCents: number;
}

/** Amounts that documents bill for one tax code at one rate, and the part of them on lines that name an item. */
interface Billed extends Amounts {
  items: readonly (Amounts & { itemId: string })[];
}

/** Amounts billed at a rate; null for lines that show none. */
export interface BilledAtRate extends Billed {
  rateBasisPoints: number | null;
}

/** An item with the rate that it has now. */
interface RatedItem extends TaxedLine {
  taxRateBasisPoints: number | null;
  /** The item had another rate before, so documents at that rate may have billed a part of it. */
  hadOtherRate: boolean;
}

/**
 * Computes the part of each of these items of one tax code that documents bill at a different rate than the item's. It depends
 * on the documents that count now. Items with the rate of a document share its amount with items that had that rate before.
 * Without such items the amount belongs to them up to their price, and only the rest to the other items, except discounts that
 * never had another rate.
 */
export function earlierParts(items: readonly RatedItem[], billed: readonly BilledAtRate[]): EarlierRate[] {
  const parts = items.map(() => ({ earlierRateCents: 0, earlierRateTaxCents: 0 }));
  const hasRate = (rate: number | null) => items.some(({ taxRateBasisPoints }) => taxRateBasisPoints === rate);
  const isChanged =
    items.some(({ hadOtherRate }) => hadOtherRate) ||
    billed.some(({ rateBasisPoints: rate, grossCents }) => rate !== null && grossCents !== 0 && !hasRate(rate));
  if (!isChanged) return parts;
  const atOwnRate = sharesAtOwnRate(items, billed);
  for (const { rateBasisPoints: rate, ...amounts } of billed) {
    const isOwn = ({ taxRateBasisPoints }: RatedItem) => taxRateBasisPoints === rate;
    const hasOwn = items.some(isOwn);
    const isSharing = hasOwn && items.some((item) => item.hadOtherRate && !isOwn(item));
    const left = items.map((item, index) => {
      if (isOwn(item)) return { ...item, totalSellCents: isSharing ? Math.max(0, item.totalSellCents) : 0 };
      // Documents at another rate do not bill a discount that never had one.
      const isLeftOut = !item.hadOtherRate && (isSharing || item.totalSellCents < 0);
      const ownCents = atOwnRate[index] ?? 0;
      const taken = (parts[index]?.earlierRateCents ?? 0) + (isSharing || ownCents < 0 ? ownCents : 0);
      return { ...item, totalSellCents: isLeftOut ? 0 : item.totalSellCents - within(item.totalSellCents, taken) };
    });
    const shares = billedShares(left, lessOf(amounts, items.filter(isOwn), isSharing));
    for (const [index, item] of items.entries()) {
      const [part, share] = [parts[index], shares[index]];
      if (isOwn(item) || !part || !share) continue;
      part.earlierRateCents += share.earlierRateCents;
      part.earlierRateTaxCents += share.earlierRateTaxCents;
    }
  }
  return parts;
}

/** Amounts billed for each item at its own rate. */
function sharesAtOwnRate(items: readonly RatedItem[], billed: readonly BilledAtRate[]): number[] {
  const shares = items.map(() => 0);
  for (const { rateBasisPoints: rate, ...amounts } of billed) {
    const own = items.map((item) => (item.taxRateBasisPoints === rate ? item : { ...item, totalSellCents: 0 }));
    // Documents bill discounts at their own rate with a negative amount.
    const sign = amounts.grossCents < 0 ? -1 : 1;
    const signed = own.map(({ id, totalSellCents }) => ({ id, totalSellCents: sign * totalSellCents }));
    const found = billedShares(signed, sign < 0 ? negated(amounts) : amounts);
    for (const [index, { earlierRateCents }] of found.entries()) {
      if (items[index]?.taxRateBasisPoints === rate) shares[index] = sign * earlierRateCents;
    }
  }
  return shares;
}

function negated({ grossCents, taxCents, items }: Billed): Billed {
  return {
    grossCents: -grossCents,
    taxCents: -taxCents,
    items: items.map((item) => ({ ...item, grossCents: -item.grossCents, taxCents: -item.taxCents })),
  };
}

/**
 * The part of billed amounts that is left for other items: their own items' credits are subtracted, or all credits unless they
 * share.
 */
function lessOf(billed: Billed, own: readonly TaxedLine[], isSharing: boolean): Billed {
  const counted = own.filter(({ totalSellCents }) => !isSharing || totalSellCents < 0);
  const ownCents = counted.reduce((sum, { totalSellCents }) => sum + totalSellCents, 0);
  if (ownCents === 0 || billed.grossCents === 0) return billed;
  const grossCents = billed.grossCents - ownCents;
  const taxCents = divideRounded(BigInt(billed.taxCents) * BigInt(grossCents), BigInt(billed.grossCents));
  return { ...billed, grossCents, taxCents: Number(taxCents) };
}

/**
 * Computes the amount billed for each of these items at one rate of one tax code. An item gets the amount of the lines that
 * name it, at most its own price. The remainder is shared in proportion to the remaining totals, and the tax like the gross.
 * Rounding the running sums makes the shares add up and keeps each within its item, even with discounts. An amount billed
 * beyond the items is a credit due and belongs to no item.
 */
export function billedShares(
  items: readonly Pick<TaxedLine, 'id' | 'totalSellCents'>[],
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
  const taxes = taxesOf(gross, own, { grossCents, taxCents });
  return gross.map((earlierRateCents, index) => ({
    earlierRateCents,
    earlierRateTaxCents: within(earlierRateCents, taxes[index] ?? 0),
  }));
}

/**
 * Computes the tax of these shares: the tax of lines that name the item, and for the remainder a tax in proportion to the
 * gross.
 */
function taxesOf(gross: readonly number[], own: readonly Amounts[], billed: Amounts): number[] {
  const shared = sumOf(gross);
  if (shared === 0n || billed.grossCents === 0) return gross.map(() => 0);
  const taxCents = divideRounded(BigInt(billed.taxCents) * shared, BigInt(billed.grossCents));
  const ownGross = sumOf(own.map((part) => part.grossCents));
  const ownTax = sumOf(own.map((part) => part.taxCents));
  const rests = gross.map((share, index) => share - (own[index]?.grossCents ?? 0));
  if (shared <= ownGross || sumOf(rests) === 0n) return proportionally(gross, taxCents);
  const restTaxes = proportionally(rests, taxCents - ownTax);
  return own.map((part, index) => part.taxCents + (restTaxes[index] ?? 0));
}

/**
 * Returns the part of an item on lines that name it. If they bill more than its price, that is the price with its share of
 * their tax.
 */
function ownPart({ totalSellCents }: Pick<TaxedLine, 'totalSellCents'>, billed: Amounts | undefined): Amounts {
  if (!billed || billed.grossCents === 0) return { grossCents: 0, taxCents: 0 };
  const grossCents = within(totalSellCents, billed.grossCents);
  const share = divideRounded(BigInt(billed.taxCents) * BigInt(grossCents), BigInt(billed.grossCents));
  return { grossCents, taxCents: Number(share) };
}

function sharesOf(parts: readonly { whole: number; own: number }[], cents: number): number[] {
  const [whole, own] = [sumOf(parts.map((part) => part.whole)), sumOf(parts.map((part) => part.own))];
  const billed = BigInt(cents) < whole ? BigInt(cents) : whole;
  if (billed <= 0n) return parts.map(() => 0);
  if (billed === whole) return parts.map((part) => part.whole);
  // Credits that name no item reduce all of them.
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

/** Splits an amount in proportion to the parts. */
function proportionally(parts: readonly number[], cents: bigint): number[] {
  const whole = sumOf(parts);
  if (whole === 0n) return parts.map(() => 0);
  let [sum, shared] = [0n, 0n];
  return parts.map((part) => {
    sum += BigInt(part);
    const next = divideRounded(sum * cents, whole);
    const share = next - shared;
    shared = next;
    return Number(share);
  });
}

/** Limits the amount to between 0 and the limit. */
function within(limit: number, cents: number): number {
  return Math.min(Math.max(0, limit), Math.max(Math.min(0, limit), cents));
}

function sumOf(parts: readonly number[]): bigint {
  return parts.reduce((sum, part) => sum + BigInt(part), 0n);
}
