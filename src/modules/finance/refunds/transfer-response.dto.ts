import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Id, Text } from '../../../platform/http/fields.js';
import { CurrencyCode } from '../../../platform/http/trade-fields.js';
import { OneOf } from '../../../platform/http/fields.js';
import { type Payment, PAYMENT_STATUSES, type PaymentStatus } from '../booking-account/payment.entity.js';

/** Both sides of a transfer between two bookings of a customer. */
export interface Transfer {
  from: Payment;
  to: Payment;
}

/** Money that was moved from one booking of a customer to another. */
export class TransferResponse {
  @Id('ptrf')
  id: string;

  /** Booking that gave the money (prefix `book`). */
  @Id('book')
  fromBookingId: string;

  /** Booking that got the money (prefix `book`). */
  @Id('book')
  toBookingId: string;

  /** Outgoing side (prefix `pay`). */
  @Id('pay')
  fromPaymentId: string;

  /** Incoming side (prefix `pay`). */
  @Id('pay')
  toPaymentId: string;

  /** Currency of both bookings, ISO 4217. */
  @CurrencyCode()
  currency: string;

  @Cents({ min: 1 })
  amountCents: number;

  /** `completed` or `reversed`. */
  @OneOf(PAYMENT_STATUSES)
  status: PaymentStatus;

  /** Why the money was moved. */
  @Text({ max: 2000 })
  reason: string;
}

export class TransferEnvelope extends dataOf(TransferResponse) {}

export function toTransfer({ from, to }: Transfer): TransferResponse {
  return {
    id: from.transferId ?? '',
    fromBookingId: from.bookingId ?? '',
    toBookingId: to.bookingId ?? '',
    fromPaymentId: from.id,
    toPaymentId: to.id,
    currency: from.currency,
    amountCents: from.amountCents,
    status: from.status,
    reason: from.reason ?? '',
  };
}
