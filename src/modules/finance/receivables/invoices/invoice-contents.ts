import { conflict, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { divideRounded } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import type { TaxMention } from '../../../taxes/index.js';
import type { InvoiceTotals, PricedLine } from '../account/billing-document.entity.js';
import type { LockedPlan } from '../account/locked-plan.js';
import type { PaymentSchedule } from '../account/payment-schedule.entity.js';
import {
  allocateTax,
  keyOf,
  owedByGroup,
  partAtRates,
  type RatedGroup,
  restByGroup,
  restsByRate,
  wronglyBilledRates,
  type TaxGroup,
  wronglyBilled,
} from '../../books/index.js';
import { keptLines } from './kept-lines.js';
import { type LineInput, mismatch, priceLines, totalsOf } from './line-amounts.js';

export interface Contents {
  lines: PricedLine[];
  totals: InvoiceTotals;
  /** The due date of the installment; null without an installment. */
  dueDate: string | null;
}

/** The sources of a booking's invoices, read with the booking locked. */
export interface InvoiceSources {
  plan: LockedPlan | null;
  /** The items that are not cancelled. */
  items: readonly BookingItemSummary[];
  /** Amounts already billed, per tax group and rate. */
  billed: readonly RatedGroup[];
  /** The part of these amounts for fees outside the scope of the tax. */
  billedFeeCents: number;
  /** The fields of the items' tax codes shown on documents, by id. */
  mentions: ReadonlyMap<string, TaxMention>;
  /** Fees for cancelled items are a compensation, outside the scope of the tax. */
  areFeesUntaxed: boolean;
}

interface Requested extends Partial<InvoiceTotals> {
  scheduleId: string | null;
  /** If omitted, the price of the booking or the installment. */
  lines?: readonly LineInput[];
  /** Lines of the corrected invoice that these lines replace. */
  replaced?: readonly PricedLine[];
}

/** Thrown if documents bill more than is owed, or with a different tax; the caller knows the documents. */
export class WronglyBilledError extends Error {
  constructor(readonly groups: readonly (TaxGroup & Partial<RatedGroup>)[]) {
    super('Documents of the booking must be credited first');
  }
}

/** Returns the contents of an invoice for the items of a booking, an installment of its plan, or given lines. */
export function contentsOf(
  sources: InvoiceSources,
  { scheduleId, lines: given, replaced = [], ...stated }: Requested,
): Contents {
  const installment = scheduleId === null ? null : invoicedInstallment(sources.plan, scheduleId);
  if (given) assertItems(given, sources.items);
  const lines = priceLines(
    given ?? (installment ? linesOfInstallment(installment, sources, replaced) : linesOfRest(sources, replaced)),
  );
  const totals = totalsOf(lines, stated);
  if (installment && totals.totalCents !== installment.amountCents) {
    throw mismatch('lines', { expected: installment.amountCents, actual: totals.totalCents });
  }
  return { lines, totals, dueDate: installment?.dueDate ?? null };
}

function invoicedInstallment(plan: LockedPlan | null, scheduleId: string): PaymentSchedule {
  const installment = plan?.find(scheduleId);
  if (!installment) throw notFound({ field: 'scheduleId' });
  if (installment.status === 'cancelled') throw conflict('schedule_cancelled', 'The installment is cancelled');
  return installment;
}

function linesOfInstallment(
  { label, amountCents }: PaymentSchedule,
  sources: InvoiceSources,
  replaced: readonly PricedLine[],
): LineInput[] {
  return allocatedLines(label, amountCents, sources, replaced);
}

/** Makes one line per item, or per tax group if a part of the booking is already billed or was waived. */
function linesOfRest(sources: InvoiceSources, replaced: readonly PricedLine[]): LineInput[] {
  const { items, billed, plan, mentions } = sources;
  if (items.length === 0) throw conflict('booking_not_priced', 'The booking has no items to invoice');
  const isKept =
    keptLines(replaced, { items, rests: restsOf(sources), amountCents: sumOf(restsOf(sources)) }).length > 0;
  const isInParts = isKept || billed.some(isSomething) || (plan?.waivedCents() ?? 0) > 0;
  const restCents = isInParts ? sumOf(restsOf(sources)) : 0;
  if (restCents > 0) return allocatedLines(null, restCents, sources, replaced);
  return items.map((item) => ({
    bookingItemId: item.id,
    description: item.title,
    quantity: String(item.quantity),
    priceBasis: 'gross',
    unitPriceCents: item.unitSellCents,
    taxCents: item.taxIncludedCents,
    ...taxOf([item], mentions, item.earlierRateCents === 0 ? item.taxRateBasisPoints : null),
    ...(sources.areFeesUntaxed && isUntaxedFee(item) ? { taxKind: 'outside_scope' } : {}),
    serviceDate: item.serviceDate,
  }));
}

/**
 * Makes lines for a part of the booking's price: one for each tax group and rate, which names the trip and its day. If they
 * replace a corrected invoice, its lines at an earlier rate are kept.
 */
function allocatedLines(
  label: string | null,
  amountCents: number,
  sources: InvoiceSources,
  replaced: readonly PricedLine[],
): LineInput[] {
  const rests = restsOf(sources);
  const wrong = wronglyBilled(rests);
  if (wrong.length > 0) throw new WronglyBilledError(wrong);
  const restCents = sumOf(rests);
  if (amountCents > restCents) {
    const details = { field: 'totalCents', restCents, totalCents: amountCents };
    throw unprocessable('invoice_exceeds_booking', 'Total invoiced would exceed the booking total', details);
  }
  const kept = keptLines(replaced, { items: sources.items, rests, amountCents });
  const keptCents = (key?: string) =>
    kept.reduce((sum, line) => sum + (key === undefined || keyOf(line) === key ? line.totalCents : 0), 0);
  const open = rests.map((rest) => lessKept(rest, keptCents(rest.key)));
  const atRates = ratedRests(rests, sources);
  const parts = allocateTax(open, amountCents - keptCents()).flatMap((part) =>
    partAtRates(atRates.get(part.key) ?? [], part),
  );
  const lines = parts.flatMap(({ key, rateBasisPoints, grossCents, taxCents }) => {
    const ofGroup = sources.items.filter((item) => keyOf(item) === key);
    const atRate = ofGroup.filter((item) => rateBasisPoints !== null && item.taxRateBasisPoints === rateBasisPoints);
    const all = atRate.length === 0 ? ofGroup : atRate;
    const fees = sources.areFeesUntaxed ? all.filter(isUntaxedFee) : [];
    const openCents = rests.find((rest) => rest.key === key)?.grossCents ?? 0;
    const openFeeCents = fees.length === 0 ? 0 : Math.max(0, sumOfItems(fees) - sources.billedFeeCents);
    const feeCents = feesWithin({ grossCents, taxCents }, openFeeCents, openCents);
    const items = fees.length === all.length ? all : all.filter((item) => !fees.includes(item));
    const line = { priceBasis: 'allocated' } as const;
    const supply = {
      ...line,
      description: describe(label, items),
      ...{ unitPriceCents: grossCents - feeCents, taxCents },
      ...taxOf(items, sources.mentions, rateBasisPoints),
      ...daysOf(items),
    };
    const fee = { ...line, description: describe(label, fees), unitPriceCents: feeCents, taxCents: 0 };
    return [
      ...(grossCents === feeCents && feeCents > 0 ? [] : [supply]),
      ...(feeCents === 0 ? [] : [{ ...fee, taxKind: 'outside_scope' as const }]),
    ];
  });
  return [...kept, ...lines];
}

/**
 * Splits the rests by rate, because a line has one rate. Throws if too much is billed at a rate: an invoice does not correct
 * other documents, so this rate must be credited first.
 */
function ratedRests(rests: readonly TaxGroup[], { items, billed }: InvoiceSources): Map<string, RatedGroup[]> {
  const wrong: RatedGroup[] = [];
  const rated = rests.map((rest): [string, RatedGroup[]] => {
    const ofGroup = billed.filter(({ key }) => key === rest.key);
    const open = restsByRate(rest, { items: items.filter((item) => keyOf(item) === rest.key), billed: ofGroup });
    wrong.push(...wronglyBilledRates(open, ofGroup));
    return [rest.key, open];
  });
  if (wrong.length > 0) throw new WronglyBilledError(wrong);
  return new Map(rated);
}

/** Returns the rest of a tax group beside kept lines; its tax is at the current rates. */
function lessKept(rest: TaxGroup, keptCents: number): TaxGroup {
  if (keptCents === 0) return rest;
  const grossCents = rest.grossCents - keptCents;
  const taxCents = Number(divideRounded(BigInt(rest.taxCents) * BigInt(grossCents), BigInt(rest.grossCents)));
  return { ...rest, grossCents, taxCents };
}

/** Returns whether the item is a fee for a cancelled one, and not the price of a supply. */
export function isUntaxedFee({ feeOfItemId, taxCodeId, taxIncludedCents }: BookingItemSummary): boolean {
  return feeOfItemId !== null && taxCodeId === null && taxIncludedCents === 0;
}

/**
 * Returns the part of an amount without a tax code that is for fees, in proportion to the unbilled amounts; the rest contains
 * all of the tax.
 */
function feesWithin(
  { grossCents, taxCents }: { grossCents: number; taxCents: number },
  openFeeCents: number,
  openCents: number,
): number {
  if (openFeeCents === 0 || openCents <= 0) return 0;
  const share = Number(
    divideRounded(BigInt(grossCents) * BigInt(Math.min(openFeeCents, openCents)), BigInt(openCents)),
  );
  return Math.max(0, Math.min(share, grossCents - taxCents));
}

function sumOfItems(items: readonly BookingItemSummary[]): number {
  return items.reduce((sum, { totalSellCents }) => sum + totalSellCents, 0);
}

function restsOf({ items, plan, billed }: InvoiceSources): TaxGroup[] {
  return restByGroup(owedByGroup(items, plan?.waivedCents() ?? 0), billed);
}

/**
 * Returns the tax code that a line copies from its items, and the rate of its amount; a line under the margin scheme shows
 * none.
 */
function taxOf(
  items: readonly BookingItemSummary[],
  mentions: ReadonlyMap<string, TaxMention>,
  rateBasisPoints: number | null,
) {
  const [{ taxCodeId, taxCode, taxKind } = { taxCodeId: null, taxCode: null, taxKind: null }] = items;
  const mention = taxCodeId === null ? null : (mentions.get(taxCodeId)?.mention ?? null);
  const taxRateBasisPoints = taxKind === 'margin_scheme' ? null : rateBasisPoints;
  return { taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention };
}

function describe(label: string | null, items: readonly BookingItemSummary[]): string {
  const byDay = [...items].sort((a, b) => ((a.serviceDate ?? '9') < (b.serviceDate ?? '9') ? -1 : 1));
  const main = byDay.find(({ totalSellCents }) => totalSellCents > 0) ?? byDay[0];
  const service = main && [main.title, ...(main.serviceDate === null ? [] : [main.serviceDate])].join(', ');
  return [label, service].filter(Boolean).join(': ');
}

function daysOf(items: readonly BookingItemSummary[]): { serviceDate: string | null; serviceEndDate: string | null } {
  const days = items.flatMap(({ serviceDate }) => serviceDate ?? []).sort();
  const [first = null, last = null] = [days[0], days.at(-1)];
  return { serviceDate: first, serviceEndDate: last === first ? null : last };
}

function sumOf(groups: readonly TaxGroup[]): number {
  return groups.reduce((sum, { grossCents }) => sum + grossCents, 0);
}

function isSomething({ grossCents, taxCents }: TaxGroup): boolean {
  return grossCents !== 0 || taxCents !== 0;
}

function assertItems(lines: readonly LineInput[], items: readonly BookingItemSummary[]): void {
  const known = new Set(items.map(({ id }) => id));
  for (const [index, { bookingItemId }] of lines.entries()) {
    if (bookingItemId != null && !known.has(bookingItemId)) throw notFound({ field: `lines.${index}.bookingItemId` });
  }
}
