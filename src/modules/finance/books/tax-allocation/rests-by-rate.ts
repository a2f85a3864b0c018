import {
  type Amounts,
  commonRate,
  earlierPartOf,
  includedTax,
  keyOf,
  owedAtRates,
  owedByGroup,
  type RatedGroup,
  restByGroup,
  shareOf,
  spread,
  sumByGroup,
  sumOfAmounts as sumOf,
  type TaxedItem,
  type TaxGroup,
  wronglyBilled,
} from './tax-groups.js';

interface GroupSources {
  /** The live items of the tax group. */
  items: readonly TaxedItem[];
  /** The amounts that documents bill in the group, for each rate. */
  billed: readonly RatedGroup[];
}

/**
 * Returns the unbilled amounts of a tax group, one for each rate of its items and of documents that bill too much at another
 * rate. Amounts that documents bill at earlier rates belong to these rates. The amounts add up to the rest; one is negative if
 * documents bill more at its rate than is owed at it. A group without rates, such as one under the margin scheme, is one amount.
 */
export function restsByRate(rest: TaxGroup, { items, billed }: GroupSources): RatedGroup[] {
  const [first] = items;
  const isRated = first !== undefined && first.taxCodeId !== null && first.taxKind !== 'margin_scheme';
  if (first && !isRated) return [{ ...rest, rateBasisPoints: null }];
  const waivedCents = sumOf(items.map(amountsOf)).grossCents - sumOf(billed).grossCents - rest.grossCents;
  const { present, earlier } = owedAtRates(items, waivedCents);
  const common = commonRate(items);
  const own = new Set(items.flatMap(({ taxRateBasisPoints }) => taxRateBasisPoints ?? []));
  const others = [...new Set(billed.flatMap(({ rateBasisPoints }) => rateBasisPoints ?? []))].filter(
    (rate) => !own.has(rate),
  );
  const at = (rate: number | null) => sumOf(billed.filter(({ rateBasisPoints }) => rateBasisPoints === rate));
  const atOthers = sumOf(others.map(at));
  // A discount that was billed at another rate and is no longer sold is billed again at that rate.
  const areOthersEarlier = [...others.map(at), atOthers].every(
    ({ grossCents }) => within(earlier.grossCents, grossCents) === grossCents,
  );
  if (common !== null && areOthersEarlier) {
    const billedCents = atOthers.grossCents + at(null).grossCents;
    // Without an earlier part, lines that show no rate are at the current one.
    return [{ ...rest, rateBasisPoints: Math.abs(earlier.grossCents) > Math.abs(billedCents) ? null : common }];
  }
  const rates = [...own, ...others].sort((a, b) => a - b);
  if (rates.length === 0) return [{ ...rest, rateBasisPoints: null }];

  let left = earlier;
  const earlierAt = new Map<number | null, Amounts>();
  for (const rate of [...others, null]) {
    const part = atMost(at(rate), left.grossCents);
    earlierAt.set(rate, part);
    left = minus(left, part);
  }
  // If other items now have the rate of a part, the billed amounts at that rate also belong to those items.
  const shared = rates.find((rate) => {
    const isOthers = items.some((item) => item.taxRateBasisPoints !== rate && earlierPartOf(item).grossCents !== 0);
    return own.has(rate) && at(rate).grossCents !== 0 && isOthers;
  });
  if (shared !== undefined) earlierAt.set(shared, left);
  const open = rates.map((rate) => {
    const owed = present.filter(({ rateBasisPoints }) => rateBasisPoints === rate);
    return minus(sumOf([...owed, earlierAt.get(rate) ?? NOTHING]), at(rate));
  });
  // Lines without a rate reduce the unbilled amounts.
  const unrated = spread(sumOf(open).grossCents - rest.grossCents, weightsOf(open));
  const amounts = open.map(({ grossCents, taxCents }, index) => {
    const cents = unrated[index] ?? 0;
    return { grossCents: grossCents - cents, taxCents: taxCents - includedTax(cents, rates[index] ?? 0) };
  });
  return inGroup(rest, rates, amounts);
}

/** An amount to credit at a rate. */
export interface RateCredit extends RatedGroup {
  /** The part beyond the lines at this rate: a discount at a rate that no document bills. */
  unbilled: Amounts;
}

/** Returns the excess that documents bill in each tax group and at each rate; the amounts are not negative. */
export function creditDueByRate(
  items: readonly TaxedItem[],
  waivedCents: number,
  billed: readonly RatedGroup[],
): RateCredit[] {
  return openGroups(items, waivedCents, billed).flatMap(({ rest, open, sources }) => {
    if (wronglyBilled([rest]).length === 0) {
      return wronglyBilledRates(open, sources.billed).map((group) => ({ ...negated(group), unbilled: NOTHING }));
    }
    return open
      .filter(({ grossCents }) => grossCents < 0)
      .map(negated)
      .map((group) => ({ ...group, unbilled: unbilledPartOf(group, sources.billed) }));
  });
}

function unbilledPartOf(due: RatedGroup, billed: readonly RatedGroup[]): Amounts {
  const lines = sumOf(
    billed.filter(
      ({ rateBasisPoints: rate, grossCents: cents }) => cents > 0 && (rate === null || rate === due.rateBasisPoints),
    ),
  );
  const { grossCents, taxCents } = minus(due, lines);
  return due.rateBasisPoints === null || grossCents <= 0 ? NOTHING : { grossCents, taxCents: Math.max(0, taxCents) };
}

/** Returns the rates with excess billing in tax groups that are not billed in excess; the amounts are not negative. */
export function rateExcesses(
  items: readonly TaxedItem[],
  waivedCents: number,
  billed: readonly RatedGroup[],
): RatedGroup[] {
  return openGroups(items, waivedCents, billed).flatMap(({ rest, open, sources }) =>
    wronglyBilled([rest]).length > 0 ? [] : wronglyBilledRates(open, sources.billed).map(negated),
  );
}

/** Returns the unbilled amounts of each tax group, in total and at each rate. */
function openGroups(
  items: readonly TaxedItem[],
  waivedCents: number,
  billed: readonly RatedGroup[],
): { rest: TaxGroup; open: RatedGroup[]; sources: GroupSources }[] {
  return restByGroup(owedByGroup(items, waivedCents), sumByGroup(billed)).map((rest) => {
    const own = items.filter((item) => keyOf(item) === rest.key);
    const sources = { items: own, billed: billed.filter(({ key }) => key === rest.key) };
    return { rest, open: restsByRate(rest, sources), sources };
  });
}

/** Returns the excess at each rate at which documents bill more than is owed, although their tax group has an unbilled rest. */
export function wronglyBilledRates(open: readonly RatedGroup[], billed: readonly RatedGroup[]): RatedGroup[] {
  return open.flatMap((group) => {
    const atRate = billed.filter(({ rateBasisPoints }) => rateBasisPoints === group.rateBasisPoints);
    const overCents = Math.min(-group.grossCents, sumOf(atRate).grossCents);
    if (group.rateBasisPoints === null || overCents <= 0) return [];
    return [{ ...group, grossCents: -overCents, taxCents: shareOf(group.taxCents, -overCents, group.grossCents) }];
  });
}

function negated(group: RatedGroup): RatedGroup {
  return { ...group, grossCents: -group.grossCents, taxCents: Math.max(0, -group.taxCents) };
}

/**
 * Returns whether lines of one rate can be credited for an amount due at another rate. They can if no item has the rate of the
 * line any more, because items then count as billed at it, and if the line has no rate.
 */
export function isCreditableAt(
  lineRate: number | null,
  dueRate: number | null,
  present: ReadonlySet<number | null>,
): boolean {
  return (
    dueRate === null || lineRate === null || lineRate === dueRate || (present.has(dueRate) && !present.has(lineRate))
  );
}

/** Splits a part of a tax group in proportion to the open amounts at each rate; the whole group gets exactly the open amounts. */
export function partAtRates(open: readonly RatedGroup[], part: TaxGroup): RatedGroup[] {
  const shares = spread(
    part.grossCents,
    open.map(({ grossCents }) => grossCents),
  );
  const amounts = open.map((rest, index) => {
    const grossCents = shares[index] ?? 0;
    return { grossCents, taxCents: shareOf(rest.taxCents, grossCents, rest.grossCents) };
  });
  return inGroup(
    part,
    open.map(({ rateBasisPoints }) => rateBasisPoints),
    amounts,
  );
}

const NOTHING: Amounts = { grossCents: 0, taxCents: 0 };

/**
 * Returns the amounts of a tax group with taxes that add up to exactly its tax. The rounding difference goes to the largest
 * amount first; no tax exceeds its amount.
 */
function inGroup(group: TaxGroup, rates: readonly (number | null)[], amounts: readonly Amounts[]): RatedGroup[] {
  const taxes = amounts.map(({ grossCents, taxCents }) => within(grossCents, taxCents));
  let left = group.taxCents - taxes.reduce((sum, cents) => sum + cents, 0);
  const largestFirst = amounts
    .map((_, index) => index)
    .sort((a, b) => Math.abs(amounts[b]?.grossCents ?? 0) - Math.abs(amounts[a]?.grossCents ?? 0));
  for (const index of largestFirst) {
    const before = taxes[index] ?? 0;
    const after = within(amounts[index]?.grossCents ?? 0, before + left);
    taxes[index] = after;
    left -= after - before;
  }
  return amounts.flatMap(({ grossCents }, index) =>
    grossCents === 0
      ? []
      : [{ ...group, rateBasisPoints: rates[index] ?? null, grossCents, taxCents: taxes[index] ?? 0 }],
  );
}

function amountsOf({ totalSellCents: grossCents, taxIncludedCents: taxCents }: TaxedItem): Amounts {
  return { grossCents, taxCents };
}

function weightsOf(amounts: readonly Amounts[]): number[] {
  return amounts.map(({ grossCents }) => Math.max(0, grossCents));
}

function minus(of: Amounts, less: Amounts): Amounts {
  return { grossCents: of.grossCents - less.grossCents, taxCents: of.taxCents - less.taxCents };
}

/** Limits an amount to between 0 and the limit. */
function within(limitCents: number, cents: number): number {
  return Math.min(Math.max(0, limitCents), Math.max(Math.min(0, limitCents), cents));
}

/** Limits amounts to this gross, and their tax in proportion. */
function atMost(amounts: Amounts, limitCents: number): Amounts {
  const grossCents = within(amounts.grossCents, limitCents);
  return { grossCents, taxCents: shareOf(amounts.taxCents, grossCents, amounts.grossCents) };
}
