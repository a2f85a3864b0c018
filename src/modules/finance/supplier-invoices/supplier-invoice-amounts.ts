import { AppError, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { exchange } from '../../../platform/money/money.js';
import type { PricedLine, ServiceType } from './supplier-invoice-line.entity.js';

/** A line as it is sent; what is left out follows from the rest. */
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
  /** Units of the base currency for one unit of the currency; null: unknown, or not needed because they are equal. */
  exchangeRate: string | null;
}

/** The totals in the currency of our books; all null where the rate is unknown. */
export interface BaseTotals {
  baseTotalCents: number | null;
  baseSubtotalCents: number | null;
  baseTaxCents: number | null;
}

/** Lines with every member filled in. Throws 422 `totals_mismatch` where a stated total is another. */
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

/** Refuses totals that do not add up, or that the lines, if there are any, do not add up to: 422 `totals_mismatch`. */
export function assertTotals({ totalCents, subtotalCents, taxCents }: Totals, lines: readonly PricedLine[]): void {
  const sum = storable(BigInt(subtotalCents) + BigInt(taxCents), 'subtotalCents');
  if (sum !== totalCents) throw mismatch('totalCents', { expected: sum, actual: totalCents });
  if (subtotalCents < 0) throw mismatch('taxCents', { expected: totalCents, actual: taxCents });

  const ofLines = sumOf(lines, ({ totalAmountCents }) => totalAmountCents);
  if (lines.length > 0 && ofLines !== totalCents) throw mismatch('lines', { expected: totalCents, actual: ofLines });
}

/** The sum of a figure of the lines. Throws 400 beyond 2^53-1. */
export function sumOf(lines: readonly PricedLine[], figure: (line: PricedLine) => number): number {
  return storable(
    lines.reduce((sum, line) => sum + BigInt(figure(line)), 0n),
    'lines',
  );
}

/**
 * The rate as it is stored: null where there is nothing to convert. Throws 400 on a rate without a base currency, and on
 * another rate than 1 between equal currencies.
 */
export function storedRate({ currency, baseCurrency, exchangeRate }: Currencies): string | null {
  if (exchangeRate === null) return null;
  if (baseCurrency === null) {
    throw invalidField('exchangeRate', 'exchangeRate requires baseCurrency', 'base_currency_required');
  }
  if (baseCurrency !== currency) return exchangeRate;
  if (/^1(?:\.0+)?$/.test(exchangeRate)) return null;
  throw invalidField('exchangeRate', 'exchangeRate must be 1 if the currencies are equal', 'rate_must_be_one');
}

/** The rate that applies: 1 where the currencies are equal, null where it is unknown. */
export function effectiveRate({ currency, baseCurrency, exchangeRate }: Currencies): string | null {
  return currency === baseCurrency ? '1' : exchangeRate;
}

/** The totals at the rate; the tax is what the rounded subtotal leaves of the rounded total. Throws 400 beyond 2^53-1. */
export function baseTotals(figures: Totals & Currencies): BaseTotals {
  const { totalCents, subtotalCents, currency, baseCurrency } = figures;
  const rate = effectiveRate(figures);
  if (baseCurrency === null || rate === null) {
    return { baseTotalCents: null, baseSubtotalCents: null, baseTaxCents: null };
  }
  const inBase = (cents: number) =>
    storable(exchange(cents, { rate, from: currency, to: baseCurrency }), 'exchangeRate');
  const [baseTotalCents, baseSubtotalCents] = [inBase(totalCents), inBase(subtotalCents)];
  return { baseTotalCents, baseSubtotalCents, baseTaxCents: baseTotalCents - baseSubtotalCents };
}

function storable(cents: bigint, path: string): number {
  if (cents <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(cents);
  throw invalidField(path, 'The computed amount exceeds 2^53-1', 'amount_too_large');
}

function mismatch(field: string, figures: { expected: number; actual: number }): AppError {
  return unprocessable('totals_mismatch', 'The amounts do not add up', { field, ...figures });
}
