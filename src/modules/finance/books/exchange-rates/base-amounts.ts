import { conflict } from '../../../../platform/errors/app-error.js';
import { named } from '../../../../platform/http/named-values.js';
import { exchange, exchangeBack } from '../../../../platform/money/money.js';

export const RATE_SOURCES = named('ExchangeRateSource', ['ecb', 'bank', 'manual']);
export type RateSource = (typeof RATE_SOURCES)[number];

/** The exchange rate of a document as it was published: one unit of `from` is worth `rate` units of `to`. */
export interface AppliedRate {
  from: string;
  to: string;
  day: string;
  rate: string;
  source: RateSource;
}

/** The amounts of a document in the base currency of the accounts; all members are null if it was not converted. */
export interface BaseAmounts {
  baseCurrency: string | null;
  /** Null if no rate was recorded, or if the document is in the base currency. */
  exchangeRate: AppliedRate | null;
  baseSubtotalCents: number | null;
  baseTaxCents: number | null;
  baseTotalCents: number | null;
}

export const NOT_CONVERTED: BaseAmounts = {
  baseCurrency: null,
  exchangeRate: null,
  baseSubtotalCents: null,
  baseTaxCents: null,
  baseTotalCents: null,
};

/** Converts an amount to the base currency. If the rate was published in the opposite direction, divides by it. */
export function converted(cents: bigint, { from, to, rate }: AppliedRate, baseCurrency: string): bigint {
  return to === baseCurrency ? exchange(cents, { rate, from, to }) : exchangeBack(cents, { rate, from, to });
}

/** Returns an amount in the base currency. */
export function baseCents(cents: bigint): number {
  if (cents >= -BigInt(Number.MAX_SAFE_INTEGER) && cents <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(cents);
  throw conflict('amount_too_large', 'The amount in the base currency exceeds 2^53-1');
}
