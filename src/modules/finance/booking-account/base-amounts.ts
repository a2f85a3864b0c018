import { named } from '../../../platform/http/named-values.js';

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
  /** Null also if the document is in the base currency. */
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
