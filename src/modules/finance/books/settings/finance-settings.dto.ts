import { dataOf } from '../../../../platform/http/dto.js';
import { Flag, OneOf, Optional, Version, Whole } from '../../../../platform/http/fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { CurrencyCode, Instant } from '../../../../platform/http/trade-fields.js';
import { CANCELLATION_FEE_TAXES, type CancellationFeeTax, type FinanceSettings } from './finance-settings.entity.js';

/** The whole accounting settings; omitted optional members get their defaults. */
export class ReplaceFinanceSettings {
  /**
   * Currency of the accounts. It cannot be changed after the first posting.
   * @example "EUR"
   */
  @CurrencyCode()
  baseCurrency: string;

  /**
   * Maximum age of the issue date of an own document in days; 31 by default.
   * @example 31
   */
  @Optional()
  @Whole({ min: 0, max: 366 })
  issueDateBackDays?: number;

  /**
   * Maximum age of a payment in days; 400 by default.
   * @example 400
   */
  @Optional()
  @Whole({ min: 0, max: 3_660 })
  paidOnBackDays?: number;

  /**
   * Tax of a cancellation fee: `outside_scope` (compensation without tax, the default) or `as_supply` (the tax codes of
   * the cancelled items).
   * @example "outside_scope"
   */
  @Optional()
  @OneOf(CANCELLATION_FEE_TAXES)
  cancellationFeeTax?: CancellationFeeTax;

  /**
   * Days between a cancellation and the day on which its refund is due; 14 by default.
   * @example 14
   */
  @Optional()
  @Whole({ min: 0, max: 365 })
  refundDays?: number;

  /**
   * The largest remainder of an installment that may be waived as a small difference, in minor units; 0 by default.
   * @example 500
   */
  @Optional()
  @Whole({ min: 0, max: 1_000_000 })
  toleranceCents?: number;

  /**
   * If true, booking items, trip components and invoice lines that staff add need a tax code, and trips can be reserved only if
   * each component has one; false by default. Cancellation fees have no code, nor do lines of items that were sold without one.
   * @example false
   */
  @Optional()
  @Flag()
  taxCodesRequired?: boolean;
}

/** Accounting settings of the organization. */
export class FinanceSettingsResponse {
  /** Currency of the accounts. */
  @CurrencyCode()
  baseCurrency: string;

  /** Maximum age of the issue date of an own document in days. */
  @Whole({ min: 0, max: 366 })
  issueDateBackDays: number;

  /** Maximum age of a payment in days. */
  @Whole({ min: 0, max: 3_660 })
  paidOnBackDays: number;

  /** Tax of a cancellation fee: none (`outside_scope`), or the tax of the cancelled items (`as_supply`). */
  @OneOf(CANCELLATION_FEE_TAXES)
  cancellationFeeTax: CancellationFeeTax;

  /** Days between a cancellation and the day on which its refund is due. */
  @Whole({ min: 0, max: 365 })
  refundDays: number;

  /** The largest remainder of an installment that may be waived as a small difference, in minor units. */
  @Whole({ min: 0, max: 1_000_000 })
  toleranceCents: number;

  /** Whether booking items, trip components and lines of invoices require a tax code. */
  @Flag()
  taxCodesRequired: boolean;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toFinanceSettings(settings: FinanceSettings): FinanceSettingsResponse {
  return respond(FinanceSettingsResponse, settings);
}

export class FinanceSettingsEnvelope extends dataOf(FinanceSettingsResponse) {}
