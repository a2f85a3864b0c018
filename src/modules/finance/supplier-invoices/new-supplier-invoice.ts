import { make } from '../../../platform/database/rows.js';
import { sumOf } from './supplier-invoice-amounts.js';
import { SupplierInvoice, type SupplierInvoiceChanges } from './supplier-invoice.entity.js';
import type { PricedLine } from './supplier-invoice-line.entity.js';

/** What an invoice cannot be without. */
type Required = 'supplierName' | 'invoiceNumber' | 'currency' | 'totalCents' | 'issueDate';

export type SupplierInvoiceInput = Omit<SupplierInvoiceChanges, Required> &
  globalThis.Required<Pick<SupplierInvoiceChanges, Required>>;

/** A draft with its defaults. Throws 400 where dates or the rate contradict each other, 422 `totals_mismatch`. */
export function newSupplierInvoice(
  input: SupplierInvoiceInput,
  { id, lines, now }: { id: string; lines: readonly PricedLine[]; now: Date },
): SupplierInvoice {
  const taxCents = input.taxCents ?? sumOf(lines, ({ taxAmountCents }) => taxAmountCents);
  const invoice = make(SupplierInvoice, {
    id,
    supplierName: input.supplierName,
    supplierKey: '',
    invoiceNumber: input.invoiceNumber,
    numberKey: '',
    currency: input.currency,
    baseCurrency: input.baseCurrency ?? null,
    totalCents: input.totalCents,
    subtotalCents: input.subtotalCents ?? input.totalCents - taxCents,
    taxCents,
    exchangeRate: input.exchangeRate ?? null,
    baseTotalCents: null,
    baseSubtotalCents: null,
    baseTaxCents: null,
    paidCents: 0,
    status: 'draft',
    issueDate: input.issueDate,
    dueDate: input.dueDate ?? null,
    notes: input.notes ?? null,
    approvedAt: null,
    approvedBy: null,
    voidedAt: null,
    voidReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  invoice.conclude(lines);
  return invoice;
}
