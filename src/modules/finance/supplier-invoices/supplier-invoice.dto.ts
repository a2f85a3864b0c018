import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Ignored, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, DecimalText, IsoDate } from '../../../platform/http/trade-fields.js';
import { SUPPLIER_INVOICE_STATUSES, type SupplierInvoiceStatus } from './supplier-invoice.entity.js';
import { SERVICE_TYPES, type ServiceType } from './supplier-invoice-line.entity.js';

export const SORT_FIELDS = ['issueDate', 'dueDate', 'totalCents', 'createdAt'] as const;

export class CreateSupplierInvoiceLine {
  /** @example "Twin room, 3 nights" */
  @Text({ max: 500 })
  description: string;

  /** `other` unless given.
   * @example "accommodation" */
  @Optional()
  @OneOf(SERVICE_TYPES)
  serviceType?: ServiceType;

  /** 1 unless given.
   * @example 2 */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /** Without tax.
   * @example 5000 */
  @Cents()
  unitAmountCents: number;

  /** For the whole quantity; 0 unless given.
   * @example 1900 */
  @Optional()
  @Cents()
  taxAmountCents?: number;

  /** quantity * unitAmountCents + taxAmountCents; computed unless given.
   * @example 11900 */
  @Optional()
  @Cents()
  totalAmountCents?: number;
}

export class CreateSupplierInvoice {
  @Ignored()
  id?: undefined;

  /** Who sent it. @example "Hotel Bellevue AG" */
  @Text({ max: 255 })
  supplierName: string;

  /** The supplier's number. It is taken once per supplier among invoices that are not void, whatever its case and blanks.
   * @example "HB-2027-0042" */
  @Text({ max: 100 })
  invoiceNumber: string;

  /** @example "CHF" */
  @CurrencyCode()
  currency: string;

  /** The currency of our books.
   * @example "EUR" */
  @Clearable()
  @CurrencyCode()
  baseCurrency?: string | null;

  /** What is to be paid, in minor units; subtotalCents + taxCents, and the sum of the lines if there are any.
   * @example 11900 */
  @Cents()
  totalCents: number;

  /** `draft` unless given; `approved` creates and approves, and needs the scope `finance:approve` too.
   * @example "draft" */
  @Optional()
  @OneOf(SUPPLIER_INVOICE_STATUSES)
  status?: SupplierInvoiceStatus;

  /** @example "2027-01-15" */
  @IsoDate()
  issueDate: string;

  /** Not before issueDate.
   * @example "2027-02-14" */
  @Clearable()
  @IsoDate()
  dueDate?: string | null;

  /** totalCents - taxCents unless given.
   * @example 10000 */
  @Optional()
  @Cents()
  subtotalCents?: number;

  /** Unless given the sum of the lines' taxes, 0 without lines.
   * @example 1900 */
  @Optional()
  @Cents()
  taxCents?: number;

  /** Units of baseCurrency for one unit of currency; only with baseCurrency. Without it the base amounts stay null.
   * @example "1.0325" */
  @Clearable()
  @DecimalText({ whole: 10, decimals: 10 })
  exchangeRate?: string | null;

  /** @example "Stay of the group of 12 May" */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  /** What it is for, line by line. */
  @Optional()
  @ListOf(() => CreateSupplierInvoiceLine, { max: 500 })
  lines?: CreateSupplierInvoiceLine[];
}

/** Without `status`, which moves by approval, reopening and voiding. `lines` replaces all lines. */
export class UpdateSupplierInvoice extends patchOf(
  OmitType(CreateSupplierInvoice, ['id', 'status', 'invoiceNumber'] as const),
) {
  /** The supplier's number.
   * @example "HB-2027-0043" */
  @Optional()
  @Text({ max: 100 })
  invoiceNumber?: string;
}

/** Why an invoice is reopened or voided. */
export class SupplierInvoiceReason {
  /** Kept in the action ledger.
   * @example "The supplier sent a corrected invoice" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListSupplierInvoices extends PageQuery {
  @Optional()
  @OneOf(SUPPLIER_INVOICE_STATUSES)
  status?: SupplierInvoiceStatus;

  @Optional()
  @CurrencyCode()
  currency?: string;

  /** Due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Whether the due date has passed while something is still to be paid; drafts count, void invoices do not. */
  @Optional()
  @QueryFlag()
  overdue?: boolean;

  /** Part of the supplier's name or the invoice number, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** `-createdAt` unless given; a minus means descending, and invoices without due date come last either way. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
