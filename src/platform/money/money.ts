import currencies from 'currency-codes';
import { parseDecimal } from './decimal.js';

/** Whether this is the code of a currency of ISO 4217, in upper case. */
export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value) && currencies.code(value) !== undefined;
}

/** How many decimals the currency's minor unit has: 2 for EUR, 0 for JPY, 3 for KWD. Throws on an unknown code. */
export function minorUnits(currency: string): number {
  const entry = currencies.code(currency);
  if (!entry) throw new RangeError(`Unknown currency ${currency}`);
  return entry.digits;
}

/** numerator / denominator, rounded half away from zero, as money is rounded once per result. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const [above, below] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const quotient = (2n * above + below) / (2n * below);
  return negative ? -quotient : quotient;
}

/**
 * An amount in another currency's minor unit, rounded once. `rate` is a plain decimal text: how many units of `to` one
 * unit of `from` is worth. A bigint, because the result may be beyond the safe integers.
 */
export function exchange(cents: number, { rate, from, to }: { rate: string; from: string; to: string }): bigint {
  const { digits, scale } = parseDecimal(rate);
  const shift = minorUnits(to) - minorUnits(from) - scale;
  const product = BigInt(cents) * digits;
  return shift >= 0 ? product * 10n ** BigInt(shift) : divideRounded(product, 10n ** BigInt(-shift));
}
