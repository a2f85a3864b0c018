import { PageQuery } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Ignored, ListOf, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_WISHES } from './allocation-limits.js';
import {
  DIRECTIONS,
  type Direction,
  type Method,
  METHODS,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from './payment.entity.js';

export const SORT_FIELDS = ['paidOn', 'amountCents', 'createdAt'] as const;

/** A wish of the caller's: so much of the payment for this installment, this invoice or both. */
export class WishedAllocation {
  /** The installment; only for money that came in. Alone: also counts on its invoice, else on the oldest of the booking. */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /** The issued invoice; only for money that came in. Alone: spread over the open installments, its own first. */
  @Optional()
  @Id('inv')
  invoiceId?: string;

  @Cents({ min: 1 })
  amountCents: number;
}

export class CreatePayment {
  @Ignored()
  id?: undefined;

  /** `in` (received from a customer) unless given; `out` was sent to a supplier.
   * @example "in" */
  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  /** The booking that the money came in for; needed where the direction is `in`, and only there. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** The approved supplier invoice that was paid; needed where the direction is `out`, and only there. */
  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  /** @example "bank_transfer" */
  @OneOf(METHODS)
  method: Method;

  /** That of the booking or the supplier invoice. @example "EUR" */
  @CurrencyCode()
  currency: string;

  /** @example 25000 */
  @Cents({ min: 1 })
  amountCents: number;

  /** The day on which the money moved; not after today. @example "2025-11-03" */
  @IsoDate()
  paidOn: string;

  /** What the bank statement or the receipt says. @example "RF18 5390 0754 7034" */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;

  /** What it settles. Left out: open installments, oldest first, and what is left stays unapplied; `out` settles the
   * supplier invoice. */
  @Optional()
  @ListOf(() => WishedAllocation, { max: MAX_WISHES })
  allocations?: WishedAllocation[];
}

export class AllocatePayment {
  /** What the unapplied money settles. Left out: open installments, oldest first. */
  @Optional()
  @ListOf(() => WishedAllocation, { min: 1, max: MAX_WISHES })
  allocations?: WishedAllocation[];
}

/** Why a payment is reversed. */
export class PaymentReversal {
  /** Kept in the payment and in the action ledger.
   * @example "The cheque bounced" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListPayments extends PageQuery {
  @Optional()
  @Id('book')
  bookingId?: string;

  @Optional()
  @Id('sinv')
  supplierInvoiceId?: string;

  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  @Optional()
  @OneOf(PAYMENT_STATUSES)
  status?: PaymentStatus;

  /** Paid on this day or later. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Paid on this day or earlier. */
  @Optional()
  @IsoDate()
  to?: string;

  /** `-createdAt` unless given; a minus means descending. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
