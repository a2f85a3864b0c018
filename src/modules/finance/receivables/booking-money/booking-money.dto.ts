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
  /** Day at whose end the account is shown; now by default. */
  @Optional()
  @IsoDate()
  asOf?: string;
}

/** An issued invoice of a booking and what is paid of it. */
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

  /** What is still to be paid. */
  @Cents()
  balanceCents: number;
}

/** An issued credit note of a booking. */
export class MoneyCreditNote {
  @Id('crn')
  id: string;

  /** Invoice that is credited (prefix `inv`). */
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
 * What is owed, billed and received for a booking. For a confirmed booking with a plan, `balanceCents` equals
 * `outstandingCents` + `uncoveredRefundCents` - `unappliedCents` - `reservedCents` - `invoiceOnlyCents`.
 */
export class BookingMoney {
  @Id('book')
  bookingId: string;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Day at whose end the amounts applied; null: now. */
  @IsoDate()
  asOf: string | null;

  /** What the customer owes, billed or not; of a draft booking what is billed, of a cancelled one the agreed fee. */
  @Cents()
  claimCents: number;

  /** Issued invoices that are not void, less issued credit notes. */
  @Cents()
  billedCents: number;

  /** What may be billed further. */
  @Cents()
  roomCents: number;

  /** What was billed too much and is to be credited. */
  @Cents()
  creditDueCents: number;

  /** The tax codes of which more is billed than is owed, or a tax that does not fit; empty if none. */
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

  /** Refunds and outgoing transfers that no money covers any more; the customer owes them. */
  @Cents()
  uncoveredRefundCents: number;

  /** What is open of the installments. */
  @Cents()
  outstandingCents: number;

  /** `claimCents` - `receivedCents`. Positive: the customer owes it; negative: it is the customer's money. */
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

  /** Sort field; a leading `-` means descending order, `customerName` by default. */
  @Optional()
  @SortBy(['customerName', 'unappliedCents'])
  sort?: string;
}

/** Unapplied money of one booking. */
export class CreditOfBooking {
  @Id('book')
  bookingId: string;

  /** Number by which staff and customers know the booking. */
  @Text({ max: 40 })
  bookingNumber: string;

  @Cents({ min: 1 })
  unappliedCents: number;
}

/** Unapplied money of all bookings of a customer in one currency. Bookings without an address are customers of their own. */
export class CustomerCredit {
  /** Name in the latest booking with unapplied money. */
  @Text({ max: 255 })
  customerName: string;

  /** Lower-cased address by which the bookings of the customer are found; null if there is none. */
  @Text({ max: 255 })
  customerEmail: string | null;

  @CurrencyCode()
  currency: string;

  @Cents({ min: 1 })
  unappliedCents: number;

  /** What the customer owes in this currency: open installments of bookings, and refunds that no money covers. */
  @Cents()
  debtCents: number;

  /** Where the unapplied money is. */
  @ListOf(() => CreditOfBooking, { max: 100_000 })
  bookings: CreditOfBooking[];
}

export class CustomerCreditPage extends pageOf(CustomerCredit) {}
