import { reportOf } from '../../../platform/http/dto.js';
import { Cents, Id, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { VAT_SIDES, type VatSide } from './report-query.dto.js';
import { METHODS, type Method, PAYMENT_KINDS, type PaymentKind } from '../booking-account/payment.entity.js';

const LOWEST = -Number.MAX_SAFE_INTEGER;

/** Documents of one side with one tax rate. */
class VatRate {
  /** `output`: own documents; `input`: supplier invoices. */
  @OneOf(VAT_SIDES)
  side: VatSide;

  /** Tax rate in basis points; null if the tax was given as an amount. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of documents. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** Sums of one side in one currency. */
class VatTotals {
  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** `output`: own documents; `input`: supplier invoices. */
  @OneOf(VAT_SIDES)
  side: VatSide;

  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** A document with its tax at one rate. Amounts of credit notes, and of supplier invoices that were voided, are negative. */
class VatDocument {
  /** `output`: own documents; `input`: supplier invoices. */
  @OneOf(VAT_SIDES)
  side: VatSide;

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

  /** Payer or supplier. */
  @Text({ max: 500 })
  party: string;

  /** Tax rate in basis points; null if the tax was given as an amount. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** What was sold in a month, of a product, by a channel or for a departure. */
class RevenueRow {
  /** Month `YYYY-MM`, or ID of the product, channel or departure; null for sales without one. */
  @Text({ min: 0, max: 100 })
  group: string | null;

  /** Name of it; null for sales without one. */
  @Text({ min: 0, max: 500 })
  name: string | null;

  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Units of items of the type `unit`. */
  @Whole({ min: LOWEST, max: Number.MAX_SAFE_INTEGER })
  units: number;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** Sums of all rows in one currency. */
class TaxedTotals {
  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

/** A payment or its reversal, with the sign of the bank account. */
class PaymentMovement {
  /** Posting date. */
  @IsoDate()
  date: string;

  /** Whether the payment or its reversal was posted. */
  @OneOf(['payment', 'reversal'])
  entry: string;

  /** The payment that this row is about (prefix `pay`). */
  @Id('pay')
  paymentId: string;

  /** Kind of the payment; transfers between bookings are not listed. */
  @OneOf(PAYMENT_KINDS)
  kind: PaymentKind;

  /** How it was paid. */
  @OneOf(METHODS)
  method: Method;

  /** Reference of the payment; null if none is stored. */
  @Text({ min: 0, max: 500 })
  reference: string | null;

  /** Customer or supplier. */
  @Text({ max: 500 })
  party: string;

  /** The booking; null for supplier payments. */
  @Id('book')
  bookingId: string | null;

  /** The supplier invoice; null for others. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Amount; negative if the money left the account. */
  @Cents({ min: LOWEST })
  amountCents: number | null;
}

/** Movements of one currency. */
class PaymentJournalTotals {
  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Number of rows. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  count: number;

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

/** An issued invoice or credit note with its tax at one rate. A void one has one row with amounts of 0. */
class JournalDocument {
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

  /** Status of the document now. */
  @Text({ max: 20 })
  status: string;

  /** Who is billed. */
  @Text({ max: 500 })
  payerName: string;

  /** Number of the invoice that a credit note credits; null for invoices. */
  @Text({ min: 0, max: 50 })
  originalNumber: string | null;

  /** Tax rate in basis points; null if the tax was given as an amount. */
  @Whole({ min: 0, max: 10_000 })
  taxRateBasisPoints: number | null;

  /** Currency of all amounts of the entry, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Net amount. */
  @Cents({ min: LOWEST })
  netCents: number | null;

  /** Tax contained in the gross amount. */
  @Cents({ min: LOWEST })
  taxCents: number | null;

  /** Gross amount. */
  @Cents({ min: LOWEST })
  grossCents: number | null;
}

export class VatReport extends reportOf(VatRate, VatTotals) {}
export class VatDocumentReport extends reportOf(VatDocument, VatTotals) {}
export class RevenueReport extends reportOf(RevenueRow, TaxedTotals) {}
export class PaymentJournalReport extends reportOf(PaymentMovement, PaymentJournalTotals) {}
export class InvoiceJournalReport extends reportOf(JournalDocument, TaxedTotals) {}
