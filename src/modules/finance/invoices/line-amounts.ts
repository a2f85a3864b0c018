import { parseDecimal } from '../../../platform/money/decimal.js';
import { type AppError, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { divideRounded } from '../../../platform/money/money.js';
import type { InvoiceTotals, PricedLine } from '../booking-account/invoice.entity.js';

/** A line of a request; omitted members are computed. */
export interface LineInput {
  bookingItemId?: string | null;
  description: string;
  /** Plain decimal text, at most 4 decimals. */
  quantity?: string;
  unitPriceCents: number;
  /** Null: the tax is sent as an amount. */
  taxRateBasisPoints?: number | null;
  netCents?: number;
  taxCents?: number;
  totalCents?: number;
}

const FULL_RATE = 10_000n;

/** Lines with all amounts. Throws 422 `totals_mismatch` if a stated amount differs, 400 beyond 2^53-1. */
export function priceLines(lines: readonly LineInput[]): PricedLine[] {
  return lines.map((line, index) => priceLine(line, `lines.${index}`));
}

/** The sums of the lines. Throws 422 `negative_total`, `totals_mismatch` if a stated total differs. */
export function totalsOf(lines: readonly PricedLine[], stated: Partial<InvoiceTotals>): InvoiceTotals {
  const sum = (figure: (line: PricedLine) => number) =>
    storable(
      lines.reduce((subtotal, line) => subtotal + BigInt(figure(line)), 0n),
      'lines',
    );
  const subtotalCents = sum(({ netCents }) => netCents);
  const taxCents = sum(({ taxCents: tax }) => tax);
  const totalCents = sum(({ totalCents: total }) => total);
  assertStated(stated, { subtotalCents, taxCents, totalCents }, '');
  if (totalCents < 0) throw unprocessable('negative_total', 'Invoice total must not be negative', { totalCents });
  return { subtotalCents, taxCents, totalCents };
}

/** A quantity without trailing zeros: `1.50` is `1.5`. */
export function plainQuantity(quantity: string): string {
  if (!quantity.includes('.')) return quantity;
  let end = quantity.length;
  while (quantity[end - 1] === '0') end -= 1;
  return quantity.slice(0, quantity[end - 1] === '.' ? end - 1 : end);
}

function priceLine(line: LineInput, path: string): PricedLine {
  const { description, quantity = '1', unitPriceCents, taxRateBasisPoints = null } = line;
  const { digits, scale } = parseDecimal(quantity);
  const net = divideRounded(digits * BigInt(unitPriceCents), 10n ** BigInt(scale));
  const tax =
    taxRateBasisPoints === null
      ? BigInt(line.taxCents ?? 0)
      : divideRounded(net * BigInt(taxRateBasisPoints), FULL_RATE);

  const netCents = storable(net, `${path}.netCents`);
  const taxCents = storable(tax, `${path}.taxCents`);
  const totalCents = storable(net + tax, `${path}.totalCents`);
  assertStated(line, { netCents, taxCents, totalCents }, `${path}.`);
  return {
    bookingItemId: line.bookingItemId ?? null,
    description,
    quantity: plainQuantity(quantity),
    unitPriceCents,
    taxRateBasisPoints,
    netCents,
    taxCents,
    totalCents,
  };
}

function assertStated(stated: object, computed: Record<string, number>, path: string): void {
  const amounts = new Map<string, unknown>(Object.entries(stated));
  for (const [name, expected] of Object.entries(computed)) {
    const actual = amounts.get(name);
    if (actual !== undefined && actual !== expected) throw mismatch(`${path}${name}`, { expected, actual });
  }
}

/** 422: amounts do not add up. */
export function mismatch(field: string, figures: { expected: number; actual: unknown }): AppError {
  return unprocessable('totals_mismatch', 'The amounts do not add up', { field, ...figures });
}

function storable(cents: bigint, path: string): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  if (cents <= limit && cents >= -limit) return Number(cents);
  throw invalidField(path, 'The computed amount exceeds 2^53-1', 'amount_too_large');
}
