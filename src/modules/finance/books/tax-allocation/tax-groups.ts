import { divideRounded } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';

/** The key of amounts without a tax code, whose tax was sent as an amount. */
export const GIVEN = 'given';

/** Amounts of one tax code, or of everything without a tax code. */
export interface TaxGroup {
  /** The ID of the tax code, or `given`. */
  key: string;
  /** The text of the tax code; null for `given`. Groups are sorted by it, `given` last. */
  taxCode: string | null;
  grossCents: number;
  taxCents: number;
}

/** Amounts of a tax group at one rate; null if they show none. */
export interface RatedGroup extends TaxGroup {
  rateBasisPoints: number | null;
}

/** A tax group whose documents bill more than is owed, or a wrong tax. Amounts are never negative. */
export interface GroupCredit extends TaxGroup {
  /** True if the tax on the documents is wrong, so that crediting the amounts alone does not correct it. */
  wrongTax: boolean;
}

/** The members of a booking item that determine its tax group and its rates. */
export type TaxedItem = Pick<
  BookingItemSummary,
  | 'taxCodeId'
  | 'taxCode'
  | 'taxKind'
  | 'taxRateBasisPoints'
  | 'totalSellCents'
  | 'taxIncludedCents'
  | 'earlierRateCents'
  | 'earlierRateTaxCents'
>;

export interface Amounts {
  grossCents: number;
  taxCents: number;
}

/** The amounts owed in a tax group. */
interface OwedRates {
  /** At each rate of the items. */
  present: (Amounts & { rateBasisPoints: number | null })[];
  /** The parts of the items that documents bill at earlier rates. */
  earlier: Amounts;
}

export function keyOf({ taxCodeId }: { taxCodeId: string | null }): string {
  return taxCodeId ?? GIVEN;
}

/** Returns the amount owed in each tax group: its active items, less its part of the waived amount. */
export function owedByGroup(items: readonly TaxedItem[], waivedCents = 0): TaxGroup[] {
  const groups = sumByGroup(
    items.map((item) => ({
      key: keyOf(item),
      taxCode: item.taxCode,
      grossCents: item.totalSellCents,
      taxCents: item.taxIncludedCents,
    })),
  );
  const parts = groups.map(({ grossCents }) => Math.max(0, grossCents));
  // A cancelled booking keeps its waived installments, although it has no active items.
  const waived = split(parts, Math.min(waivedCents, sumOf(parts)));
  return groups.map((group, index) => {
    const own = items.filter((item) => keyOf(item) === group.key);
    const { present, earlier } = owedAtRates(own, waived[index] ?? 0);
    return { ...group, ...sumOfAmounts([...present, earlier]) };
  });
}

/**
 * Returns the amounts owed at each rate of the items of one tax group. The waived part of the group reduces the present rates
 * in proportion, and the parts at earlier rates only beyond them, because documents already bill these. A rate at which the
 * items are negative, for example of a discount, keeps its amounts. `waived-tax.sql.ts` computes the same tax.
 */
export function owedAtRates(items: readonly TaxedItem[], waivedCents: number): OwedRates {
  const rates = [...new Set(items.map(({ taxRateBasisPoints }) => taxRateBasisPoints))].sort(
    (a, b) => (a ?? 0) - (b ?? 0),
  );
  const present = rates.map((rate) =>
    sumOfAmounts(items.flatMap((item) => (item.taxRateBasisPoints === rate ? presentPartOf(item) : []))),
  );
  const weights = present.map(({ grossCents }) => Math.max(0, grossCents));
  const presentCents = Math.min(waivedCents, sumOf(weights));
  const shares = spread(presentCents, weights);
  return {
    present: present.map((amounts, index) => ({
      rateBasisPoints: rates[index] ?? null,
      ...lessWaived(amounts, shares[index] ?? 0),
    })),
    earlier: lessWaived(sumOfAmounts(items.map(earlierPartOf)), waivedCents - presentCents),
  };
}

/** Returns the part of an item that documents bill at other rates, at most its price. */
export function earlierPartOf(item: TaxedItem): Amounts {
  const { totalSellCents, taxIncludedCents, earlierRateCents, earlierRateTaxCents } = item;
  if (Math.abs(totalSellCents) < Math.abs(earlierRateCents)) {
    return { grossCents: totalSellCents, taxCents: taxIncludedCents };
  }
  return { grossCents: earlierRateCents, taxCents: earlierRateTaxCents };
}

function presentPartOf(item: TaxedItem): Amounts {
  const { grossCents, taxCents } = earlierPartOf(item);
  return { grossCents: item.totalSellCents - grossCents, taxCents: item.taxIncludedCents - taxCents };
}

function lessWaived({ grossCents, taxCents }: Amounts, waivedCents: number): Amounts {
  return { grossCents: grossCents - waivedCents, taxCents: taxCents - shareOf(taxCents, waivedCents, grossCents) };
}

/** Returns the unbilled amounts in each tax group. */
export function restByGroup(owed: readonly TaxGroup[], billed: readonly TaxGroup[]): TaxGroup[] {
  const negated = billed.map((group) => ({ ...group, grossCents: -group.grossCents, taxCents: -group.taxCents }));
  return sumByGroup([...owed, ...negated]);
}

/** Returns the groups whose documents must be credited before more is billed. `rests` are from `restByGroup`. */
export function wronglyBilled(rests: readonly TaxGroup[]): TaxGroup[] {
  return rests.filter(({ grossCents, taxCents }) => grossCents < 0 || taxCents < 0 || taxCents > grossCents);
}

/**
 * Distributes the amount of a document, at most the sum of the rests, among the tax groups. Splits the gross by largest
 * remainder and the tax in proportion. A group that is billed completely gets the exact rest of its tax, so that the documents
 * of a booking add up to the tax of its items even if items changed between them. Omits groups of 0.
 */
export function allocateTax<Group extends TaxGroup>(rests: readonly Group[], amountCents: number): Group[] {
  const sorted = [...rests].sort(byCode);
  const shares = split(
    sorted.map(({ grossCents }) => grossCents),
    amountCents,
  );
  return sorted.flatMap((rest, index) => {
    const grossCents = shares[index] ?? 0;
    const isLast = grossCents === rest.grossCents;
    const taxCents = isLast ? rest.taxCents : shareOf(rest.taxCents, grossCents, rest.grossCents);
    return grossCents === 0 && taxCents === 0 ? [] : [{ ...rest, grossCents, taxCents }];
  });
}

/** Returns the groups in which the documents exceed the amount owed; empty if no credit is due. */
export function creditDueByGroup(
  items: readonly TaxedItem[],
  waivedCents: number,
  billed: readonly TaxGroup[],
): GroupCredit[] {
  const rests = restByGroup(owedByGroup(items, waivedCents), billed);
  return wronglyBilled(rests).map((rest) => {
    const grossCents = Math.max(0, -rest.grossCents);
    const taxCents = Math.max(0, -rest.taxCents);
    return { ...rest, grossCents, taxCents, wrongTax: rest.grossCents >= 0 || taxCents > grossCents };
  });
}

/**
 * Splits a cancellation fee that is payment for the services among their tax groups by gross, each taxed at the rates of its
 * items.
 */
export function feeByGroup(items: readonly TaxedItem[], feeCents: number): RatedGroup[] {
  const groups = owedByGroup(items);
  const shares = split(
    groups.map(({ grossCents }) => Math.max(0, grossCents)),
    feeCents,
  );
  return groups.flatMap((group, index) => {
    const own = items.filter((item) => keyOf(item) === group.key);
    const rates = [...new Set(own.map((item) => commonRate([item])))].sort((a, b) => (a ?? 0) - (b ?? 0));
    const parts = spread(
      shares[index] ?? 0,
      rates.map((rate) => sumOf(own.flatMap((item) => (commonRate([item]) === rate ? item.totalSellCents : [])))),
    );
    return rates.flatMap((rateBasisPoints, place) => {
      const grossCents = parts[place] ?? 0;
      if (grossCents === 0) return [];
      const taxCents =
        rateBasisPoints === null
          ? shareOf(group.taxCents, grossCents, group.grossCents)
          : includedTax(grossCents, rateBasisPoints);
      return [{ ...group, rateBasisPoints, grossCents, taxCents }];
    });
  });
}

/**
 * Returns the tax rate of all these items, in basis points; null if the rates differ, or if an item has none or shows no tax.
 */
export function commonRate(items: readonly Pick<TaxedItem, 'taxRateBasisPoints' | 'taxKind'>[]): number | null {
  const [first] = items;
  if (!first || first.taxKind === 'margin_scheme') return null;
  return items.every((item) => item.taxRateBasisPoints === first.taxRateBasisPoints) ? first.taxRateBasisPoints : null;
}

/** Returns the tax included in an amount, at a rate in basis points. */
export function includedTax(grossCents: number, rateBasisPoints: number): number {
  const rate = BigInt(rateBasisPoints);
  return Number(divideRounded(BigInt(grossCents) * rate, 10_000n + rate));
}

/** Sums by group, sorted by tax code with `given` last. */
export function sumByGroup(amounts: readonly TaxGroup[]): TaxGroup[] {
  const groups = new Map<string, TaxGroup>();
  for (const amount of amounts) {
    const group = groups.get(amount.key) ?? { ...amount, grossCents: 0, taxCents: 0 };
    group.grossCents += amount.grossCents;
    group.taxCents += amount.taxCents;
    groups.set(amount.key, group);
  }
  return [...groups.values()].sort(byCode);
}

/**
 * Splits an amount in proportion to parts that are not negative. Rounds each share down; the missing units go one each to the
 * largest remainders, and among equals to the later part first.
 */
export function split(parts: readonly number[], amountCents: number): number[] {
  const sum = parts.reduce((total, part) => total + BigInt(part), 0n);
  const amount = BigInt(amountCents);
  if (parts.some((part) => part < 0) || amount < 0n || amount > sum) {
    throw new RangeError(`Cannot split ${amountCents} among parts of ${sum}`);
  }
  if (sum === 0n) return parts.map(() => 0);
  const shares = parts.map((part, index) => {
    const product = BigInt(part) * amount;
    return { index, share: product / sum, rest: product % sum };
  });
  const missing = Number(amount - shares.reduce((total, { share }) => total + share, 0n));
  const byRest = [...shares].sort((a, b) => (a.rest === b.rest ? b.index - a.index : a.rest < b.rest ? 1 : -1));
  for (const part of byRest.slice(0, missing)) part.share += 1n;
  return shares.map(({ share }) => Number(share));
}

/** Splits an amount in proportion to weights by rounding the running sums. If all weights are 0, the first share gets it all. */
export function spread(cents: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  if (whole === 0n) return weights.map((_, index) => (index === 0 ? cents : 0));
  let [weighed, shared] = [0n, 0n];
  return weights.map((weight) => {
    weighed += BigInt(weight);
    const next = divideRounded(BigInt(cents) * weighed, whole);
    const share = Number(next - shared);
    shared = next;
    return share;
  });
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

export function sumOfAmounts(amounts: readonly Amounts[]): Amounts {
  return amounts.reduce<Amounts>(
    (sum, { grossCents, taxCents }) => ({ grossCents: sum.grossCents + grossCents, taxCents: sum.taxCents + taxCents }),
    { grossCents: 0, taxCents: 0 },
  );
}

export function shareOf(cents: number, part: number, whole: number): number {
  return whole === 0 ? 0 : Number(divideRounded(BigInt(cents) * BigInt(part), BigInt(whole)));
}

/** Compares by tax code, with `given` last. */
export function byCode(a: TaxGroup, b: TaxGroup): number {
  if (a.taxCode === b.taxCode) return a.key < b.key ? -1 : Number(a.key > b.key);
  if (a.taxCode === null) return 1;
  if (b.taxCode === null) return -1;
  return a.taxCode < b.taxCode ? -1 : 1;
}
