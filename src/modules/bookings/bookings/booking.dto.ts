import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, Nested, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, EmailAddress, IsoDate } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyBody } from '../payment-policies/payment-policy.dto.js';
import { BOOKING_STATUSES, type BookingStatus } from './booking-status.js';

export const SORT_FIELDS = ['createdAt', 'startDate', 'number'] as const;

export class CreateBooking {
  @Ignored()
  id?: undefined;

  /** Unique; `B-<year>-<6 digits>` unless given.
   * @example "TUI-88120" */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /** `draft`, also if it is not given: a booking is confirmed by a call of its own.
   * @example "draft" */
  @Optional()
  @OneOf(BOOKING_STATUSES)
  status?: BookingStatus;

  /** Of every amount of the booking; it cannot change once there is an item.
   * @example "EUR" */
  @CurrencyCode()
  currency: string;

  /** @example "Ada Lovelace" */
  @Text({ max: 255 })
  customerName: string;

  /** @example "ada@example.com" */
  @Clearable()
  @EmailAddress()
  customerEmail?: string | null;

  /** @example "2027-05-12" */
  @Clearable()
  @IsoDate()
  startDate?: string | null;

  /** Not before startDate.
   * @example "2027-05-16" */
  @Clearable()
  @IsoDate()
  endDate?: string | null;

  /** @example "Vegetarian, arrives by train" */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  /** How this booking is to be paid; the organization's policy unless given. */
  @Clearable()
  @Nested(() => PaymentPolicyBody)
  paymentPolicy?: PaymentPolicyBody | null;

  /** The distribution channel that sold it; not an archived one.
   * @example "chan_01k0dem000e000000000000002" */
  @Clearable()
  @Id('chan')
  channelId?: string | null;
}

/** Without `status`, which moves by confirmation, cancellation and the calendar. */
export class UpdateBooking extends patchOf(
  OmitType(CreateBooking, ['id', 'number', 'status', 'customerName'] as const),
) {
  /** @example "TUI-88121" */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /** @example "Ada King" */
  @Optional()
  @Text({ max: 255 })
  customerName?: string;
}

export class CancelBooking {
  /** Kept with the booking and in the action ledger.
   * @example "The customer fell ill" */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListBookings extends PageQuery {
  @Optional()
  @OneOf(BOOKING_STATUSES)
  status?: BookingStatus;

  /** Part of the customer's name or the number, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Starting on this day or later. */
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Starting on this day or earlier. */
  @Optional()
  @IsoDate()
  startTo?: string;

  /** `-createdAt` unless given; a minus means descending, and bookings without start date come last either way. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
