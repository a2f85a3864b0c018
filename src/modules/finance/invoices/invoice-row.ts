import { type Columns, make } from '../../../platform/database/rows.js';
import { Invoice } from './invoice.entity.js';
import type { InvoiceView } from './invoice-response.dto.js';

/** $1 is today. A draft asks nobody for money yet. */
export const OVERDUE = `(invoice.status in ('issued', 'partially_paid') and invoice.due_date < $1::date
  and invoice.paid_cents < invoice.total_cents)`;

export const COLUMNS = `
  invoice.id, invoice.type, invoice.booking_id as "bookingId", invoice.schedule_id as "scheduleId", invoice.status,
  invoice.number, invoice.series_id as "seriesId", invoice.period_key as "periodKey", invoice.sequence,
  invoice.issue_date as "issueDate", invoice.due_date as "dueDate", invoice.payer_name as "payerName",
  invoice.payer_address as "payerAddress", invoice.payer_tax_id as "payerTaxId", invoice.seller_name as "sellerName",
  invoice.seller_address as "sellerAddress", invoice.seller_tax_id as "sellerTaxId", invoice.currency,
  invoice.subtotal_cents as "subtotalCents", invoice.tax_cents as "taxCents", invoice.total_cents as "totalCents",
  invoice.paid_cents as "paidCents", invoice.issued_at as "issuedAt", invoice.voided_at as "voidedAt",
  invoice.void_reason as "voidReason", invoice.version, invoice.created_at as "createdAt",
  invoice.updated_at as "updatedAt"`;

export const LINES = `coalesce((
  select json_agg(json_build_object(
    'bookingItemId', line.booking_item_id, 'description', line.description,
    'quantity', trim_scale(line.quantity)::text, 'unitPriceCents', line.unit_price_cents,
    'taxRateBasisPoints', line.tax_rate_basis_points, 'netCents', line.net_cents, 'taxCents', line.tax_cents,
    'totalCents', line.total_cents) order by line.position)
  from invoice_lines line where line.invoice_id = invoice.id), '[]'::json)`;

type Amount = 'sequence' | 'subtotalCents' | 'taxCents' | 'totalCents' | 'paidCents';

/** As the driver hands it out: bigint columns are text. */
export type InvoiceRow = Omit<Columns<Invoice>, Amount> &
  Record<Exclude<Amount, 'sequence'>, string> & { sequence: string | null; overdue: boolean };

export function toView(row: InvoiceRow): InvoiceView {
  const invoice = make(Invoice, {
    id: row.id,
    type: row.type,
    bookingId: row.bookingId,
    scheduleId: row.scheduleId,
    status: row.status,
    number: row.number,
    seriesId: row.seriesId,
    periodKey: row.periodKey,
    sequence: row.sequence === null ? null : Number(row.sequence),
    issueDate: row.issueDate,
    dueDate: row.dueDate,
    payerName: row.payerName,
    payerAddress: row.payerAddress,
    payerTaxId: row.payerTaxId,
    sellerName: row.sellerName,
    sellerAddress: row.sellerAddress,
    sellerTaxId: row.sellerTaxId,
    currency: row.currency,
    subtotalCents: Number(row.subtotalCents),
    taxCents: Number(row.taxCents),
    totalCents: Number(row.totalCents),
    paidCents: Number(row.paidCents),
    issuedAt: row.issuedAt,
    voidedAt: row.voidedAt,
    voidReason: row.voidReason,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  });
  return { invoice, overdue: row.overdue };
}
