import { divideRounded } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import { keyOf, type TaxGroup } from '../../books/index.js';
import type { LineInput } from './line-amounts.js';
import { toInput } from './new-draft.js';

/** A line of a corrected invoice that its replacement repeats. */
export type KeptLine = LineInput & { taxCodeId: string; totalCents: number };

/**
 * Returns the lines of a corrected invoice at rates that no item of their tax group still has. The replacement keeps that rate,
 * because the amounts were taxed with it when they were billed. If less is billed now, makes one line for each tax group and
 * rate.
 */
export function keptLines(
  replaced: readonly PricedLine[],
  {
    items,
    rests,
    amountCents,
  }: { items: readonly BookingItemSummary[]; rests: readonly TaxGroup[]; amountCents: number },
): KeptLine[] {
  const groups = new Map<string, PricedLine[]>();
  for (const line of replaced.filter((each) => isAtEarlierRate(each, items))) {
    const key = `${keyOf(line)} ${line.taxRateBasisPoints}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const left = new Map(rests.map(({ key, grossCents }) => [key, Math.max(0, grossCents)]));
  let openCents = amountCents;
  return [...groups.values()].flatMap((lines) => {
    const [key, wholeCents] = [lines[0] ? keyOf(lines[0]) : '', sumOf(lines).totalCents];
    const cents = Math.min(wholeCents, left.get(key) ?? 0, openCents);
    if (cents <= 0) return [];
    openCents -= cents;
    left.set(key, (left.get(key) ?? 0) - cents);
    return cents === wholeCents ? lines.flatMap((line) => keptLine(line, items)) : partOf(lines, cents);
  });
}

function isAtEarlierRate(line: PricedLine, items: readonly BookingItemSummary[]): boolean {
  const { taxCodeId, taxKind, taxRateBasisPoints: rate } = line;
  if (taxCodeId === null || rate === null || taxKind === 'margin_scheme') return false;
  const own = items.filter((item) => keyOf(item) === keyOf(line));
  return own.length > 0 && own.every((item) => item.taxRateBasisPoints !== rate);
}

function keptLine(line: PricedLine, items: readonly BookingItemSummary[]): KeptLine[] {
  const { taxCodeId, taxCode, taxKind, mention, netCents, totalCents } = line;
  if (taxCodeId === null) return [];
  return [{ ...toInput(line, items), taxCodeId, taxCode, taxKind, mention, netCents, totalCents }];
}

/** Makes one line for a part of these lines of one tax group and rate. */
function partOf(lines: readonly PricedLine[], cents: number): KeptLine[] {
  const [line] = lines;
  const { totalCents, taxCents } = sumOf(lines);
  if (!line || line.taxCodeId === null) return [];
  const part = divideRounded(BigInt(taxCents) * BigInt(cents), BigInt(totalCents));
  const amounts = { quantity: '1', priceBasis: 'allocated' as const, unitPriceCents: cents, taxCents: Number(part) };
  return keptLine({ ...line, ...amounts, netCents: cents - Number(part), totalCents: cents }, []);
}

function sumOf(lines: readonly PricedLine[]): { totalCents: number; taxCents: number } {
  return lines.reduce(
    (sum, line) => ({ totalCents: sum.totalCents + line.totalCents, taxCents: sum.taxCents + line.taxCents }),
    { totalCents: 0, taxCents: 0 },
  );
}
