import { named } from '../../../platform/http/named-values.js';
import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, ListOf, OneOf, Text, Texts, Whole } from '../../../platform/http/fields.js';
import type { SupplierInvoice } from './supplier-invoice.entity.js';
import { SupplierInvoiceFacts, toSupplierInvoiceFacts } from './supplier-invoice-facts.dto.js';
import { type PricedLine, SERVICE_TYPES, type ServiceType } from './supplier-invoice-line.entity.js';

const SETTLEMENTS = named('SettlementStatus', ['unpaid', 'partially_paid', 'paid']);
type Settlement = (typeof SETTLEMENTS)[number];

/** An invoice with what only a look at the day and at other invoices can tell. */
export interface SupplierInvoiceView {
  invoice: SupplierInvoice;
  overdue: boolean;
  possibleDuplicate: boolean;
}

export interface DetailedSupplierInvoiceView extends SupplierInvoiceView {
  lines: readonly PricedLine[];
}

/** A supplier invoice without its lines. Amounts are in minor units of `currency`. */
export class SupplierInvoiceSummary extends SupplierInvoiceFacts {
  /** `totalCents` - `paidCents`. */
  @Cents()
  balanceCents: number;

  /** Derived from `paidCents` and `totalCents`; an invoice over 0 counts as `paid`. */
  @OneOf(SETTLEMENTS)
  settlementStatus: Settlement;

  /** True if the due date has passed and a balance is open. */
  @Flag()
  overdue: boolean;

  /** `possible_duplicate`: another invoice of the supplier, issued at most 7 days apart, has the same total. */
  @Texts({ max: 1, maxLength: 50 })
  warnings: string[];
}

/** One line of a supplier invoice. Amounts are in minor units of the invoice currency. */
export class SupplierInvoiceLineResponse {
  /** What was delivered, as on the supplier's invoice. */
  @Text({ max: 500 })
  description: string;

  /** Kind of service; `other` if none was given. */
  @OneOf(SERVICE_TYPES)
  serviceType: ServiceType;

  /** Number of units of the service. */
  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  /** Price of one unit without tax. */
  @Cents()
  unitAmountCents: number;

  /** Tax for the whole quantity. */
  @Cents()
  taxAmountCents: number;

  /** `quantity` * `unitAmountCents` + `taxAmountCents`. */
  @Cents()
  totalAmountCents: number;
}

/** A supplier invoice with its lines. Amounts are in minor units of `currency`. */
export class SupplierInvoiceResponse extends SupplierInvoiceSummary {
  /** Breakdown of the total; empty if none was given. */
  @ListOf(() => SupplierInvoiceLineResponse, { max: 500 })
  lines: SupplierInvoiceLineResponse[];
}

export function toSupplierInvoiceSummary(view: SupplierInvoiceView): SupplierInvoiceSummary {
  const { invoice, overdue, possibleDuplicate } = view;
  return {
    ...toSupplierInvoiceFacts(invoice),
    balanceCents: invoice.totalCents - invoice.paidCents,
    settlementStatus: settlementOf(invoice),
    overdue,
    warnings: possibleDuplicate ? ['possible_duplicate'] : [],
  };
}

export function toSupplierInvoice(view: DetailedSupplierInvoiceView): SupplierInvoiceResponse {
  return { ...toSupplierInvoiceSummary(view), lines: view.lines.map(toLine) };
}

export function toLine(line: PricedLine): SupplierInvoiceLineResponse {
  return {
    description: line.description,
    serviceType: line.serviceType,
    quantity: line.quantity,
    unitAmountCents: line.unitAmountCents,
    taxAmountCents: line.taxAmountCents,
    totalAmountCents: line.totalAmountCents,
  };
}

function settlementOf({ paidCents, totalCents }: SupplierInvoice): Settlement {
  if (paidCents === totalCents) return 'paid';
  return paidCents === 0 ? 'unpaid' : 'partially_paid';
}

export class SupplierInvoiceEnvelope extends dataOf(SupplierInvoiceResponse) {}
export class SupplierInvoicePage extends pageOf(SupplierInvoiceSummary) {}
