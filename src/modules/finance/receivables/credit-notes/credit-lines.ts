import { invalidField, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { divideRounded, parseDecimal } from '../../../../platform/money/money.js';
import type { BookingItemSummary } from '../../../bookings/index.js';
import { isCreditableAt, keyOf, type RateCredit, shareOf } from '../../books/index.js';
import type { PricedLine } from '../account/billing-document.entity.js';

/**
 * A line of an invoice with its uncredited rest, which has the sign of the line. A line that was credited for a discount at
 * another rate has a second entry at that rate: its rest is negative, and the original line keeps its amounts.
 */
export interface CreditableLine {
  position: number;
  line: PricedLine;
  restCents: number;
  restTaxCents: number;
}

/** A line of another credit note for the invoice. */
export type CreditedPart = Pick<
  PricedLine,
  'originalPosition' | 'totalCents' | 'taxCents' | 'taxRateBasisPoints' | 'description' | 'serviceDate'
>;

/** An item of the credited tax group. */
type SoldItem = Pick<BookingItemSummary, 'id' | 'title' | 'totalSellCents' | 'taxRateBasisPoints' | 'serviceDate'>;

/** The part of a line to credit: an amount with tax, a quantity, or by default the whole rest. */
export interface RequestedCredit {
  linePosition: number;
  amountCents?: number;
  quantity?: string;
}

/** Returns the uncredited rests, those of a line at other rates after the line; `credited` are lines of credit notes. */
export function creditableLines(lines: readonly PricedLine[], credited: readonly CreditedPart[]): CreditableLine[] {
  return lines.flatMap((line, index) => {
    const position = index + 1;
    const own = credited.filter(({ originalPosition }) => originalPosition === position);
    const rates = [...new Set([line, ...own].map(({ taxRateBasisPoints }) => taxRateBasisPoints))];
    return rates.map((rate) => {
      const atRate = own.filter(({ taxRateBasisPoints }) => taxRateBasisPoints === rate);
      const [first] = atRate;
      const whole = rate !== line.taxRateBasisPoints && first ? discountLine(line, first) : line;
      return {
        position,
        line: whole,
        restCents: whole.totalCents - sum(atRate, ({ totalCents }) => totalCents),
        restTaxCents: whole.taxCents - sum(atRate, ({ taxCents }) => taxCents),
      };
    });
  });
}

export function requestedCredits(
  rests: readonly CreditableLine[],
  requested: readonly RequestedCredit[],
): PricedLine[] {
  const seen = new Set<number>();
  return requested.flatMap((credit, index) => {
    const path = `lines.${index}`;
    const entries = rests.filter(({ position }) => position === credit.linePosition);
    const [rest] = entries;
    if (!rest) throw notFound({ field: `${path}.linePosition` });
    if (seen.has(rest.position)) throw invalidField(`${path}.linePosition`, 'Duplicate line', 'duplicate_line');
    seen.add(rest.position);
    const available = sum(entries, ({ restCents }) => restCents);
    const amountCents = amountOf(credit, { line: rest.line, restCents: available }, path);
    if (amountCents === 0) throw invalidField(`${path}.amountCents`, 'The amount must not be 0', 'amount_zero');
    if (Math.sign(amountCents) === -Math.sign(rest.line.totalCents)) {
      throw invalidField(`${path}.amountCents`, 'The amount must have the sign of the line', 'sign_of_line');
    }
    if (Math.abs(amountCents) > Math.abs(available)) throw overCredited(available);
    if (amountCents === available) return fullCredits(entries);
    const taxCents = taxOf(rest, amountCents);
    const isAlone = entries.length === 1;
    const availableTaxCents = sum(entries, ({ restTaxCents }) => restTaxCents);
    return [creditOf(rest, amountCents, isAlone ? taxCents : Math.min(taxCents, availableTaxCents))];
  });
}

/**
 * Credits requested amounts beyond the amount due at the rate of their line as discounts at rates that no document bills, as far
 * as the tax group has such discounts.
 */
export function atDueRates(
  lines: readonly PricedLine[],
  rests: readonly CreditableLine[],
  due: readonly RateCredit[],
  items: readonly (SoldItem & { taxCodeId: string | null })[],
): PricedLine[] {
  const left = due.map((group) => ({ ...group, unbilled: { ...group.unbilled } }));
  return lines.flatMap((line) => {
    const { taxRateBasisPoints: rate, totalCents } = line;
    if (rate === null || totalCents <= 0) return [line];
    const own = items.filter((item) => keyOf(item) === keyOf(line));
    const present = new Set(own.map(({ taxRateBasisPoints }) => taxRateBasisPoints));
    const ofGroup = left.filter(({ key }) => key === keyOf(line));
    let openCents = totalCents;
    for (const group of ofGroup.filter(({ rateBasisPoints }) => isCreditableAt(rate, rateBasisPoints, present))) {
      const cents = Math.min(openCents, Math.max(0, group.grossCents - group.unbilled.grossCents));
      group.grossCents -= cents;
      openCents -= cents;
    }
    const entry = { position: line.originalPosition ?? 0, line, restCents: totalCents, restTaxCents: line.taxCents };
    const discounts: PricedLine[] = [];
    for (const { rateBasisPoints, unbilled } of ofGroup) {
      const part = withinRoom(
        { totalCents: unbilled.grossCents, taxCents: unbilled.taxCents },
        { totalCents: openCents, taxCents: roomOf(entry.position, rests, discounts).taxCents },
      );
      if (part.totalCents <= 0 || rateBasisPoints === rate) continue;
      discounts.push(discountCredit(entry, { rate: rateBasisPoints, ...part }, own));
      unbilled.grossCents -= part.totalCents;
      unbilled.taxCents -= part.taxCents;
      openCents -= part.totalCents;
    }
    if (discounts.length === 0) return [line];
    const keptCents = totalCents - sum(discounts, (discount) => discount.totalCents);
    return [...(keptCents === 0 ? [] : [creditOf(entry, keptCents, taxOf(entry, keptCents))]), ...discounts];
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
 * amount due, the line takes the tax that the fully credited lines leave, so that the sum of the tax is exact. An amount due
 * beyond the lines at its rate is a discount that no line bills: it is credited on other lines, at its own rate.
 */
export function creditsOver(
  rests: readonly CreditableLine[],
  due: readonly RateCredit[],
  items: readonly SoldItem[],
): PricedLine[] {
  const present = new Set(items.map(({ taxRateBasisPoints }) => taxRateBasisPoints));
  const credited = new Map<CreditableLine, CreditedAmounts>();
  const unbilled: (CreditedAmounts & { rate: number })[] = [];
  for (const { rateBasisPoints: rate, grossCents, taxCents, unbilled: discount } of due) {
    const onLines = { totalCents: grossCents - discount.grossCents, taxCents: taxCents - discount.taxCents };
    const isAtRate = ({ line }: CreditableLine) => rate === null || line.taxRateBasisPoints === rate;
    const lines = rests
      .map((each) => ({ each, rest: lessCredited(each, credited.get(each)) }))
      .filter(({ rest: { line } }) => isCreditableAt(line.taxRateBasisPoints, rate, present))
      .reverse()
      .sort(
        ({ rest: a }, { rest: b }) =>
          Number(isAtRate(b)) - Number(isAtRate(a)) || orderOf(a, items) - orderOf(b, items),
      );
    const restCents = sum(lines, ({ rest }) => rest.restCents);
    // Lines of discounts are credited only together with all other lines.
    const isWhole = restCents > 0 && onLines.totalCents >= restCents;
    let left: CreditedAmounts = onLines;
    for (const { each, rest } of lines) {
      if (!isWhole && (rest.restCents <= 0 || left.totalCents <= 0)) continue;
      const part = isWhole ? { totalCents: rest.restCents, taxCents: rest.restTaxCents } : partOf(rest, left, rate);
      credited.set(each, plus(credited.get(each) ?? NOTHING, part));
      left = minus(left, part);
    }
    if (rate !== null && discount.grossCents > 0) {
      unbilled.push({ rate, totalCents: discount.grossCents, taxCents: discount.taxCents });
    }
  }
  const byRest = rests.map((each) => ({ each, amounts: credited.get(each) ?? NOTHING }));
  const lines = byRest.flatMap(({ each, amounts: { totalCents, taxCents } }) =>
    totalCents === 0 && taxCents === 0 ? [] : [creditOf(each, totalCents, taxCents)],
  );
  return [...lines, ...discountsOn(rests, lines, unbilled, items)];
}

/** Credits discounts at rates that no line has on the last lines with an uncredited rest. */
function discountsOn(
  rests: readonly CreditableLine[],
  credited: readonly PricedLine[],
  unbilled: readonly (CreditedAmounts & { rate: number })[],
  items: readonly SoldItem[],
): PricedLine[] {
  const found: PricedLine[] = [];
  for (const { rate, ...amounts } of unbilled) {
    let left: CreditedAmounts = amounts;
    for (const entry of rests.filter(isFirstOf(rests)).reverse()) {
      const room = roomOf(entry.position, rests, [...credited, ...found]);
      const part = withinRoom(left, room);
      if (part.totalCents <= 0) continue;
      found.push(discountCredit(entry, { rate, ...part }, items));
      left = minus(left, part);
    }
  }
  return found;
}

/**
 * Adds credits of negative lines if the others exceed their line or the invoice, because earlier discounts reduce what can be
 * credited: the amounts of these discounts are billed again.
 */
export function withinInvoice(rests: readonly CreditableLine[], lines: readonly PricedLine[]): PricedLine[] {
  const balanced = [...lines];
  const take = (entries: readonly CreditableLine[], excess: CreditedAmounts) => {
    let { totalCents, taxCents } = excess;
    for (const entry of entries) {
      const known = balanced.some((line) => line.originalPosition === entry.position && isAtRateOf(entry, line));
      if (entry.restCents >= 0 || known || (totalCents <= 0 && taxCents <= 0)) continue;
      const ofTax =
        taxCents <= 0 || entry.restTaxCents === 0 ? 0 : Math.ceil((taxCents * entry.restCents) / entry.restTaxCents);
      const cents = Math.max(entry.restCents, -Math.max(totalCents, ofTax));
      const credit = creditOf(entry, cents, taxOf(entry, cents));
      balanced.push(credit);
      totalCents += credit.totalCents;
      taxCents += credit.taxCents;
    }
  };
  const excessOf = ({ totalCents, taxCents }: CreditedAmounts) => ({ totalCents: -totalCents, taxCents: -taxCents });
  for (const { position } of rests.filter(isFirstOf(rests))) {
    const entries = rests.filter((entry) => entry.position === position);
    if (entries.length > 1) take(entries.slice(1), excessOf(roomOf(position, rests, balanced)));
  }
  const totalCents = sum(balanced, (line) => line.totalCents) - sum(rests, ({ restCents }) => restCents);
  take(rests, { totalCents, taxCents: 0 });
  return balanced.sort((a, b) => (a.originalPosition ?? 0) - (b.originalPosition ?? 0));
}

function isAtRateOf(entry: CreditableLine, line: PricedLine): boolean {
  return entry.line.taxRateBasisPoints === line.taxRateBasisPoints;
}

function isFirstOf(rests: readonly CreditableLine[]) {
  return (entry: CreditableLine) => rests.find(({ position }) => position === entry.position) === entry;
}

/** Returns the amounts up to which a line of the invoice can be credited, beside these credits. */
function roomOf(wanted: number, rests: readonly CreditableLine[], credited: readonly PricedLine[]): CreditedAmounts {
  const entries = rests.filter(({ position }) => position === wanted);
  const others = credited.filter(({ originalPosition }) => originalPosition === wanted);
  return {
    totalCents: sum(entries, ({ restCents }) => restCents) - sum(others, ({ totalCents }) => totalCents),
    taxCents: sum(entries, ({ restTaxCents }) => restTaxCents) - sum(others, ({ taxCents }) => taxCents),
  };
}

/** Limits an amount and its tax to the room of a line. */
function withinRoom(amounts: CreditedAmounts, room: CreditedAmounts): CreditedAmounts {
  const at = (totalCents: number) => ({
    totalCents,
    taxCents: shareOf(amounts.taxCents, totalCents, amounts.totalCents),
  });
  const part = at(Math.max(0, Math.min(amounts.totalCents, room.totalCents)));
  const roomTaxCents = Math.max(0, room.taxCents);
  if (part.taxCents <= roomTaxCents) return part;
  return at(Math.floor((part.totalCents * roomTaxCents) / part.taxCents));
}

/** Credits a discount on a line of the invoice, at the rate of the discount and under its title. */
function discountCredit(
  { position, line }: CreditableLine,
  { rate, totalCents, taxCents }: CreditedAmounts & { rate: number | null },
  items: readonly SoldItem[],
): PricedLine {
  const discount = items.find((item) => item.taxRateBasisPoints === rate && item.totalSellCents < 0);
  const shown = { description: discount?.title ?? line.description, serviceDate: discount?.serviceDate ?? null };
  const own = discountLine(line, { ...shown, taxRateBasisPoints: rate });
  return creditOf({ position, line: own, restCents: 0, restTaxCents: 0 }, totalCents, taxCents);
}

/** Returns a line for nothing that stands for a discount at another rate. */
function discountLine(
  line: PricedLine,
  shown: Pick<PricedLine, 'description' | 'serviceDate' | 'taxRateBasisPoints'>,
): PricedLine {
  const { description, serviceDate, taxRateBasisPoints } = shown;
  const amounts = { quantity: '1', unitPriceCents: 0, netCents: 0, taxCents: 0, totalCents: 0 };
  const tax = { taxRateBasisPoints, serviceDate, serviceEndDate: null };
  return { ...line, bookingItemId: null, description, priceBasis: 'allocated', ...amounts, ...tax };
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

function minus(one: CreditedAmounts, other: CreditedAmounts): CreditedAmounts {
  return { totalCents: one.totalCents - other.totalCents, taxCents: one.taxCents - other.taxCents };
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
  { line, restCents }: Pick<CreditableLine, 'line' | 'restCents'>,
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
