import { Cents, Clearable, Id, OneOf, Optional, Text } from '../../../../platform/http/fields.js';
import { IsoDate } from '../../../../platform/http/trade-fields.js';
import { type Method, METHODS } from '../../books/index.js';

class Reason {
  /**
   * Reason, stored with the payment and the action ledger entry.
   * @example "One of three seats was cancelled"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

/** A refund of a booking's money to the customer. */
export class RequestRefund extends Reason {
  /**
   * Amount in minor units of the booking currency; at most the unapplied money of the booking.
   * @example 10000
   */
  @Cents({ min: 1 })
  amountCents: number;

  /**
   * Method of the refund.
   * @example "bank_transfer"
   */
  @OneOf(METHODS)
  method: Method;

  /** Receipt whose money is refunded (prefix `pay`); required for `card`. By default the latest receipts. */
  @Optional()
  @Id('pay')
  paymentId?: string;

  /** Day until which the money must be paid back; by default `refundDays` of the finance settings from today. */
  @Optional()
  @IsoDate()
  dueOn?: string;
}

/** Day and reference of a paid refund. */
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

/** The reason why a refund could not be paid. */
export class FailRefund extends Reason {}

/** A transfer of money to another booking of the customer. */
export class CreateTransfer extends Reason {
  /**
   * Booking of the same customer that receives the money (prefix `book`).
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

/** The reason for reversing a transfer. */
export class ReverseTransfer extends Reason {}
