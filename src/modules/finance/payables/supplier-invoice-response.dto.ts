import { named } from '../../../platform/http/named-values.js';
import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { AppliedRateResponse } from '../books/index.js';
import { effectiveBaseCurrency, effectiveRate } from './supplier-invoice-amounts.js';
import {
  SUPPLIER_INVOICE_STATUSES,
  type SupplierInvoice,
  type SupplierInvoiceStatus,
} from './supplier-invoice.entity.js';
import { type PricedLine, SERVICE_TYPES, type ServiceType } from './supplier-invoice-line.entity.js';

const SETTLEMENTS = named('SettlementStatus', ['unpaid', 'partially_paid', 'paid']);
type DeliveryResult = (typeof SETTLEMENTS)[number];

/** An invoice with the values that depend on the day and on other invoices. */
export interface SupplierInvoiceView {
  invoice: SupplierInvoice;
  overdue: boolean;
  possibleDuplicate: boolean;
}

export interface DetailedSupplierInvoiceView extends SupplierInvoiceView {
  lines: readonly PricedLine[];
}

/** A supplier invoice without its lines. Amounts are in minor units of `currency`. */
export class SupplierInvoiceSummary {
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

  /** Accounting currency of the organization, ISO 4217; null if none was stated and no recorded rate is applied. */
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

  /**
   * Units of `baseCurrency` for one unit of `currency`, as stated or by `appliedRate`, rounded to ten decimals; `1` if the
   * currencies are equal, null if unknown.
   */
  @DecimalText({ whole: 11, decimals: 10 })
  exchangeRate: string | null;

  /**
   * Recorded exchange rate that the approval applied, unless a rate was stated; it determines the base amounts. Null for
   * drafts, and if no conversion is needed.
   */
  @Nested(() => AppliedRateResponse)
  appliedRate: AppliedRateResponse | null;

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

  /**
   * Day on which the invoice counts in the books: its issue date, or the first open day at its approval if the month of
   * that date was closed. Null until approved.
   */
  @IsoDate()
  postingDate: string | null;

  /** Time of approval; null until then and after reopening. */
  @Instant()
  approvedAt: string | null;

  /** User who approved it, in a session or with an API token; `system` for the service itself. Null until approved. */
  @Text({ max: 100 })
  approvedBy: string | null;

  /** When the invoice was voided; null unless its status is `void`. */
  @Instant()
  voidedAt: string | null;

  /** Day of the voiding; null unless the status is `void`. */
  @IsoDate()
  voidedOn: string | null;

  /** Reason given with the voiding; null unless its status is `void`. */
  @Text({ max: 2000 })
  voidReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;

  /** `totalCents` - `paidCents`. */
  @Cents()
  balanceCents: number;

  /** Derived from `paidCents` and `totalCents`; an invoice with a total of 0 counts as `paid`. */
  @OneOf(SETTLEMENTS)
  settlementStatus: DeliveryResult;

  /** True if the due date has passed and a balance is open. */
  @Flag()
  overdue: boolean;

  /** `possible_duplicate`: another invoice of the supplier, issued at most 7 days apart, has the same total. */
  @Texts({ max: 1, maxLength: 50 })
  warnings: string[];
}

/** One line of a supplier invoice. Amounts are in minor units of the invoice currency. */
export class SupplierInvoiceLineResponse {
  /** Description of the delivery, as on the supplier's invoice. */
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
  return respond(SupplierInvoiceSummary, invoice, {
    baseCurrency: effectiveBaseCurrency(invoice),
    exchangeRate: effectiveRate(invoice),
    balanceCents: invoice.totalCents - invoice.paidCents,
    settlementStatus: deliveryResultOf(invoice),
    overdue,
    warnings: possibleDuplicate ? ['possible_duplicate'] : [],
  });
}

export function toSupplierInvoice(view: DetailedSupplierInvoiceView): SupplierInvoiceResponse {
  return { ...toSupplierInvoiceSummary(view), lines: view.lines.map(toLine) };
}

export function toLine(line: PricedLine): SupplierInvoiceLineResponse {
  return respond(SupplierInvoiceLineResponse, line);
}

function deliveryResultOf({ paidCents, totalCents }: SupplierInvoice): DeliveryResult {
  if (paidCents === totalCents) return 'paid';
  return paidCents === 0 ? 'unpaid' : 'partially_paid';
}

export class SupplierInvoiceEnvelope extends dataOf(SupplierInvoiceResponse) {}
export class SupplierInvoicePage extends pageOf(SupplierInvoiceSummary) {}
