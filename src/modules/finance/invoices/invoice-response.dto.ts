import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { INVOICE_STATUSES, type Invoice, type InvoiceStatus } from './invoice.entity.js';
import type { PricedLine } from './line-amounts.js';

const LOWEST = -Number.MAX_SAFE_INTEGER;

/** An invoice with what the day tells of it. */
export interface InvoiceView {
  invoice: Invoice;
  overdue: boolean;
}

export interface DetailedInvoiceView extends InvoiceView {
  lines: readonly PricedLine[];
}

export class SellerResponse {
  @Text({ max: 500 })
  name: string;

  @Text({ max: 500 })
  address: string | null;

  @Text({ max: 50 })
  taxId: string | null;
}

/** As it stands in lists: everything but the lines. */
export class InvoiceSummary {
  @Id('inv')
  id: string;

  @Id('book')
  bookingId: string;

  /** The installment that it asks for. */
  @Id('psch')
  scheduleId: string | null;

  @OneOf(INVOICE_STATUSES)
  status: InvoiceStatus;

  /** It is issued, its due date has passed, and something is still to be paid. */
  @Flag()
  overdue: boolean;

  /** Null until it is issued; never given again, also after a voiding. */
  @Text({ max: 50 })
  number: string | null;

  @Id('iser')
  seriesId: string | null;

  @IsoDate()
  issueDate: string | null;

  @IsoDate()
  dueDate: string | null;

  @Text({ max: 255 })
  payerName: string;

  @Text({ max: 1000 })
  payerAddress: string | null;

  @Text({ max: 50 })
  payerTaxId: string | null;

  /** As configured when it was issued. */
  @Nested(() => SellerResponse)
  seller: SellerResponse | null;

  @CurrencyCode()
  currency: string;

  @Cents({ min: LOWEST })
  subtotalCents: number;

  @Cents({ min: LOWEST })
  taxCents: number;

  @Cents()
  totalCents: number;

  @Cents()
  paidCents: number;

  /** totalCents - paidCents. */
  @Cents()
  balanceCents: number;

  @Instant()
  issuedAt: string | null;

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

export class InvoiceLineResponse {
  @Id('bkit')
  bookingItemId: string | null;

  @Text({ max: 500 })
  description: string;

  @DecimalText({ whole: 8, decimals: 4 })
  quantity: string;

  @Cents({ min: LOWEST })
  unitPriceCents: number;

  /** Null: the tax was given. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  @Cents({ min: LOWEST })
  netCents: number;

  @Cents({ min: LOWEST })
  taxCents: number;

  @Cents({ min: LOWEST })
  totalCents: number;
}

export class InvoiceResponse extends InvoiceSummary {
  @ListOf(() => InvoiceLineResponse, { min: 1, max: 500 })
  lines: InvoiceLineResponse[];
}

export function toInvoiceSummary({ invoice, overdue }: InvoiceView): InvoiceSummary {
  return {
    id: invoice.id,
    bookingId: invoice.bookingId,
    scheduleId: invoice.scheduleId,
    status: invoice.status,
    overdue,
    number: invoice.number,
    seriesId: invoice.seriesId,
    issueDate: invoice.issueDate,
    dueDate: invoice.dueDate,
    payerName: invoice.payerName,
    payerAddress: invoice.payerAddress,
    payerTaxId: invoice.payerTaxId,
    seller: sellerOf(invoice),
    currency: invoice.currency,
    subtotalCents: invoice.subtotalCents,
    taxCents: invoice.taxCents,
    totalCents: invoice.totalCents,
    paidCents: invoice.paidCents,
    balanceCents: invoice.totalCents - invoice.paidCents,
    issuedAt: invoice.issuedAt?.toISOString() ?? null,
    voidedAt: invoice.voidedAt?.toISOString() ?? null,
    voidReason: invoice.voidReason,
    version: invoice.version,
    createdAt: invoice.createdAt.toISOString(),
    updatedAt: invoice.updatedAt.toISOString(),
  };
}

export function toInvoice(view: DetailedInvoiceView): InvoiceResponse {
  return { ...toInvoiceSummary(view), lines: view.lines.map(toLine) };
}

function toLine(line: PricedLine): InvoiceLineResponse {
  return {
    bookingItemId: line.bookingItemId,
    description: line.description,
    quantity: line.quantity,
    unitPriceCents: line.unitPriceCents,
    taxRateBasisPoints: line.taxRateBasisPoints,
    netCents: line.netCents,
    taxCents: line.taxCents,
    totalCents: line.totalCents,
  };
}

function sellerOf({ sellerName, sellerAddress, sellerTaxId }: Invoice): SellerResponse | null {
  return sellerName === null ? null : { name: sellerName, address: sellerAddress, taxId: sellerTaxId };
}

export class InvoiceEnvelope extends dataOf(InvoiceResponse) {}
export class InvoicePage extends pageOf(InvoiceSummary) {}
