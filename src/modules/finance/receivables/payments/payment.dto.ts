import { PageQuery } from '../../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
} from '../../../../platform/http/fields.js';
import { AnyOf, FormerName, QueryFlag, SortBy } from '../../../../platform/http/query-fields.js';
import { CurrencyCode, IsoDate } from '../../../../platform/http/trade-fields.js';
import {
  type Direction,
  DIRECTIONS,
  type Method,
  METHODS,
  PAYMENT_KINDS,
  PAYMENT_STATUSES,
  type PaymentKind,
  type PaymentStatus,
  REVERSAL_KINDS,
  type ReversalKind,
} from '../../books/index.js';

const MAX_REQUESTED = 100;

export const SORT_FIELDS = ['paidOn', 'amountCents', 'createdAt'] as const;

/** Part of a payment to allocate. Name the installment, the invoice, or both. */
export class WishedAllocation {
  /**
   * Installment to settle (prefix `psch`); only for received money. Without `invoiceId` the money also counts on the
   * installment's invoice, otherwise on the oldest open invoice of the booking.
   */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /**
   * Issued invoice to settle (prefix `inv`); only for received money. Without `scheduleId` the money is spread over
   * the open installments, the invoice's own first.
   */
  @Optional()
  @Id('inv')
  invoiceId?: string;

  /** Amount to allocate, in minor units of the payment currency. */
  @Cents({ min: 1 })
  amountCents: number;
}

/** Money received from a customer or sent to a supplier. */
export class CreatePayment {
  @Ignored()
  id?: undefined;

  /**
   * `in`: received from a customer (default); `out`: sent to a supplier.
   * @example "in"
   */
  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  /** Booking for which the money was received (prefix `book`); required for `in`, rejected for `out`. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Approved supplier invoice that was paid (prefix `sinv`); required for `out`, rejected for `in`. */
  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  /**
   * Method of the transfer; informational.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /**
   * Currency of the booking or the supplier invoice, ISO 4217.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Amount in minor units of `currency`, at least 1.
   * @example 25000
   */
  @Cents({ min: 1 })
  amountCents: number;

  /**
   * Day on which the money moved; not after today, and within the bounds of the finance settings.
   * @example "2025-11-03"
   */
  @IsoDate()
  paidOn: string;

  /**
   * Reference on the bank statement or receipt; null if there is none.
   * @example "RF18 5390 0754 7034"
   */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;

  /**
   * Allocations of the payment, at most 100. By default it settles open installments, oldest first, or for `out` the supplier
   * invoice.
   */
  @Optional()
  @ListOf(() => WishedAllocation, { max: MAX_REQUESTED })
  allocations?: WishedAllocation[];

  /**
   * Whether money that stays unapplied automatically settles later debts of the booking. By default true only if `allocations`
   * is omitted.
   */
  @Optional()
  @Flag()
  autoApply?: boolean;

  /** Reversed payment of the same booking that this one replaces (prefix `pay`). */
  @Optional()
  @Id('pay')
  replacesPaymentId?: string;
}

/** Allocation of the unapplied money of a payment. */
export class AllocatePayment {
  /** Allocations of the unapplied money, 1 to 100; by default to open installments, oldest first. */
  @Optional()
  @ListOf(() => WishedAllocation, { min: 1, max: MAX_REQUESTED })
  allocations?: WishedAllocation[];
}

/** Reason for reversing a payment. */
export class PaymentReversal {
  /**
   * Stored with the payment and the action ledger entry.
   * @example "The cheque bounced"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;

  /** `bounced` and `chargeback` if the bank took the money back; `mistake` by default. */
  @Optional()
  @OneOf(REVERSAL_KINDS)
  kind?: ReversalKind;

  /** Day on which the money moved back, between `paidOn` and today; today by default. */
  @Optional()
  @IsoDate()
  reversedOn?: string;
}

export class ListPayments extends PageQuery {
  /** Only payments of this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only payments sent for this supplier invoice (prefix `sinv`). */
  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  /** Only payouts of this commission (prefix `comm`). */
  @Optional()
  @Id('comm')
  commissionId?: string;

  /** Only payments in one of these directions: received (`in`) or sent (`out`). */
  @Optional()
  @AnyOf(DIRECTIONS)
  direction?: Direction[];

  /** Only payments of these kinds. */
  @Optional()
  @AnyOf(PAYMENT_KINDS)
  kind?: PaymentKind[];

  /** Only payments in one of these statuses. */
  @Optional()
  @AnyOf(PAYMENT_STATUSES)
  status?: PaymentStatus[];

  /**
   * If true, only refunds and outgoing transfers that money does not cover completely, so that the customer owes the rest
   * (`refund_recovery` in the lists of debts); if false, only the others.
   */
  @Optional()
  @QueryFlag()
  uncovered?: boolean;

  /** Only payments with exactly this reference, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  reference?: string;

  /** Only payments with `paidOn` on this day or later. */
  @FormerName('from')
  @Optional()
  @IsoDate()
  paidFrom?: string;

  /** Only payments with `paidOn` on this day or earlier. */
  @FormerName('to')
  @Optional()
  @IsoDate()
  paidTo?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
