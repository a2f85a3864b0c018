import { dataOf, pageOf } from '../../../../platform/http/dto.js';
import {
  Cents,
  Flag,
  Id,
  ListOf,
  Nested,
  OneOf,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../../platform/http/fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { CurrencyCode, DecimalText, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { withNames } from '../../../../platform/http/row-names.js';
import {
  INVOICE_PURPOSES,
  type InvoicePurpose,
  LINES_SOURCES,
  type LinesSource,
  PAYER_SOURCES,
  type PayerSource,
  PRICE_BASES,
  type PriceBasis,
  type PricedLine,
} from '../account/billing-document.entity.js';
import { type Invoice, INVOICE_STATUSES, type InvoiceStatus } from '../account/invoice.entity.js';
import { TAX_KINDS, type TaxKind } from '../../../taxes/index.js';
import { BaseAmountsResponse, type TaxSummaryLine, taxSummaryOf, toBaseAmounts } from '../../books/index.js';
import type { StaleReason } from './draft-staleness.js';
import type { InvoiceView } from './invoices.service.js';
import { netUnitPrice } from './line-amounts.js';

const LOWEST = -Number.MAX_SAFE_INTEGER;

/** The seller's details as printed on the invoice, copied when it is issued. */
export class SellerResponse {
  /** Legal name of the organization. */
  @Text({ max: 500 })
  name: string;

  /** Postal address with line breaks; null if none is configured. */
  @Text({ max: 500 })
  address: string | null;

  /** Tax or VAT number of the organization; null if none is configured. */
  @Text({ max: 50 })
  taxId: string | null;
}

/** An invoice without its lines. Amounts are in minor units of `currency`. */
export class InvoiceSummary extends BaseAmountsResponse {
  @Id('inv')
  id: string;

  /** Invoiced booking (prefix `book`). */
  @Id('book')
  bookingId: string;

  /** Installment that the invoice requests (prefix `psch`); null if it is not for one installment. */
  @Id('psch')
  scheduleId: string | null;

  /**
   * `draft` until issued. Payments move it between `issued`, `partially_paid` and `paid`; it is `credited` once its
   * credit notes add up to the total.
   */
  @OneOf(INVOICE_STATUSES)
  status: InvoiceStatus;

  /** True if the invoice is issued, its due date has passed and a balance is open. */
  @Flag()
  overdue: boolean;

  /** Number from the series; null until issued. It is never reused, even after voiding. */
  @Text({ max: 50 })
  number: string | null;

  /** Number series that assigned the number (prefix `iser`); null until issued. */
  @Id('iser')
  seriesId: string | null;

  /** Date on the invoice; null until issued. */
  @IsoDate()
  issueDate: string | null;

  /** Payment deadline; always set once issued, null on a draft that has none. */
  @IsoDate()
  dueDate: string | null;

  /** Person or company billed. */
  @Text({ max: 255 })
  payerName: string;

  /** Postal address of the payer; null if not given. */
  @Text({ max: 1000 })
  payerAddress: string | null;

  /** Tax or VAT number of the payer; null if not given. */
  @Text({ max: 50 })
  payerTaxId: string | null;

  /** Issuing organization as configured when the invoice was issued; null until then. */
  @Nested(() => SellerResponse)
  seller: SellerResponse | null;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Sum of the lines' `netCents`. */
  @Cents({ min: LOWEST })
  subtotalCents: number;

  /** Sum of the lines' `taxCents`. */
  @Cents({ min: LOWEST })
  taxCents: number;

  /** Amount to pay: `subtotalCents` + `taxCents`. */
  @Cents()
  totalCents: number;

  /** Sum of the payment allocations that count on the invoice; set by the server. */
  @Cents()
  paidCents: number;

  /** Sum of the issued credit notes of the invoice; set by the server. */
  @Cents()
  creditedCents: number;

  /** `totalCents` - `creditedCents` - `paidCents`. */
  @Cents()
  balanceCents: number;

  /** When the invoice was issued; null until then. */
  @Instant()
  issuedAt: string | null;

  /** When the invoice was voided; null unless its status is `void`. */
  @Instant()
  voidedAt: string | null;

  /** Reason given with the voiding; null unless its status is `void`. */
  @Text({ max: 2000 })
  voidReason: string | null;

  /** `cancellation_fee` for the fee of a cancelled booking; null for its price. */
  @OneOf(INVOICE_PURPOSES)
  purpose: InvoicePurpose | null;

  /** Time at which the sending was recorded; null if it was not. A sent invoice cannot be voided. */
  @Instant()
  sentAt: string | null;

  /** Day on which the invoice was sent; null if that was not recorded. */
  @IsoDate()
  sentOn: string | null;

  /** Source of the lines, or `manual` if staff entered them. */
  @OneOf(LINES_SOURCES)
  linesSource: LinesSource;

  /** `customer` if the payer is the customer of the booking, `manual` if staff entered it. */
  @OneOf(PAYER_SOURCES)
  payerSource: PayerSource;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** One line of an invoice. Amounts are in minor units of the invoice currency. */
export class InvoiceLineResponse {
  /** Booking item of the line (prefix `bkit`); null if none. */
  @Id('bkit')
  bookingItemId: string | null;

  /** Description of the service, as printed on the invoice. */
  @Text({ max: 500 })
  description: string;

  /** Decimal number as text, without trailing zeros. */
  @DecimalText({ whole: 8, decimals: 4 })
  quantity: string;

  /**
   * Basis of `unitPriceCents`: `net` is without tax, `gross` with tax, `allocated` with the line's part of the tax of the
   * booking.
   */
  @OneOf(PRICE_BASES)
  priceBasis: PriceBasis;

  /** Price of one unit, with or without tax depending on `priceBasis`; negative for a discount. */
  @Cents({ min: LOWEST })
  unitPriceCents: number;

  /** Price of one unit without tax as it is printed, in units of the currency with 4 decimals. */
  @Text({ max: 30 })
  netUnitPrice: string;

  /** Tax code of the line (prefix `taxc`); null for an amount without a tax code. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without a tax code. */
  @Text({ max: 20 })
  taxCode: string | null;

  /** Tax treatment from the tax code; null without a tax code. */
  @OneOf(TAX_KINDS)
  taxKind: TaxKind | null;

  /** Tax rate in basis points, 1900 is 19 %; null if the tax was sent as an amount, or if the line shows no rate (margin scheme). */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** `quantity` * `unitPriceCents`, rounded half up. */
  @Cents({ min: LOWEST })
  netCents: number;

  /** Tax of the line, computed from the rate or as sent. */
  @Cents({ min: LOWEST })
  taxCents: number;

  /** `netCents` + `taxCents`. */
  @Cents({ min: LOWEST })
  totalCents: number;

  /** Printed sentence of the tax code, such as the reason of an exemption; null if there is none. */
  @Text({ max: 500 })
  mention: string | null;

  /** First day on which the service is delivered; null if it is open. */
  @IsoDate()
  serviceDate: string | null;

  /** Last day of the service; null if it is delivered on one day. */
  @IsoDate()
  serviceEndDate: string | null;
}

/** The amounts of a document at one rate of one tax code. Amounts are in minor units of the document's currency. */
export class TaxSummaryResponse {
  /** Tax code (prefix `taxc`); null for amounts without a tax code. */
  @Id('taxc')
  taxCodeId: string | null;

  /** Text of the tax code; null without a tax code. */
  @Text({ max: 20 })
  taxCode: string | null;

  /** Tax treatment from the tax code; null without a tax code. */
  @OneOf(TAX_KINDS)
  taxKind: TaxKind | null;

  /** Tax rate in basis points; null if the tax was sent as an amount, or if the line shows no rate (margin scheme). */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Sum without tax. */
  @Cents({ min: LOWEST })
  netCents: number;

  /** Sum of the tax. */
  @Cents({ min: LOWEST })
  taxCents: number;

  /** Sum with tax. */
  @Cents({ min: LOWEST })
  grossCents: number;

  /** Printed sentence of the tax code, such as the reason of an exemption; null if there is none. */
  @Text({ max: 500 })
  mention: string | null;

  /** `netCents` in the base currency of the accounts; null until issued, and if the document was not converted. */
  @Cents({ min: LOWEST })
  baseNetCents: number | null;

  /** The tax in the base currency: `baseGrossCents` - `baseNetCents`. */
  @Cents({ min: LOWEST })
  baseTaxCents: number | null;

  /** `grossCents` in the base currency; null whenever `baseNetCents` is null. */
  @Cents({ min: LOWEST })
  baseGrossCents: number | null;
}

/** An invoice with its lines. Amounts are in minor units of `currency`. */
export class InvoiceResponse extends InvoiceSummary {
  /** True if the draft no longer agrees with the booking; it then cannot be issued until it is redrawn. */
  @Flag()
  stale: boolean;

  /** Reasons why the draft is stale; empty if it is not, and once it is issued. */
  @Texts({ max: 8, maxLength: 30 })
  staleReasons: StaleReason[];

  /** Lines in printed order. */
  @ListOf(() => InvoiceLineResponse, { min: 1, max: 500 })
  lines: InvoiceLineResponse[];

  /** The sums of the lines for each tax code and rate. */
  @ListOf(() => TaxSummaryResponse, { min: 1, max: 500 })
  taxSummary: TaxSummaryResponse[];
}

/** `today` is the organization's calendar day. */
export function toInvoiceSummary(invoice: Invoice, today: string): InvoiceSummary {
  return respond(InvoiceSummary, invoice, {
    overdue: invoice.isOverdue(today),
    seller: invoice.seller(),
    ...toBaseAmounts(invoice),
    balanceCents: invoice.balanceCents(),
  });
}

export function toInvoice({ invoice, lines, staleness }: InvoiceView, today: string): InvoiceResponse {
  const { reasons } = staleness;
  return {
    ...toInvoiceSummary(invoice, today),
    stale: reasons.length > 0,
    staleReasons: reasons,
    lines: lines.map((line) => toInvoiceLine(line, invoice.currency)),
    taxSummary: taxSummaryOf(lines, invoice).map(toTaxSummary),
  };
}

export function toTaxSummary(line: TaxSummaryLine): TaxSummaryResponse {
  return respond(TaxSummaryResponse, line);
}

export function toInvoiceLine(line: PricedLine, currency: string): InvoiceLineResponse {
  return respond(InvoiceLineResponse, line, { netUnitPrice: netUnitPrice(line, currency) });
}

export class InvoiceEnvelope extends dataOf(InvoiceResponse) {}
/** An invoice in a list, with names beside its IDs. */
class InvoiceRow extends withNames(InvoiceSummary, 'bookingId') {}

export class InvoicePage extends pageOf(InvoiceRow) {}
