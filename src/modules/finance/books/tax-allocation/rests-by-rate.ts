import { divideRounded } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import { commonRate, type RatedGroup, split, type TaxGroup } from './tax-groups.js';

interface Amounts {
  grossCents: number;
  taxCents: number;
}

interface GroupSources {
  /** The live items of the tax group. */
  items: readonly BookingItemSummary[];
  /** The amounts that documents bill in the group, for each rate. */
  billed: readonly RatedGroup[];
}

/**
 * Returns the unbilled amounts of a tax group, separately for each rate of its items. Amounts that documents bill at earlier
 * rates belong to these rates. A rest that the rates do not explain, and one under the margin scheme, stays one amount without
 * a rate.
 */
export function restsByRate(rest: TaxGroup, { items, billed }: GroupSources): RatedGroup[] {
  const whole = { ...rest, rateBasisPoints: null };
  const [first] = items;
  if (!first || first.taxCodeId === null || first.taxKind === 'margin_scheme') return [whole];
  const common = commonRate(items);
  const parts = items.map(earlierPartOf);
  if (common !== null) {
    const earlierCents = sumOf(parts).grossCents;
    const billedCents = sumOf(billed.filter(({ rateBasisPoints }) => rateBasisPoints !== common)).grossCents;
    // Without an earlier part, lines that show no rate are at the current one.
    return [{ ...rest, rateBasisPoints: Math.abs(earlierCents) > Math.abs(billedCents) ? null : common }];
  }
  // Items that were sold with rates of several days share one amount.
  if (rest.grossCents === 0 || parts.every(({ grossCents }) => grossCents === 0)) return [whole];

  const rates = [...new Set(items.map(({ taxRateBasisPoints }) => taxRateBasisPoints))].sort(
    (a, b) => (a ?? 0) - (b ?? 0),
  );
  const at = (rate: number | null) => sumOf(billed.filter(({ rateBasisPoints }) => rateBasisPoints === rate));
  const elsewhere = sumOf(billed.filter(({ rateBasisPoints }) => !rates.includes(rateBasisPoints)));
  const earlier = minus(sumOf(parts), elsewhere);
  // If other items now have the rate of a part, the billed amounts at that rate also belong to those items.
  const shared = rates.find((rate) => {
    const isOthers = items.some((item, index) => item.taxRateBasisPoints !== rate && parts[index]?.grossCents !== 0);
    return at(rate).grossCents !== 0 && isOthers;
  });
  const open = rates.map((rate) => {
    const own = items.flatMap((item, index) => {
      const amounts = { grossCents: item.totalSellCents, taxCents: item.taxIncludedCents };
      return item.taxRateBasisPoints === rate ? [minus(amounts, parts[index] ?? NOTHING)] : [];
    });
    return minus(sumOf([...own, ...(rate === shared && shared !== undefined ? [earlier] : [])]), at(rate));
  });
  return inRates(rest, rates, open) ?? [whole];
}

const NOTHING: Amounts = { grossCents: 0, taxCents: 0 };

/** Splits the rest in proportion to the open amount at each rate; null if an amount does not fit. */
function inRates(rest: TaxGroup, rates: readonly (number | null)[], open: readonly Amounts[]): RatedGroup[] | null {
  const openCents = sumOf(open).grossCents;
  if (open.some(({ grossCents }) => grossCents < 0) || openCents < rest.grossCents) return null;
  const shares = split(
    open.map(({ grossCents }) => grossCents),
    rest.grossCents,
  );
  const last = shares.findLastIndex((cents) => cents > 0);
  let taxCents = rest.taxCents;
  const groups = shares.map((grossCents, index) => {
    const own = open[index] ?? NOTHING;
    const share = index === last ? taxCents : shareOf(own.taxCents, grossCents, own.grossCents);
    taxCents -= share;
    return { ...rest, rateBasisPoints: rates[index] ?? null, grossCents, taxCents: share };
  });
  const isFitting = groups.every((group) => group.taxCents >= 0 && group.taxCents <= group.grossCents);
  return isFitting ? groups.filter(({ grossCents }) => grossCents > 0) : null;
}

/** Returns the part of an item that documents bill at other rates, at most its price. */
function earlierPartOf(item: BookingItemSummary): Amounts {
  const { totalSellCents, taxIncludedCents, earlierRateCents, earlierRateTaxCents } = item;
  if (Math.abs(totalSellCents) < Math.abs(earlierRateCents)) {
    return { grossCents: totalSellCents, taxCents: taxIncludedCents };
  }
  return { grossCents: earlierRateCents, taxCents: earlierRateTaxCents };
}

function sumOf(amounts: readonly Amounts[]): Amounts {
  return amounts.reduce(
    (sum, { grossCents, taxCents }) => ({ grossCents: sum.grossCents + grossCents, taxCents: sum.taxCents + taxCents }),
    NOTHING,
  );
}

function minus(of: Amounts, less: Amounts): Amounts {
  return { grossCents: of.grossCents - less.grossCents, taxCents: of.taxCents - less.taxCents };
}

function shareOf(cents: number, part: number, whole: number): number {
  return whole === 0 ? 0 : Number(divideRounded(BigInt(cents) * BigInt(part), BigInt(whole)));
}
