import currencies from 'currency-codes';

/**
 * Codes of ISO 4217 in which nobody pays: precious metals, units of account of banks and funds, indexed units, and codes for
 * tests and for no currency.
 */
const NO_CURRENCIES: ReadonlySet<string> = new Set([
  ...['XAG', 'XAU', 'XPD', 'XPT'],
  ...['XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XSU', 'XUA'],
  ...['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'],
  ...['XTS', 'XXX'],
]);

/** Currencies that ISO 4217 added after the list of the package, with their decimals: the Caribbean guilder (2025). */
const ADDED: ReadonlyMap<string, number> = new Map([['XCG', 2]]);

/** Whether this is the code of a circulating currency of ISO 4217, in upper case. */
export function isCurrency(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) return false;
  return decimalsOf(value) !== undefined && !NO_CURRENCIES.has(value);
}

/** Returns the number of decimals of the currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Throws on an unknown code. */
export function minorUnits(currency: string): number {
  const decimals = decimalsOf(currency);
  if (decimals === undefined) throw new RangeError(`Unknown currency ${currency}`);
  return decimals;
}

/** Formats an amount in minor units as a decimal number: 5900 EUR is 59.00, 5900 JPY is 5900. */
export function decimalOf(cents: string, currency: string): string {
  const digits = minorUnits(currency);
  const [sign, units] = cents.startsWith('-') ? ['-', cents.slice(1)] : ['', cents];
  if (digits === 0) return cents;
  const padded = units.padStart(digits + 1, '0');
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

function decimalsOf(code: string): number | undefined {
  return ADDED.get(code) ?? currencies.code(code)?.digits;
}

/** numerator / denominator, rounded half away from zero, as money is rounded once per result. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const [above, below] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const quotient = (2n * above + below) / (2n * below);
  return negative ? -quotient : quotient;
}

/**
 * An amount in another currency's minor unit, rounded once. `rate` is a plain decimal text: the number of units of `to` that
 * one unit of `from` is worth. A bigint, because the result may be beyond the safe integers.
 */
export function exchange(
  cents: number | bigint,
  { rate, from, to }: { rate: string; from: string; to: string },
): bigint {
  const { digits, scale } = parseDecimal(rate);
  return scaled(BigInt(cents) * digits, 1n, minorUnits(to) - minorUnits(from) - scale);
}

/** The inverse of `exchange`: an amount in `to` in the minor unit of `from`, divided by the rate and rounded once. */
export function exchangeBack(
  cents: number | bigint,
  { rate, from, to }: { rate: string; from: string; to: string },
): bigint {
  const { digits, scale } = parseDecimal(rate);
  return scaled(BigInt(cents), digits, minorUnits(from) - minorUnits(to) + scale);
}

/** numerator / denominator * 10^shift, rounded once. */
function scaled(numerator: bigint, denominator: bigint, shift: number): bigint {
  if (shift >= 0) return divideRounded(numerator * 10n ** BigInt(shift), denominator);
  return divideRounded(numerator, denominator * 10n ** BigInt(-shift));
}

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** A decimal number without loss: `digits` divided by 10 to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Takes a plain decimal text such as `0.925` apart. Throws RangeError on signs, exponents and anything else. */
export function parseDecimal(text: string): Decimal {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new RangeError('Not a plain decimal number');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/**
 * Knows the currency in which the organization keeps its accounts. The module of the accounts implements it with
 * `@Listens(BaseCurrency, ...)`, so that modules below it can show the currency.
 */
export abstract class BaseCurrency {
  /** An ISO 4217 code. */
  abstract baseCurrency(): Promise<string>;
}
