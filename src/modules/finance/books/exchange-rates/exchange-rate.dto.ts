import { dataOf, pageOf, PageQuery } from '../../../../platform/http/dto.js';
import { Id, Ignored, OneOf, Optional } from '../../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../../platform/http/query-fields.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { RATE_SOURCES, type RateSource } from './base-amounts.js';
import type { ExchangeRate } from './exchange-rate.entity.js';

const SORT_FIELDS = ['day', 'createdAt'] as const;

/** Members shared by requests, responses and documents, each of which describes them for its own purpose. */
class PublishedRate {
  @CurrencyCode()
  from: string;

  @CurrencyCode()
  to: string;

  @IsoDate()
  day: string;

  /** Units of `to` for one unit of `from`, as published. */
  @DecimalText({ whole: 10, decimals: 10 })
  rate: string;

  @OneOf(RATE_SOURCES)
  source: RateSource;
}

/** A published exchange rate between the base currency of the accounts and another currency, in either direction. */
export class RecordExchangeRate extends PublishedRate {
  @Ignored()
  id?: undefined;

  /**
   * Currency of which one unit is priced; the European Central Bank publishes units of other currencies for one `EUR`.
   * @example "EUR"
   */
  declare from: string;

  /**
   * Currency in which it is priced.
   * @example "USD"
   */
  declare to: string;

  /**
   * Day of the rate, not after today and not in a closed month.
   * @example "2026-01-30"
   */
  declare day: string;

  /**
   * Units of `to` for one unit of `from`, as published.
   * @example "1.0870"
   */
  declare rate: string;

  /**
   * Publisher of the rate: the European Central Bank, a bank, or `manual` for any other source.
   * @example "ecb"
   */
  declare source: RateSource;
}

export class ListExchangeRates extends PageQuery {
  /** Only rates from or to this currency, ISO 4217. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Only rates of one of these sources. */
  @Optional()
  @AnyOf(RATE_SOURCES)
  source?: RateSource[];

  /** Only rates of this day or later. */
  @Optional()
  @IsoDate()
  dayFrom?: string;

  /** Only rates of this day or earlier. */
  @Optional()
  @IsoDate()
  dayTo?: string;

  /** Sort field, `-day` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** The copy of an exchange rate in a document. */
export class AppliedRateResponse extends PublishedRate {
  /** Currency of which one unit is priced, ISO 4217. */
  declare from: string;

  /** Currency in which it is priced, ISO 4217. */
  declare to: string;

  /** Day of the rate, up to 7 days before the day of the document. */
  declare day: string;

  /** Publisher of the rate. */
  declare source: RateSource;
}

/** A recorded exchange rate. It never changes. */
export class ExchangeRateResponse extends AppliedRateResponse {
  @Id('xrat')
  id: string;

  /** Day of the rate. Documents of this day and of the 7 days after it can use it. */
  @IsoDate()
  declare day: string;

  @Instant()
  createdAt: string;
}

export function toExchangeRate(rate: ExchangeRate): ExchangeRateResponse {
  return { id: rate.id, ...rate.applied(), createdAt: rate.createdAt.toISOString() };
}

export class ExchangeRateEnvelope extends dataOf(ExchangeRateResponse) {}
export class ExchangeRatePage extends pageOf(ExchangeRateResponse) {}
