import { dataOf, pageOf } from '../../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, OneOf, Text, Texts, Version } from '../../../../platform/http/fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { withNames } from '../../../../platform/http/row-names.js';
import {
  type Direction,
  DIRECTIONS,
  MAX_LIVE_ALLOCATIONS,
  type Method,
  METHODS,
  type Payment,
  PAYMENT_KINDS,
  PAYMENT_STATUSES,
  type PaymentAllocation,
  type PaymentKind,
  type PaymentStatus,
  REVERSAL_KINDS,
  type ReversalKind,
  type Source,
  SOURCES,
} from '../../books/index.js';

/** A payment with its live allocations. */
export interface PaymentView {
  payment: Payment;
  allocations: readonly PaymentAllocation[];
}

/** A payment without its allocations. Amounts are in minor units of `currency`. */
export class PaymentSummary {
  @Id('pay')
  id: string;

  /** `in` is received money, `out` is sent money. */
  @OneOf(DIRECTIONS)
  direction: Direction;

  /**
   * `receipt`: received from a customer; `refund`: paid back; `transfer_in`, `transfer_out`: moved between two bookings
   * of a customer; `supplier_payment`: sent to a supplier; `commission_payout`: sent to the recipient of a commission, or
   * received back from it.
   */
  @OneOf(PAYMENT_KINDS)
  kind: PaymentKind;

  /** Booking of the customer's money (prefix `book`); null for payments to suppliers and payouts. */
  @Id('book')
  bookingId: string | null;

  /** Paid supplier invoice (prefix `sinv`); null for other payments. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** Commission that was paid out, or paid back if it is negative (prefix `comm`); null for other payments. */
  @Id('comm')
  commissionId: string | null;

  /** Method of the transfer; informational. */
  @OneOf(METHODS)
  method: Method;

  /** Currency of the booking or the supplier invoice, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Amount received or sent, in minor units. */
  @Cents({ min: 1 })
  amountCents: number;

  /** `amountCents` minus the active allocations; the full amount once the payment is reversed, 0 for payouts. */
  @Cents()
  unappliedCents: number;

  /**
   * Part of a refund or outgoing transfer that unapplied money of the booking covers; 0 for other payments. If a receipt is
   * reversed after its refund, the customer owes the rest.
   */
  @Cents()
  coveredCents: number;

  /** Whether unapplied money automatically settles debts of the booking. */
  @Flag()
  autoApply: boolean;

  /** Day on which the money moved; of a requested refund, the day of the request. */
  @IsoDate()
  paidOn: string;

  /** Posting date: `paidOn`, or the first open day if its month was closed. */
  @IsoDate()
  postingDate: string;

  /** Day until which a refund must be paid; null for other payments. */
  @IsoDate()
  dueOn: string | null;

  /** Reference on the bank statement or receipt; null if there is none. */
  @Text({ max: 255 })
  reference: string | null;

  /**
   * `schedule_patch`: recorded by the server because staff set an installment to `paid`; otherwise recorded through
   * this API.
   */
  @OneOf(SOURCES)
  source: Source;

  /** `reversed` payments have no active allocations. Only refunds are `requested` or `failed`. */
  @OneOf(PAYMENT_STATUSES)
  status: PaymentStatus;

  /** Reason for refunding or moving the money; null for other payments. */
  @Text({ max: 2000 })
  reason: string | null;

  /** Receipt whose money a refund returns (prefix `pay`); null if none was named. */
  @Id('pay')
  receiptId: string | null;

  /** The same for both sides of a transfer (prefix `ptrf`); null for others. */
  @Id('ptrf')
  transferId: string | null;

  /** Reversed payment that this one replaces (prefix `pay`); null if none. */
  @Id('pay')
  replacesPaymentId: string | null;

  /** When the payment was reversed; null unless its status is `reversed`. */
  @Instant()
  reversedAt: string | null;

  /** Reason given with the reversal; null unless its status is `reversed`. */
  @Text({ max: 2000 })
  reversalReason: string | null;

  /** Reason why the money moved back; null unless its status is `reversed`. */
  @OneOf(REVERSAL_KINDS)
  reversalKind: ReversalKind | null;

  /** Day on which the money moved back; null unless its status is `reversed`. */
  @IsoDate()
  reversedOn: string | null;

  /** Posting date of the reversal; null unless its status is `reversed`. */
  @IsoDate()
  reversalPostingDate: string | null;

  /** When the refund failed; null unless its status is `failed`. */
  @Instant()
  failedAt: string | null;

  /** Reason why the refund failed; null unless its status is `failed`. */
  @Text({ max: 2000 })
  failureReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Part of a payment that settles an installment, an invoice or a supplier invoice. */
export class AllocationResponse {
  @Id('pall')
  id: string;

  /** Settled installment (prefix `psch`); null if none, or for outgoing money. */
  @Id('psch')
  scheduleId: string | null;

  /** Invoice on which the same money counts (prefix `inv`); null if none, or for outgoing money. */
  @Id('inv')
  invoiceId: string | null;

  /** Settled supplier invoice (prefix `sinv`); null for received money. */
  @Id('sinv')
  supplierInvoiceId: string | null;

  /** Covered refund or outgoing transfer (prefix `pay`); null if none. */
  @Id('pay')
  refundId: string | null;

  /** Allocated amount in minor units of the payment currency. */
  @Cents({ min: 1 })
  amountCents: number;

  /** First day on which the allocation counts in reports: `paidOn` of the payment, or the later day of allocation. */
  @IsoDate()
  effectiveOn: string;

  @Instant()
  createdAt: string;
}

/** A payment with its active allocations. Amounts are in minor units of `currency`. */
export class PaymentResponse extends PaymentSummary {
  /** Current allocations of the payment, oldest first; reversed ones are omitted. */
  @ListOf(() => AllocationResponse, { max: MAX_LIVE_ALLOCATIONS })
  allocations: AllocationResponse[];

  /**
   * `exceeds_outstanding`: the receipt exceeds the debt of the booking; the rest stays unapplied until the next debt or a
   * refund.
   */
  @Texts({ max: 10, maxLength: 100 })
  warnings: string[];
}

export class PaymentSummaryEnvelope extends dataOf(PaymentSummary) {}

export function toPaymentSummary(payment: Payment): PaymentSummary {
  return respond(PaymentSummary, payment);
}

export function toPayment({ payment, allocations }: PaymentView): PaymentResponse {
  const warnings = payment.exceedsOutstanding() ? ['exceeds_outstanding'] : [];
  return { ...toPaymentSummary(payment), allocations: allocations.map(toAllocation), warnings };
}

function toAllocation(allocation: PaymentAllocation): AllocationResponse {
  return respond(AllocationResponse, allocation);
}

export class PaymentEnvelope extends dataOf(PaymentResponse) {}
/** A payment in a list, with names beside its IDs. */
class PaymentRow extends withNames(PaymentSummary, 'bookingId') {}

export class PaymentPage extends pageOf(PaymentRow) {}
