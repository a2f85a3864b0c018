import { Cents, Id, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { effectiveRate } from './supplier-invoice-amounts.js';
import {
  SUPPLIER_INVOICE_STATUSES,
  type SupplierInvoice,
  type SupplierInvoiceStatus,
} from './supplier-invoice.entity.js';

/** What the ledger keeps of an invoice: its columns. */
export class SupplierInvoiceFacts {
  @Id('sinv')
  id: string;

  @Text({ max: 255 })
  supplierName: string;

  @Text({ max: 100 })
  invoiceNumber: string;

  @CurrencyCode()
  currency: string;

  @CurrencyCode()
  baseCurrency: string | null;

  @Cents()
  totalCents: number;

  @OneOf(SUPPLIER_INVOICE_STATUSES)
  status: SupplierInvoiceStatus;

  @IsoDate()
  issueDate: string;

  @IsoDate()
  dueDate: string | null;

  @Cents()
  subtotalCents: number;

  @Cents()
  taxCents: number;

  /** Units of baseCurrency for one unit of currency; 1 where they are equal, null where it is unknown. */
  @DecimalText({ whole: 10, decimals: 10 })
  exchangeRate: string | null;

  /** totalCents in baseCurrency's minor units, rounded half up; null without a rate. */
  @Cents()
  baseTotalCents: number | null;

  @Cents()
  baseSubtotalCents: number | null;

  /** baseTotalCents - baseSubtotalCents. */
  @Cents()
  baseTaxCents: number | null;

  @Cents()
  paidCents: number;

  @Text({ min: 0, max: 2000 })
  notes: string | null;

  @Instant()
  approvedAt: string | null;

  /** The user who approved it, also by an API token; `system` for the service itself. */
  @Text({ max: 100 })
  approvedBy: string | null;

  @Instant()
  voidedAt: string | null;

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
