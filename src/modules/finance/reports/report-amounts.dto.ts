import { Cents, Id, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode } from '../../../platform/http/trade-fields.js';
import { TAX_KINDS, type TaxKind } from '../../taxes/index.js';

export const LOWEST = -Number.MAX_SAFE_INTEGER;

/** A row of a report, or a sum of rows. */
export class CurrencyRow {
  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;
}

/** The sum of some rows. */
export class CountedRow extends CurrencyRow {
  /** Number of entries in the sum. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;
}

/** Open amounts by days overdue. */
export class OpenSums extends CountedRow {
  /** Sum of the open amounts. */
  @Cents({ min: LOWEST })
  openCents: number | null;

  /** Portion that is not yet due. */
  @Cents({ min: LOWEST })
  currentCents: number | null;

  /** Portion that is 1 to 30 days overdue. */
  @Cents({ min: LOWEST })
  days1To30Cents: number | null;

  /** Portion that is 31 to 60 days overdue. */
  @Cents({ min: LOWEST })
  days31To60Cents: number | null;

  /** Portion that is 61 to 90 days overdue. */
  @Cents({ min: LOWEST })
  days61To90Cents: number | null;

  /** Portion that is more than 90 days overdue. */
  @Cents({ min: LOWEST })
  over90Cents: number | null;

  /**
   * Paid money that settles no entry: it is allocated to no due installment or, by documents, to no invoice. It includes money
   * of requested refunds, and is not subtracted from the open amounts.
   */
  @Cents({ min: LOWEST })
  prepaidCents: number | null;
}

/** Amounts with their tax. */
export class TaxedRow extends CurrencyRow {
  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** Amounts with one tax code and rate, as they were when the document was issued. */
export class TaxGroupRow extends TaxedRow {
  /** The tax code; null if the tax was given as an amount or a rate. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without one. */
  @Text({ max: 20 })
  taxCode: string | null;

  /** Kind of the tax code; null without one, but `outside_scope` for cancellation fees that are a compensation. */
  @OneOf(TAX_KINDS)
  taxKind: TaxKind | null;

  /** Tax rate in basis points; null if the tax was given as an amount. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;
}

/** Sums of all rows in one currency. */
export class TaxedTotals extends TaxedRow {
  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;
}
