import { invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { divideRounded, parseDecimal } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
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

/**
 * Credits this amount and tax: first lines of items that are no longer sold or cost less, then the last lines. The partly
 * credited line takes the tax that the fully credited lines leave, so that the sum of the tax is exact.
 */
export function creditsOver(
  rests: readonly CreditableLine[],
  due: { totalCents: number; taxCents: number },
  items: readonly Pick<BookingItemSummary, 'id' | 'totalSellCents'>[],
): PricedLine[] {
  const rest = sum(rests, ({ restCents }) => restCents);
  if (due.totalCents >= rest) return fullCredits(rests);
  const credits: PricedLine[] = [];
  let { totalCents, taxCents } = due;
  const creditable = rests.toReversed().filter(({ restCents }) => restCents > 0);
  for (const line of creditable.sort((a, b) => orderOf(a, items) - orderOf(b, items))) {
    const amountCents = Math.min(totalCents, line.restCents);
    if (amountCents === 0) break;
    const isWhole = amountCents === line.restCents;
    const creditedTax = isWhole ? line.restTaxCents : Math.min(Math.max(0, taxCents), line.restTaxCents, amountCents);
    credits.push(creditOf(line, amountCents, creditedTax));
    totalCents -= amountCents;
    taxCents -= creditedTax;
  }
  return credits.sort((a, b) => (a.originalPosition ?? 0) - (b.originalPosition ?? 0));
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
