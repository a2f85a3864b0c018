import { Cents, Clearable, Id, OneOf, Optional, Text } from '../../../../platform/http/fields.js';
import { IsoDate } from '../../../../platform/http/trade-fields.js';
import { type Method, METHODS } from '../../books/index.js';

class Reason {
  /**
   * Stored with the payment and the action ledger entry.
   * @example "One of three seats was cancelled"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** Money of a booking that is to be paid back to the customer. */
export class RequestRefund extends Reason {
  /**
   * Amount in minor units of the booking currency; at most the unapplied money of the booking.
   * @example 10000
   */
  @Cents({ min: 1 })
  amountCents: number;

  /**
   * How the money is to be paid back.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /** Receipt whose money goes back (prefix `pay`); required for `card`. Omitted: the latest receipts. */
  @Optional()
  @Id('pay')
  paymentId?: string;

  /** Day until which the money is to be paid back; by default `refundDays` of the finance settings from today. */
  @Optional()
  @IsoDate()
  dueOn?: string;
}

/** When a refund was paid. */
export class CompleteRefund {
  /**
   * Day on which the money was sent; not after today, and within the bounds of the finance settings.
   * @example "2025-11-03"
   */
  @IsoDate()
  paidOn: string;

  /**
   * Reference on the bank statement; null if there is none.
   * @example "RF18 5390 0754 7034"
   */
  @Clearable()
  @Text({ max: 255 })
  reference?: string | null;
}

/** Why a refund could not be paid. */
export class FailRefund extends Reason {}

/** Money that is moved to another booking of the customer. */
export class CreateTransfer extends Reason {
  /**
   * Booking of the same customer that gets the money (prefix `book`).
   * @example "book_01k0dem000e000000000000029"
   */
  @Id('book')
  toBookingId: string;

  /**
   * Amount in minor units of the currency of both bookings; at most the unapplied money of the booking.
   * @example 10000
   */
  @Cents({ min: 1 })
  amountCents: number;
}

/** Why a transfer is taken back. */
export class ReverseTransfer extends Reason {}
