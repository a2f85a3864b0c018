import { dataOf, pageOf, PageQuery } from '../../../../platform/http/dto.js';
import { Cents, Id, OneOf, Optional, Text } from '../../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../../platform/http/query-fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { type Payment, PAYMENT_STATUSES, type PaymentStatus } from '../../books/index.js';

/** Both sides of a transfer between two bookings of a customer. */
export interface Transfer {
  from: Payment;
  to: Payment;
}

/** Money that was moved from one booking of a customer to another. */
export class TransferResponse {
  @Id('ptrf')
  id: string;

  /** Booking from which the money was moved (prefix `book`). */
  @Id('book')
  fromBookingId: string;

  /** Booking to which the money was moved (prefix `book`). */
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

  /** Reason for moving the money. */
  @Text({ max: 2000 })
  reason: string;

  /** Day on which the money was moved. */
  @IsoDate()
  movedOn: string;

  /** Day on which it was moved back; null unless the transfer was reversed. */
  @IsoDate()
  reversedOn: string | null;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class ListTransfers extends PageQuery {
  /** Only transfers from or to this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only transfers in one of these statuses: `completed` or `reversed`. */
  @Optional()
  @AnyOf(PAYMENT_STATUSES)
  status?: PaymentStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

export class TransferEnvelope extends dataOf(TransferResponse) {}
export class TransferPage extends pageOf(TransferResponse) {}

export function toTransfer({ from, to }: Transfer): TransferResponse {
  return respond(TransferResponse, from, {
    id: from.transferId ?? '',
    fromBookingId: from.bookingId ?? '',
    toBookingId: to.bookingId ?? '',
    fromPaymentId: from.id,
    toPaymentId: to.id,
    reason: from.reason ?? '',
    movedOn: from.paidOn,
  });
}
