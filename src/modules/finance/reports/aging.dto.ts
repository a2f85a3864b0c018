import { dataOf } from '../../../platform/http/dto.js';
import { Cents, ListOf, OneOf, Optional, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';

export const SIDES = ['receivable', 'payable'] as const;
export type Side = (typeof SIDES)[number];

/** How late something is: not yet, or so many days past its due date. */
export const BUCKETS = ['current', 'days_1_30', 'days_31_60', 'days_61_90', 'over_90'] as const;
export type Bucket = (typeof BUCKETS)[number];

const MOST = Number.MAX_SAFE_INTEGER;

export class AgingQuery {
  /** `receivable` unless given: what customers owe us on installments; `payable`: what we owe on supplier invoices. */
  @Optional()
  @OneOf(SIDES)
  side?: Side;

  /** The day as of which money is counted and lateness measured; today unless given. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

export class AgingBucket {
  @OneOf(BUCKETS)
  bucket: Bucket;

  /** How many installments or supplier invoices. */
  @Whole({ min: 0, max: MOST })
  count: number;

  /** What is outstanding on them; null beyond 2^53-1. */
  @Cents()
  amountCents: number | null;
}

export class AgingCurrency {
  @CurrencyCode()
  currency: string;

  @Whole({ min: 0, max: MOST })
  count: number;

  /** The sum of the buckets; null beyond 2^53-1. */
  @Cents()
  totalCents: number | null;

  /** All five, from not yet due to more than 90 days late. */
  @ListOf(() => AgingBucket, { min: 5, max: 5 })
  buckets: AgingBucket[];
}

export class Aging {
  @OneOf(SIDES)
  side: Side;

  @IsoDate()
  asOf: string;

  /** One for each currency in which something is outstanding, by its code. */
  @ListOf(() => AgingCurrency, { max: 200 })
  currencies: AgingCurrency[];
}

export class AgingEnvelope extends dataOf(Aging) {}
