import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, DecimalText, IsoDate } from '../../../platform/http/trade-fields.js';
import { SUPPLIER_INVOICE_STATUSES, type SupplierInvoiceStatus } from './supplier-invoice.entity.js';
import { SERVICE_TYPES, type ServiceType } from './supplier-invoice-line.entity.js';

export const SORT_FIELDS = ['issueDate', 'dueDate', 'totalCents', 'createdAt'] as const;

/** One line of a supplier invoice. Amounts are in minor units of the invoice currency. */
export class CreateSupplierInvoiceLine {
  /**
   * Description of the delivery, as on the supplier's invoice.
   * @example "Twin room, 3 nights"
   */
  @Text({ max: 500 })
  description: string;

  /**
   * Kind of service; `other` by default.
   * @example "accommodation"
   */
  @Optional()
  @OneOf(SERVICE_TYPES)
  serviceType?: ServiceType;

  /**
   * Number of units; 1 by default.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /**
   * Price of one unit without tax, in minor units.
   * @example 5000
   */
  @Cents()
  unitAmountCents: number;

  /**
   * Tax for the whole quantity, in minor units; 0 by default.
   * @example 1900
   */
  @Optional()
  @Cents()
  taxAmountCents?: number;

  /**
   * `quantity` * `unitAmountCents` + `taxAmountCents`. If sent, it must equal the computed amount.
   * @example 11900
   */
  @Optional()
  @Cents()
  totalAmountCents?: number;
}

/** An invoice received from a supplier. Amounts are in minor units of `currency`. */
export class CreateSupplierInvoice {
  @Ignored()
  id?: undefined;

  /**
   * Supplier that sent the invoice.
   * @example "Hotel Bellevue AG"
   */
  @Text({ max: 255 })
  supplierName: string;

  /**
   * Number on the supplier's invoice; unique per supplier among invoices that are not void, ignoring case and
   * repeated blanks.
   * @example "HB-2027-0042"
   */
  @Text({ max: 100 })
  invoiceNumber: string;

  /**
   * Currency of the invoice, ISO 4217.
   * @example "CHF"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Accounting currency of the organization, ISO 4217; null if no rate is stated. The approval requires the base currency of
   * the settings.
   * @example "EUR"
   */
  @Clearable()
  @CurrencyCode()
  baseCurrency?: string | null;

  /**
   * Amount to pay, in minor units: `subtotalCents` + `taxCents`, and the sum of the lines if there are any.
   * @example 11900
   */
  @Cents()
  totalCents: number;

  /**
   * `draft` (default), or `approved` to create and approve in one call, which also needs the scope `finance:approve`.
   * @example "draft"
   */
  @Optional()
  @OneOf(SUPPLIER_INVOICE_STATUSES)
  status?: SupplierInvoiceStatus;

  /**
   * Date on the supplier's invoice.
   * @example "2027-01-15"
   */
  @IsoDate()
  issueDate: string;

  /**
   * Payment deadline, not before `issueDate`; null if none is stated.
   * @example "2027-02-14"
   */
  @Clearable()
  @IsoDate()
  dueDate?: string | null;

  /**
   * Amount without tax, in minor units; `totalCents` - `taxCents` by default.
   * @example 10000
   */
  @Optional()
  @Cents()
  subtotalCents?: number;

  /**
   * Tax in minor units; by default the sum of the lines' tax, 0 without lines.
   * @example 1900
   */
  @Optional()
  @Cents()
  taxCents?: number;

  /**
   * Units of `baseCurrency` for one unit of `currency` as the supplier states them, decimal as text; needs `baseCurrency`.
   * Without it the base amounts are null until the approval applies the recorded exchange rate.
   * @example "1.0325"
   */
  @Clearable()
  @DecimalText({ whole: 10, decimals: 10 })
  exchangeRate?: string | null;

  /**
   * Internal notes of staff; null if there are none.
   * @example "Stay of the group of 12 May"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  /** Optional breakdown, at most 500 lines. If there are lines, they must add up to `totalCents`. */
  @Optional()
  @ListOf(() => CreateSupplierInvoiceLine, { max: 500 })
  lines?: CreateSupplierInvoiceLine[];
}

/**
 * The fields to change. `lines` replaces all lines; `status` is changed by approval, reopening, voiding and payments.
 */
export class UpdateSupplierInvoice extends patchOf(
  OmitType(CreateSupplierInvoice, ['id', 'status', 'invoiceNumber'] as const),
) {
  /**
   * Number on the supplier's invoice; unique per supplier among invoices that are not void.
   * @example "HB-2027-0043"
   */
  @Optional()
  @Text({ max: 100 })
  invoiceNumber?: string;
}

/** Reason for reopening or voiding a supplier invoice. */
export class SupplierInvoiceReason {
  /**
   * Stored with the action ledger entry; for voiding also with the invoice.
   * @example "The supplier sent a corrected invoice"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListSupplierInvoices extends PageQuery {
  /** Only supplier invoices in one of these statuses. */
  @Optional()
  @AnyOf(SUPPLIER_INVOICE_STATUSES)
  status?: SupplierInvoiceStatus[];

  /** Only supplier invoices in this currency, ISO 4217. */
  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Only supplier invoices due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only supplier invoices due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /**
   * If true, only invoices past their due date with an open balance (including drafts, but not void ones); if false, only the
   * others.
   */
  @Optional()
  @QueryFlag()
  overdue?: boolean;

  /** Only invoices whose supplier name or number contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /**
   * Sort field, `-createdAt` by default; a leading `-` means descending order. Invoices without due date come last in
   * either order.
   */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
