import { divideRounded, minorUnits, parseDecimal } from '../../../../platform/money/money.js';
import { type AppError, invalidField, unprocessable } from '../../../../platform/errors/app-error.js';
import type { TaxKind } from '../../../taxes/index.js';
import type { InvoiceTotals, PriceBasis, PricedLine } from '../account/billing-document.entity.js';
import { includedTax } from '../../books/index.js';

/** Description of the line of a fee invoice. Renditions translate it. */
export const FEE_DESCRIPTION = 'Cancellation fee';

/** A line of a request; omitted members are computed. */
export interface LineInput {
  bookingItemId?: string | null;
  description: string;
  /** Plain decimal text with at most 4 decimals. */
  quantity?: string;
  /** `net` by default. */
  priceBasis?: PriceBasis;
  unitPriceCents: number;
  taxCodeId?: string | null;
  taxCode?: string | null;
  taxKind?: TaxKind | null;
  /** Null if the tax is sent as an amount. */
  taxRateBasisPoints?: number | null;
  netCents?: number;
  taxCents?: number;
  totalCents?: number;
  mention?: string | null;
  serviceDate?: string | null;
  serviceEndDate?: string | null;
}

const FULL_RATE = 10_000n;

/** Completes lines with all amounts; stated amounts must agree. */
export function priceLines(lines: readonly LineInput[]): PricedLine[] {
  return lines.map((line, index) => priceLine(line, `lines.${index}`));
}

/** Sums the lines; stated totals must agree and not be negative. */
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
  if (totalCents < 0)
    throw unprocessable('negative_total', 'Invoice total must not be negative', { field: 'lines', totalCents });
  return { subtotalCents, taxCents, totalCents };
}

/** Formats a quantity without trailing zeros: `1.50` becomes `1.5`. */
export function plainQuantity(quantity: string): string {
  if (!quantity.includes('.')) return quantity;
  let end = quantity.length;
  while (quantity[end - 1] === '0') end -= 1;
  return quantity.slice(0, quantity[end - 1] === '.' ? end - 1 : end);
}

/** Formats the price of one unit without tax as documents print it: in units of the currency, with 4 decimals. */
export function netUnitPrice(
  { netCents, quantity }: Pick<PricedLine, 'netCents' | 'quantity'>,
  currency: string,
): string {
  const { digits, scale } = parseDecimal(quantity);
  const decimals = 4;
  const shift = scale + decimals - minorUnits(currency);
  const numerator = BigInt(netCents) * 10n ** BigInt(Math.max(0, shift));
  const price = divideRounded(numerator, digits * 10n ** BigInt(Math.max(0, -shift)));
  const text = String(price < 0n ? -price : price).padStart(decimals + 1, '0');
  return `${price < 0n ? '-' : ''}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

function priceLine(line: LineInput, path: string): PricedLine {
  const { description, quantity = '1', priceBasis = 'net', unitPriceCents, taxRateBasisPoints = null } = line;
  const { digits, scale } = parseDecimal(quantity);
  const product = divideRounded(digits * BigInt(unitPriceCents), 10n ** BigInt(scale));
  const isNet = priceBasis === 'net';
  const priceCents = storable(product, isNet ? `${path}.netCents` : `${path}.totalCents`);
  const tax = BigInt(taxOf({ ...line, priceBasis, taxRateBasisPoints }, priceCents));

  const netCents = storable(isNet ? product : product - tax, `${path}.netCents`);
  const taxCents = storable(tax, `${path}.taxCents`);
  const totalCents = storable(isNet ? product + tax : product, `${path}.totalCents`);
  assertStated(line, { netCents, taxCents, totalCents }, `${path}.`);
  if (taxCents < Math.min(0, totalCents) || taxCents > Math.max(0, totalCents)) {
    throw invalidField(`${path}.taxCents`, 'taxCents must be between 0 and totalCents', 'tax_beyond_total');
  }
  return {
    bookingItemId: line.bookingItemId ?? null,
    description,
    quantity: plainQuantity(quantity),
    priceBasis,
    unitPriceCents,
    taxCodeId: line.taxCodeId ?? null,
    taxCode: line.taxCode ?? null,
    taxKind: line.taxKind ?? null,
    taxRateBasisPoints,
    netCents,
    taxCents,
    totalCents,
    mention: line.mention ?? null,
    serviceDate: line.serviceDate ?? null,
    serviceEndDate: line.serviceEndDate ?? null,
  };
}

/** Returns the tax of a line with this price for its quantity, in its price basis. */
function taxOf(
  { priceBasis, taxRateBasisPoints, taxCents = 0 }: Pick<PricedLine, 'priceBasis' | 'taxRateBasisPoints'> & LineInput,
  priceCents: number,
): number | bigint {
  if (taxRateBasisPoints === null || priceBasis === 'allocated') return taxCents;
  if (priceBasis === 'gross') return includedTax(priceCents, taxRateBasisPoints);
  return divideRounded(BigInt(priceCents) * BigInt(taxRateBasisPoints), FULL_RATE);
}

function assertStated(stated: object, computed: Record<string, number>, path: string): void {
  const amounts = new Map<string, unknown>(Object.entries(stated));
  for (const [name, expected] of Object.entries(computed)) {
    const actual = amounts.get(name);
    if (actual !== undefined && actual !== expected) throw mismatch(`${path}${name}`, { expected, actual });
  }
}

/** Makes the error for amounts that do not add up. */
export function mismatch(field: string, figures: { expected: number; actual: unknown }): AppError {
  return unprocessable('totals_mismatch', 'The amounts do not add up', { field, ...figures });
}

function storable(cents: bigint, path: string): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  if (cents <= limit && cents >= -limit) return Number(cents);
  throw invalidField(path, 'The computed amount exceeds 2^53-1', 'amount_too_large');
}
