import { IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { reportOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { RECIPIENT_TYPES, type RecipientType } from '../commissions/index.js';
import {
  DOCUMENT_TYPES,
  type DocumentType,
  type Method,
  METHODS,
  PAYMENT_KINDS,
  type PaymentKind,
  SequenceEntry,
} from '../books/index.js';
import { VAT_SIDES, type VatSide } from './report-query.dto.js';
import { CountedRow, CurrencyRow, LOWEST, TaxedRow, TaxedTotals, TaxGroupRow } from './report-amounts.dto.js';

export const STATEMENT_ENTRIES = extensible('StatementEntryKind', [
  'invoice',
  'credit_note',
  'receipt',
  'refund',
  'transfer_in',
  'transfer_out',
  'reversal',
]);

/** Amounts in the base currency of the accounts. */
class BaseRow {
  /** Base currency of the accounts, ISO 4217. */
  @CurrencyCode()
  baseCurrency: string;

  /** Net amount in `baseCurrency`; null if a document was not converted, as are tax and gross amount. */
  @Cents({ min: LOWEST })
  baseNetCents: number | null;

  /** Tax in `baseCurrency`. */
  @Cents({ min: LOWEST })
  baseTaxCents: number | null;

  /** Gross amount in `baseCurrency`. */
  @Cents({ min: LOWEST })
  baseGrossCents: number | null;
}

/** Tax of one side with one tax code and rate. */
class VatRow extends IntersectionType(TaxGroupRow, BaseRow) {
  /** Identifier of the side with its tax code and rate, for the filter `group`. */
  @Text({ max: 64 })
  group: string;

  /** `output` for own documents, `input` for supplier invoices, whose tax has no code. */
  @OneOf(VAT_SIDES)
  side: VatSide;
}

/** Documents of one side with one tax code and rate. */
class VatRate extends VatRow {
  /** Number of documents. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Documents without an exchange rate to the base currency, such as those issued before rates were kept. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  unconverted: number;
}

/** Sums of one side in one currency. */
class VatTotals extends IntersectionType(TaxedTotals, BaseRow) {
  /** `output` for own documents, `input` for supplier invoices. */
  @OneOf(VAT_SIDES)
  side: VatSide;

  /** Documents without an exchange rate to the base currency. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  unconverted: number;
}

/** Sums of one side in the base currency, for documents in all currencies. */
class VatBaseTotals extends BaseRow {
  /** `output` for own documents, `input` for supplier invoices. */
  @OneOf(VAT_SIDES)
  side: VatSide;

  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Documents without an exchange rate to the base currency; if there are any, the sums are null. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  unconverted: number;
}

/** A document with its tax of one code and rate. Amounts of credit notes, and of supplier invoices that were voided, are negative. */
class VatDocument extends VatRow {
  /** Kind of the document. */
  @OneOf(['invoice', 'credit_note', 'supplier_invoice'])
  type: string;

  /** ID of the document. */
  @Text({ max: 100 })
  id: string;

  /** Number of the document. */
  @Text({ max: 100 })
  number: string;

  /** Issue date of an own document, posting date of a supplier invoice. */
  @IsoDate()
  date: string;

  /** Name of the payer on the document, or of the supplier. */
  @Text({ max: 500 })
  party: string;
}

/** Sales in a month, of a product, by a channel or for a departure. */
class RevenueRow extends TaxedRow {
  /** Month `YYYY-MM`, or ID of the product, channel or departure; null for sales without one. */
  @Text({ min: 0, max: 100 })
  group: string | null;

  /** Current name of the product, channel or departure; null for sales without one. */
  @Text({ min: 0, max: 500 })
  name: string | null;

  /** Units of items of the type `unit`. */
  @Whole({ min: LOWEST, max: Number.MAX_SAFE_INTEGER })
  units: number;
}

/** Margin of the sales in a month, of a product, by a channel or for a departure. */
class MarginRow extends CurrencyRow {
  /** Month `YYYY-MM`, or ID of the product, channel or departure; null for sales without one. */
  @Text({ min: 0, max: 100 })
  group: string | null;

  /** Current name of the product, channel or departure; null for sales without one. */
  @Text({ min: 0, max: 500 })
  name: string | null;

  /** Units of items of the type `unit`. */
  @Whole({ min: LOWEST, max: Number.MAX_SAFE_INTEGER })
  units: number;

  /** Price without tax. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Expected cost of the items; null if one is unknown in the currency of the sale. */
  @Cents({ min: LOWEST })
  costCents: number | null;

  /** `netCents` - `costCents`; null if a cost is unknown. */
  @Cents({ min: LOWEST })
  marginCents: number | null;

  /** Items without a cost in the currency of the sale; fees, taxes, discounts and adjustments need none. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  unknownCosts: number;
}

/** Margins in one currency. */
class MarginTotals extends CountedRow {
  /** Price without tax. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Expected cost of the items; null if one is unknown in the currency of the sale. */
  @Cents({ min: LOWEST })
  costCents: number | null;

  /** `netCents` - `costCents`; null if a cost is unknown. */
  @Cents({ min: LOWEST })
  marginCents: number | null;

  /** Items without a cost in the currency of the sale; fees, taxes, discounts and adjustments need none. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  unknownCosts: number;
}

/** A payment or its reversal, with the sign of the bank account. */
class PaymentMovement extends CurrencyRow {
  /** Posting date. */
  @IsoDate()
  date: string;

  /** Whether the payment or its reversal was posted. */
  @OneOf(['payment', 'reversal'])
  entry: string;

  /** The payment of this row (prefix `pay`). */
  @Id('pay')
  paymentId: string;

  /** Kind of the payment; transfers between bookings are not listed. */
  @OneOf(PAYMENT_KINDS)
  kind: PaymentKind;

  /** Payment method. */
  @OneOf(METHODS)
  method: Method;

  /** Reference of the payment; null if none is stored. */
  @Text({ min: 0, max: 500 })
  reference: string | null;

  /** Current name of the customer, supplier or recipient of the commission. */
  @Text({ max: 500 })
  party: string;

  /** The booking; null for payments to suppliers and payouts of commissions. */
  @Id('book')
  bookingId: string | null;

  /** The supplier invoice; null for other payments. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** The commission that was paid out; null for other payments. */
  @Id('comm')
  commissionId: string | null;

  /** Amount; negative if the money left the account. */
  @Cents({ min: LOWEST })
  amountCents: number | null;
}

/** Movements of one currency, with the sums before and after them. */
class MovementTotals extends CountedRow {
  /** Sum of all movements before the first day. */
  @Cents({ min: LOWEST })
  openingCents: number | null;

  /** Sum of the rows. */
  @Cents({ min: LOWEST })
  movementCents: number | null;

  /** `openingCents` + `movementCents`. */
  @Cents({ min: LOWEST })
  closingCents: number | null;
}

/** Commissions of one recipient in one currency. */
class RecipientCommissions extends CountedRow {
  /** Kind of the recipient. */
  @OneOf(RECIPIENT_TYPES)
  recipientType: RecipientType;

  /** Your identifier of the recipient; null if there is none. */
  @Text({ max: 100 })
  recipientId: string | null;

  /** Name of the recipient on the latest commission. */
  @Text({ max: 255 })
  recipientName: string;

  /** Commissions of quotes. */
  @Cents({ min: LOWEST })
  pendingCents: number | null;

  /** Commissions that wait for their trigger. */
  @Cents({ min: LOWEST })
  accruedCents: number | null;

  /** Payable commissions less repayments due; negative if the recipient owes more. */
  @Cents({ min: LOWEST })
  payableCents: number | null;

  /** Payouts of the period less reversals and repayments, by posting date. */
  @Cents({ min: LOWEST })
  paidOutCents: number | null;
}

/** Commissions in one currency. */
class CommissionTotals extends PickType(RecipientCommissions, [
  'currency',
  'count',
  'pendingCents',
  'accruedCents',
  'payableCents',
  'paidOutCents',
] as const) {}

/** An entry of the account of a customer. */
class StatementEntry extends CurrencyRow {
  /** Issue date of the document, posting date of the payment or of its reversal. */
  @IsoDate()
  date: string;

  /** Kind of the document or payment, or `reversal` of a payment. */
  @OneOf(STATEMENT_ENTRIES)
  entry: (typeof STATEMENT_ENTRIES)[number];

  /** ID of the document or payment. */
  @Text({ max: 100 })
  id: string;

  /** Number of the document; null for payments. */
  @Text({ min: 0, max: 50 })
  number: string | null;

  /** The booking that was billed or paid. */
  @Id('book')
  bookingId: string;

  /** Booking number shown to the customer. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** Reference of the payment; null if none is stored. */
  @Text({ min: 0, max: 500 })
  reference: string | null;

  /** Change of the customer's debt; negative if it decreases. */
  @Cents({ min: LOWEST })
  amountCents: number | null;

  /** The customer's debt after the entry; negative if the customer has a credit. */
  @Cents({ min: LOWEST })
  balanceCents: number | null;
}

/** An issued invoice or credit note with its tax of one code and rate. A void one has one row with amounts of 0. */
class JournalDocument extends TaxGroupRow {
  /** ID of the invoice or credit note. */
  @Text({ max: 100 })
  id: string;

  /** Kind of the document. */
  @OneOf(['invoice', 'credit_note'])
  type: string;

  /** Number of the document. */
  @Text({ max: 50 })
  number: string;

  /** Day on which the document was issued. */
  @IsoDate()
  issueDate: string;

  /** Status of the document at the end of the last day; `void` even if it was voided later. */
  @Text({ max: 20 })
  status: string;

  /** Payer, as printed on the document. */
  @Text({ max: 500 })
  payerName: string;

  /** Number of the invoice that a credit note credits; null for invoices. */
  @Text({ min: 0, max: 50 })
  originalNumber: string | null;
}

/** A number of a series, or a range of numbers that no document has. */
class NumberingRow extends OmitType(SequenceEntry, ['documentType']) {
  /** The series that assigns the number. */
  @Id('iser')
  seriesId: string;

  /** Current name of the series. */
  @Text({ max: 120 })
  seriesName: string;

  /** Type of the documents of the series. */
  @OneOf(DOCUMENT_TYPES)
  documentType: DocumentType;

  /** The period in which the sequence counts: `all`, a year or a month. */
  @Text({ max: 7 })
  periodKey: string;
}

/** Use of the numbers of documents of one type. */
class NumberingTotals {
  /** Type of the documents. */
  @OneOf(DOCUMENT_TYPES)
  documentType: DocumentType;

  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Numbers with a document. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  documents: number;

  /** Numbers that were skipped. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  skippedNumbers: number;

  /** Numbers that were not skipped and have no document. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  missingNumbers: number;

  /** Documents whose date precedes the date of an earlier number. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  datesOutOfOrder: number;
}

export class VatReport extends reportOf(VatRate, VatTotals) {
  /** Totals of all rows on all pages in the base currency, by side. */
  @ListOf(() => VatBaseTotals, { min: 0, max: 2 })
  baseTotals: VatBaseTotals[];
}

export class VatDocumentReport extends reportOf(VatDocument, VatTotals) {
  /** Totals of all rows on all pages in the base currency, by side. */
  @ListOf(() => VatBaseTotals, { min: 0, max: 2 })
  baseTotals: VatBaseTotals[];
}

export class RevenueReport extends reportOf(RevenueRow, TaxedTotals) {}
export class MarginReport extends reportOf(MarginRow, MarginTotals) {}
export class PaymentJournalReport extends reportOf(PaymentMovement, MovementTotals) {}
export class CommissionReport extends reportOf(RecipientCommissions, CommissionTotals) {}
export class InvoiceJournalReport extends reportOf(JournalDocument, TaxedTotals) {}
export class NumberingReport extends reportOf(NumberingRow, NumberingTotals) {}
export class CustomerStatementReport extends reportOf(StatementEntry, MovementTotals) {}
