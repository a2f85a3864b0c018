import { dataOf, pageOf, PageQuery } from '../../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Optional, Text } from '../../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../../platform/http/query-fields.js';
import { CurrencyCode, IsoDate } from '../../../../platform/http/trade-fields.js';
import { INVOICE_STATUSES, type InvoiceStatus } from '../account/invoice.entity.js';
import { PaymentSummary } from '../payments/payment-response.dto.js';
import { PaymentScheduleResponse } from '../plans/payment-schedule.dto.js';
import { CreditDueGroup } from './credit-due.dto.js';

const LOWEST = -Number.MAX_SAFE_INTEGER;

export class BookingMoneyQuery {
  /** The account is shown as of the end of this day; now by default. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

/** An issued invoice of a booking with its paid amount. */
export class MoneyDocument {
  @Id('inv')
  id: string;

  /** Number of the invoice. */
  @Text({ max: 50 })
  number: string;

  /** Date on the invoice. */
  @IsoDate()
  issueDate: string;

  /** `void` and `draft` invoices are omitted. */
  @OneOf(INVOICE_STATUSES)
  status: InvoiceStatus;

  @Cents()
  totalCents: number;

  /** Sum of the issued credit notes of the invoice. */
  @Cents()
  creditedCents: number;

  @Cents()
  paidCents: number;

  /** Outstanding amount. */
  @Cents()
  balanceCents: number;
}

/** An issued credit note of a booking. */
export class MoneyCreditNote {
  @Id('crn')
  id: string;

  /** Credited invoice (prefix `inv`). */
  @Id('inv')
  invoiceId: string;

  /** Number of the credit note. */
  @Text({ max: 50 })
  number: string;

  /** Date on the credit note. */
  @IsoDate()
  issueDate: string;

  @Cents()
  totalCents: number;
}

/**
 * Amounts owed, billed and received for a booking. For a confirmed booking with a plan, `balanceCents` equals
 * `outstandingCents` + `uncoveredRefundCents` - `unappliedCents` - `reservedCents` - `invoiceOnlyCents`.
 */
export class BookingMoney {
  @Id('book')
  bookingId: string;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** The amounts are as of the end of this day; null means now. */
  @IsoDate()
  asOf: string | null;

  /**
   * Amount that the customer owes, billed or not: for a draft booking the billed amount, for a cancelled one the agreed fee.
   */
  @Cents()
  claimCents: number;

  /** Issued invoices that are not void, less issued credit notes. */
  @Cents()
  billedCents: number;

  /** Amount that may still be billed. */
  @Cents()
  roomCents: number;

  /** Amount billed in excess, which must be credited. */
  @Cents()
  creditDueCents: number;

  /**
   * Tax codes with more billed than owed, or with a wrong tax; empty if none. Now, without `asOf`, also the rates of other tax
   * codes with more billed than owed.
   */
  @ListOf(() => CreditDueGroup, { max: 500 })
  creditDueByTaxCode: CreditDueGroup[];

  /** Receipts and incoming transfers, less refunds and outgoing transfers. */
  @Cents({ min: LOWEST })
  receivedCents: number;

  /** Received money that settles nothing. */
  @Cents()
  unappliedCents: number;

  /** Received money that is reserved for requested refunds. */
  @Cents()
  reservedCents: number;

  /** Received money that settles invoices, but no installment. */
  @Cents()
  invoiceOnlyCents: number;

  /** Refunds and outgoing transfers that money no longer covers; the customer owes them. */
  @Cents()
  uncoveredRefundCents: number;

  /** Open amount of the installments. */
  @Cents()
  outstandingCents: number;

  /** `claimCents` - `receivedCents`. The customer owes a positive balance; a negative balance is the customer's money. */
  @Cents({ min: LOWEST })
  balanceCents: number;

  /** Issued invoices that are not void, sorted by ID. */
  @ListOf(() => MoneyDocument, { max: 100_000 })
  documents: MoneyDocument[];

  /** Issued credit notes, the oldest first. */
  @ListOf(() => MoneyCreditNote, { max: 100_000 })
  creditNotes: MoneyCreditNote[];

  /** Installments of the plan in its order. */
  @ListOf(() => PaymentScheduleResponse, { max: 100_000 })
  installments: PaymentScheduleResponse[];

  /** Payments of the booking, the oldest first. */
  @ListOf(() => PaymentSummary, { max: 100_000 })
  payments: PaymentSummary[];
}

export class BookingMoneyEnvelope extends dataOf(BookingMoney) {}

export class ListCustomerCredit extends PageQuery {
  /** Only customers who owe something for a booking in the same currency. */
  @Optional()
  @QueryFlag()
  matchesDebt?: boolean;

  /** Only the customer with this e-mail address, ignoring upper and lower case. */
  @Optional()
  @Text({ max: 255 })
  customerEmail?: string;

  /** Sort field, `customerName` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['customerName', 'unappliedCents'])
  sort?: string;
}

/** Unapplied money of one booking. */
export class CreditOfBooking {
  @Id('book')
  bookingId: string;

  /** Booking number shown to staff and customers. */
  @Text({ max: 40 })
  bookingNumber: string;

  @Cents({ min: 1 })
  unappliedCents: number;
}

/**
 * Unapplied money of all bookings of a customer in one currency. Each booking without an address counts as a separate customer.
 */
export class CustomerCredit {
  /** Name in the latest booking with unapplied money. */
  @Text({ max: 255 })
  customerName: string;

  /** Lower-cased address that identifies the bookings of the customer; null if there is none. */
  @Text({ max: 255 })
  customerEmail: string | null;

  @CurrencyCode()
  currency: string;

  @Cents({ min: 1 })
  unappliedCents: number;

  /** Amount that the customer owes in this currency: open installments of bookings, and refunds that no money covers. */
  @Cents()
  debtCents: number;

  /** Bookings with the unapplied money. */
  @ListOf(() => CreditOfBooking, { max: 100_000 })
  bookings: CreditOfBooking[];
}

export class CustomerCreditPage extends pageOf(CustomerCredit) {}
