import { named } from '../../../platform/http/named-values.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Cents, ListOf, OneOf, Optional, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';

export const SIDES = named('AgingSide', ['receivable', 'payable']);
export type Side = (typeof SIDES)[number];

/** Ranges of days past the due date. */
export const BUCKETS = named('AgingBucketName', ['current', 'days_1_30', 'days_31_60', 'days_61_90', 'over_90']);
export type Bucket = (typeof BUCKETS)[number];

const MOST = Number.MAX_SAFE_INTEGER;

export class AgingQuery {
  /** `receivable` (default) is for debts of customers (installments and uncovered refunds), `payable` for supplier invoices. */
  @Optional()
  @OneOf(SIDES)
  side?: Side;

  /** The report is as of the end of this day; today by default. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

/** Outstanding amounts of one currency within one range of days past the due date. */
export class AgingBucket {
  /** Range of days past the due date; `current` means not yet due. */
  @OneOf(BUCKETS)
  bucket: Bucket;

  /** Number of installments and uncovered refunds, or of supplier invoices. */
  @Whole({ min: 0, max: MOST })
  count: number;

  /** Sum outstanding on them, in minor units; null beyond 2^53-1. */
  @Cents()
  amountCents: number | null;
}

/** Outstanding amounts of one currency. */
export class AgingCurrency {
  /** Currency of all amounts of this entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of debts in all buckets. */
  @Whole({ min: 0, max: MOST })
  count: number;

  /** Sum of the buckets, in minor units; null beyond 2^53-1. */
  @Cents()
  totalCents: number | null;

  /** Five entries, from not yet due to more than 90 days overdue. */
  @ListOf(() => AgingBucket, { min: 5, max: 5 })
  buckets: AgingBucket[];
}

/** Outstanding amounts by currency and by days past the due date. */
export class Aging {
  /** `receivable` for debts of customers, `payable` for debts to suppliers. */
  @OneOf(SIDES)
  side: Side;

  /** Day for which the report was computed. */
  @IsoDate()
  asOf: string;

  /** One entry per currency with an outstanding amount, ordered by code. */
  @ListOf(() => AgingCurrency, { max: 200 })
  currencies: AgingCurrency[];
}

export class AgingEnvelope extends dataOf(Aging) {}
