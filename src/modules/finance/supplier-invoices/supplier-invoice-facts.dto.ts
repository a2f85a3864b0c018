import { Cents, Id, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { effectiveRate } from './supplier-invoice-amounts.js';
import {
  SUPPLIER_INVOICE_STATUSES,
  type SupplierInvoice,
  type SupplierInvoiceStatus,
} from './supplier-invoice.entity.js';

/** A supplier invoice as stored in the action ledger, without lines and computed warnings. */
export class SupplierInvoiceFacts {
  @Id('sinv')
  id: string;

  /** Supplier that sent the invoice. */
  @Text({ max: 255 })
  supplierName: string;

  /** Number on the supplier's invoice; unique per supplier among invoices that are not void. */
  @Text({ max: 100 })
  invoiceNumber: string;

  /** Currency of the invoice, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Accounting currency of the organization, ISO 4217; null if no conversion is needed. */
  @CurrencyCode()
  baseCurrency: string | null;

  /** Amount to pay, in minor units of `currency`. */
  @Cents()
  totalCents: number;

  /** `paid` is set by the server when payments cover the total. */
  @OneOf(SUPPLIER_INVOICE_STATUSES)
  status: SupplierInvoiceStatus;

  /** Date on the supplier's invoice. */
  @IsoDate()
  issueDate: string;

  /** Payment deadline; null if none is stated. */
  @IsoDate()
  dueDate: string | null;

  /** Amount without tax, in minor units of `currency`. */
  @Cents()
  subtotalCents: number;

  /** Tax, in minor units of `currency`. */
  @Cents()
  taxCents: number;

  /** Units of `baseCurrency` for one unit of `currency`; `1` if they are equal, null if unknown. */
  @DecimalText({ whole: 10, decimals: 10 })
  exchangeRate: string | null;

  /** `totalCents` in minor units of `baseCurrency`, rounded half up; null without a rate. */
  @Cents()
  baseTotalCents: number | null;

  /** `subtotalCents` in minor units of `baseCurrency`, rounded half up; null without a rate. */
  @Cents()
  baseSubtotalCents: number | null;

  /** `baseTotalCents` - `baseSubtotalCents`; null without a rate. */
  @Cents()
  baseTaxCents: number | null;

  /** Sum of the payment allocations that count on it; set by the server. */
  @Cents()
  paidCents: number;

  /** Internal notes of staff; null if there are none. */
  @Text({ min: 0, max: 2000 })
  notes: string | null;

  /** When the invoice was approved; null until then and after reopening. */
  @Instant()
  approvedAt: string | null;

  /** User who approved it, also if an API token was used; `system` for the service itself. Null until approved. */
  @Text({ max: 100 })
  approvedBy: string | null;

  /** When the invoice was voided; null unless its status is `void`. */
  @Instant()
  voidedAt: string | null;

  /** Reason given with the voiding; null unless its status is `void`. */
  @Text({ max: 2000 })
  voidReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSupplierInvoiceFacts(invoice: SupplierInvoice): SupplierInvoiceFacts {
  return {
    id: invoice.id,
    supplierName: invoice.supplierName,
    invoiceNumber: invoice.invoiceNumber,
    currency: invoice.currency,
    baseCurrency: invoice.baseCurrency,
    totalCents: invoice.totalCents,
    status: invoice.status,
    issueDate: invoice.issueDate,
    dueDate: invoice.dueDate,
    subtotalCents: invoice.subtotalCents,
    taxCents: invoice.taxCents,
    exchangeRate: effectiveRate(invoice),
    baseTotalCents: invoice.baseTotalCents,
    baseSubtotalCents: invoice.baseSubtotalCents,
    baseTaxCents: invoice.baseTaxCents,
    paidCents: invoice.paidCents,
    notes: invoice.notes,
    approvedAt: invoice.approvedAt?.toISOString() ?? null,
    approvedBy: invoice.approvedBy,
    voidedAt: invoice.voidedAt?.toISOString() ?? null,
    voidReason: invoice.voidReason,
    version: invoice.version,
    createdAt: invoice.createdAt.toISOString(),
    updatedAt: invoice.updatedAt.toISOString(),
  };
}
