import { invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { divideRounded, parseDecimal } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import { isCreditableAt, type RatedGroup } from '../../books/index.js';
import type { PricedLine } from '../account/invoice.entity.js';

/** A line of an invoice with its uncredited rest, which has the sign of the line. */
export interface CreditableLine {
  position: number;
  line: PricedLine;
  restCents: number;
  restTaxCents: number;
}

/** The part of a line to credit: an amount with tax, a quantity, or by default the whole rest. */
export interface RequestedCredit {
  linePosition: number;
  amountCents?: number;
  quantity?: string;
}

/** Lines of credit notes; `originalPosition` names the line of the invoice. */
export function creditableLines(
  lines: readonly PricedLine[],
  credited: readonly Pick<PricedLine, 'originalPosition' | 'totalCents' | 'taxCents'>[],
): CreditableLine[] {
  return lines.map((line, index) => {
    const position = index + 1;
    const own = credited.filter(({ originalPosition }) => originalPosition === position);
    return {
      position,
      line,
      restCents: line.totalCents - sum(own, ({ totalCents }) => totalCents),
      restTaxCents: line.taxCents - sum(own, ({ taxCents }) => taxCents),
    };
  });
}

export function requestedCredits(
  rests: readonly CreditableLine[],
  requested: readonly RequestedCredit[],
): PricedLine[] {
  const seen = new Set<number>();
  return requested.map((credit, index) => {
    const path = `lines.${index}`;
    const rest = rests.find(({ position }) => position === credit.linePosition);
    if (!rest) throw notFound({ field: `${path}.linePosition` });
    if (seen.has(rest.position)) throw invalidField(`${path}.linePosition`, 'Duplicate line', 'duplicate_line');
    seen.add(rest.position);
    const amountCents = amountOf(credit, rest, path);
    if (amountCents === 0) throw invalidField(`${path}.amountCents`, 'The amount must not be 0', 'amount_zero');
    if (Math.sign(amountCents) === -Math.sign(rest.line.totalCents)) {
      throw invalidField(`${path}.amountCents`, 'The amount must have the sign of the line', 'sign_of_line');
    }
    if (Math.abs(amountCents) > Math.abs(rest.restCents)) throw overCredited(rest.restCents);
    return creditOf(rest, amountCents, taxOf(rest, amountCents));
  });
}

/** Credits the whole rest of the lines. */
export function fullCredits(rests: readonly CreditableLine[]): PricedLine[] {
  return rests
    .filter(({ restCents, restTaxCents }) => restCents !== 0 || restTaxCents !== 0)
    .map((rest) => creditOf(rest, rest.restCents, rest.restTaxCents));
}

interface CreditedAmounts {
  totalCents: number;
  taxCents: number;
}

/**
 * Credits the amounts due in one tax group: for each rate first the lines at that rate, and among them lines of items that are no
 * longer sold or cost less, then the last lines. A partly credited line is taxed at its own rate. If that is the rate of the
 * amount due, the line takes the tax that the fully credited lines leave, so that the sum of the tax is exact.
 */
export function creditsOver(
  rests: readonly CreditableLine[],
  due: readonly RatedGroup[],
  items: readonly Pick<BookingItemSummary, 'id' | 'totalSellCents' | 'taxRateBasisPoints'>[],
): PricedLine[] {
  const present = new Set(items.map(({ taxRateBasisPoints }) => taxRateBasisPoints));
  const credited = new Map<number, CreditedAmounts>();
  for (const { rateBasisPoints: rate, grossCents, taxCents } of due) {
    const isAtRate = ({ line }: CreditableLine) => rate === null || line.taxRateBasisPoints === rate;
    const lines = rests
      .map((each) => lessCredited(each, credited.get(each.position)))
      .filter(({ line }) => isCreditableAt(line.taxRateBasisPoints, rate, present))
      .reverse()
      .sort((a, b) => Number(isAtRate(b)) - Number(isAtRate(a)) || orderOf(a, items) - orderOf(b, items));
    const restCents = sum(lines, (each) => each.restCents);
    // Lines of discounts are credited only together with all other lines.
    const isWhole = restCents > 0 && grossCents >= restCents;
    let left = { totalCents: isWhole ? restCents : grossCents, taxCents };
    for (const each of isWhole ? lines : lines.filter((line) => line.restCents > 0)) {
      const part = isWhole ? { totalCents: each.restCents, taxCents: each.restTaxCents } : partOf(each, left, rate);
      credited.set(each.position, plus(credited.get(each.position) ?? NOTHING, part));
      left = { totalCents: left.totalCents - part.totalCents, taxCents: left.taxCents - part.taxCents };
    }
  }
  return rests.flatMap((each) => {
    const { totalCents, taxCents } = credited.get(each.position) ?? NOTHING;
    return totalCents === 0 && taxCents === 0 ? [] : [creditOf(each, totalCents, taxCents)];
  });
}

const NOTHING: CreditedAmounts = { totalCents: 0, taxCents: 0 };

/** Returns the part of a line to credit for the rest of the amount due at a rate. */
function partOf(rest: CreditableLine, left: CreditedAmounts, dueRate: number | null): CreditedAmounts {
  const { line, restCents, restTaxCents } = rest;
  const totalCents = Math.min(left.totalCents, restCents);
  const { taxRateBasisPoints: rate } = line;
  const hasOtherRate = rate !== null && dueRate !== null && rate !== dueRate;
  if (totalCents === restCents || hasOtherRate) return { totalCents, taxCents: taxOf(rest, totalCents) };
  return { totalCents, taxCents: Math.min(Math.max(0, left.taxCents), restTaxCents, totalCents) };
}

function lessCredited(rest: CreditableLine, { totalCents, taxCents }: CreditedAmounts = NOTHING): CreditableLine {
  return { ...rest, restCents: rest.restCents - totalCents, restTaxCents: rest.restTaxCents - taxCents };
}

function plus(one: CreditedAmounts, other: CreditedAmounts): CreditedAmounts {
  return { totalCents: one.totalCents + other.totalCents, taxCents: one.taxCents + other.taxCents };
}

/**
 * Returns 0 if the item of the line is no longer sold, 1 if it costs less than the rest of the line, and 2 for all other lines.
 */
function orderOf(
  { line: { bookingItemId }, restCents }: CreditableLine,
  items: readonly Pick<BookingItemSummary, 'id' | 'totalSellCents'>[],
): number {
  if (bookingItemId === null) return 2;
  const item = items.find(({ id }) => id === bookingItemId);
  if (!item) return 0;
  return item.totalSellCents < restCents ? 1 : 2;
}

/** Makes the error for more than the creditable amount. */
export function overCredited(available: number) {
  return unprocessable('over_credited', 'The credit note exceeds what can be credited', { field: 'lines', available });
}

/** Returns all remaining tax if the whole rest is credited, otherwise its share, so that the parts add up. */
function taxOf({ restCents, restTaxCents }: CreditableLine, amountCents: number): number {
  if (amountCents === restCents) return restTaxCents;
  return Number(divideRounded(BigInt(restTaxCents) * BigInt(amountCents), BigInt(restCents)));
}

function amountOf(
  { amountCents, quantity }: RequestedCredit,
  { line, restCents }: CreditableLine,
  path: string,
): number {
  if (amountCents !== undefined && quantity !== undefined) {
    throw invalidField(`${path}.quantity`, 'Send amountCents or quantity', 'amount_and_quantity');
  }
  if (amountCents !== undefined) return amountCents;
  if (quantity === undefined) return restCents;
  const [wanted, whole] = [parseDecimal(quantity), parseDecimal(line.quantity)];
  const scaled = (of: { digits: bigint; scale: number }) => of.digits * 10n ** BigInt(8 - of.scale);
  return Number(divideRounded(BigInt(line.totalCents) * scaled(wanted), scaled(whole)));
}

function creditOf({ position, line }: CreditableLine, totalCents: number, taxCents: number): PricedLine {
  const isWhole = totalCents === line.totalCents && taxCents === line.taxCents;
  const own = { baseNetCents: null, baseTaxCents: null, baseTotalCents: null, originalPosition: position };
  if (isWhole) return { ...line, ...own };
  const amounts = { quantity: '1', priceBasis: 'allocated' as const, unitPriceCents: totalCents };
  return { ...line, ...amounts, netCents: totalCents - taxCents, taxCents, totalCents, ...own };
}

function sum<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}
