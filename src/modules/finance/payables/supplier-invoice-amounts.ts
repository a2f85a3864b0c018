import { AppError, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { divideRounded, exchange, parseDecimal } from '../../../platform/money/money.js';
import { type AppliedRate, baseCents, converted } from '../books/index.js';
import type { PricedLine, ServiceType } from './supplier-invoice-line.entity.js';

/** A line of a request; omitted members have defaults or are computed. */
export interface LineInput {
  description: string;
  serviceType?: ServiceType;
  quantity?: number;
  unitAmountCents: number;
  taxAmountCents?: number;
  totalAmountCents?: number;
}

export interface Totals {
  totalCents: number;
  subtotalCents: number;
  taxCents: number;
}

export interface Currencies {
  currency: string;
  baseCurrency: string | null;
  /**
   * Units of the base currency for one unit of the currency; null if unknown, or not needed because the currencies are equal.
   */
  exchangeRate: string | null;
}

/** The stated amounts, and the recorded rate that the approval applied because no rate is stated. */
export interface Conversion extends Currencies {
  appliedRate?: AppliedRate | null;
}

/** Decimals of a rate that is the inverse of a published one. */
const INVERSE_DECIMALS = 10;

/** The totals in the base currency; all null if the rate is unknown. */
export interface BaseTotals {
  baseTotalCents: number | null;
  baseSubtotalCents: number | null;
  baseTaxCents: number | null;
}

/** Completes the lines. */
export function priceLines(lines: readonly LineInput[]): PricedLine[] {
  return lines.map((line, index) => {
    const { description, serviceType = 'other', quantity = 1, unitAmountCents, taxAmountCents = 0 } = line;
    const exact = BigInt(quantity) * BigInt(unitAmountCents) + BigInt(taxAmountCents);
    const totalAmountCents = storable(exact, `lines.${index}.totalAmountCents`);
    const stated = line.totalAmountCents ?? totalAmountCents;
    if (stated !== totalAmountCents) {
      throw mismatch(`lines.${index}.totalAmountCents`, { expected: totalAmountCents, actual: stated });
    }
    return { description, serviceType, quantity, unitAmountCents, taxAmountCents, totalAmountCents };
  });
}

/** Sums subtotal and tax of the lines. */
export function headOf(lines: readonly PricedLine[]): Pick<Totals, 'subtotalCents' | 'taxCents'> {
  return {
    subtotalCents: sumOf(lines, ({ totalAmountCents, taxAmountCents }) => totalAmountCents - taxAmountCents),
    taxCents: sumOf(lines, ({ taxAmountCents }) => taxAmountCents),
  };
}

/** The totals must add up, and the lines, if there are any, must add up to each of them. */
export function assertTotals({ totalCents, subtotalCents, taxCents }: Totals, lines: readonly PricedLine[]): void {
  const ofLines = lines.length > 0 ? sumOf(lines, ({ totalAmountCents }) => totalAmountCents) : totalCents;
  if (ofLines !== totalCents) throw mismatch('lines', { expected: totalCents, actual: ofLines });

  const sum = storable(BigInt(subtotalCents) + BigInt(taxCents), 'subtotalCents');
  if (sum !== totalCents) throw mismatch('totalCents', { expected: sum, actual: totalCents });
  if (subtotalCents < 0) throw mismatch('taxCents', { expected: totalCents, actual: taxCents });
  if (lines.length === 0) return;
  const head = headOf(lines);
  if (head.taxCents !== taxCents) throw mismatch('taxCents', { expected: head.taxCents, actual: taxCents });
}

export function sumOf(lines: readonly PricedLine[], figure: (line: PricedLine) => number): number {
  return storable(
    lines.reduce((sum, line) => sum + BigInt(figure(line)), 0n),
    'lines',
  );
}

/** Returns the rate to store; null if the currencies are equal. A rate needs a base currency. */
export function storedRate({ currency, baseCurrency, exchangeRate }: Currencies): string | null {
  if (exchangeRate === null) return null;
  if (baseCurrency === null) {
    throw invalidField('exchangeRate', 'exchangeRate requires baseCurrency', 'base_currency_required');
  }
  if (baseCurrency !== currency) return exchangeRate;
  if (/^1(?:\.0+)?$/.test(exchangeRate)) return null;
  throw invalidField('exchangeRate', 'exchangeRate must be 1 if the currencies are equal', 'rate_must_be_one');
}

/** Returns the rate that applies: 1 if the currencies are equal, null if it is unknown. */
export function effectiveRate({ currency, baseCurrency, exchangeRate, appliedRate = null }: Conversion): string | null {
  if (appliedRate !== null) return unitRate(appliedRate, currency);
  return currency === baseCurrency ? '1' : exchangeRate;
}

/** Returns the stated base currency, or the target currency of the recorded rate. */
export function effectiveBaseCurrency({ currency, baseCurrency, appliedRate = null }: Conversion): string | null {
  return appliedRate === null ? baseCurrency : otherCurrency(appliedRate, currency);
}

/** The tax is the rounded total minus the rounded subtotal, so that the three add up. */
export function baseTotals(figures: Totals & Conversion): BaseTotals {
  const { totalCents, subtotalCents } = figures;
  const inBase = converterOf(figures);
  if (inBase === null) return { baseTotalCents: null, baseSubtotalCents: null, baseTaxCents: null };
  const [baseTotalCents, baseSubtotalCents] = [inBase(totalCents), inBase(subtotalCents)];
  return { baseTotalCents, baseSubtotalCents, baseTaxCents: baseTotalCents - baseSubtotalCents };
}

function converterOf(figures: Conversion): ((cents: number) => number) | null {
  const { currency, baseCurrency, appliedRate = null } = figures;
  if (appliedRate !== null) {
    const to = otherCurrency(appliedRate, currency);
    return (cents) => baseCents(converted(BigInt(cents), appliedRate, to));
  }
  const rate = effectiveRate(figures);
  if (baseCurrency === null || rate === null) return null;
  return (cents) => storable(exchange(cents, { rate, from: currency, to: baseCurrency }), 'exchangeRate');
}

function otherCurrency({ from, to }: AppliedRate, currency: string): string {
  return from === currency ? to : from;
}

/** Returns the value of one unit of the currency; a rate published in the opposite direction is inverted. */
function unitRate({ from, rate }: AppliedRate, currency: string): string {
  if (from === currency) return rate;
  const { digits, scale } = parseDecimal(rate);
  const units = divideRounded(10n ** BigInt(INVERSE_DECIMALS + scale), digits).toString();
  const padded = units.padStart(INVERSE_DECIMALS + 1, '0');
  return `${padded.slice(0, -INVERSE_DECIMALS)}.${padded.slice(-INVERSE_DECIMALS)}`;
}

function storable(cents: bigint, path: string): number {
  if (cents <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(cents);
  throw invalidField(path, 'The computed amount exceeds 2^53-1', 'amount_too_large');
}

function mismatch(field: string, figures: { expected: number; actual: number }): AppError {
  return unprocessable('totals_mismatch', 'The amounts do not add up', { field, ...figures });
}
