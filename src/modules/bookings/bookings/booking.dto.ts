import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, Nested, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, EmailAddress, IsoDate } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyBody } from '../payment-policies/payment-policy.dto.js';
import { BOOKING_STATUSES, type BookingStatus } from './booking-status.js';

export const SORT_FIELDS = ['createdAt', 'startDate', 'number'] as const;

/** A new booking. It always starts as a draft without items. */
export class CreateBooking {
  @Ignored()
  id?: undefined;

  /**
   * Unique booking number; `B-<year>-<6 digits>` by default.
   * @example "TUI-88120"
   */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /**
   * Only `draft`, which is also the default: confirmation is a separate call.
   * @example "draft"
   */
  @Optional()
  @OneOf(BOOKING_STATUSES)
  status?: BookingStatus;

  /**
   * ISO 4217 code that applies to every price of the booking; immutable once the booking has had an item.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Person or company that pays; the default payer of invoices.
   * @example "Ada Lovelace"
   */
  @Text({ max: 255 })
  customerName: string;

  /**
   * Address that reminders are sent to. An empty string means null.
   * @example "ada@example.com"
   */
  @Clearable()
  @EmailAddress()
  customerEmail?: string | null;

  /**
   * First day of the trip; used as departure date while no item has a service date.
   * @example "2027-05-12"
   */
  @Clearable()
  @IsoDate()
  startDate?: string | null;

  /**
   * Last day of the trip; not before `startDate`.
   * @example "2027-05-16"
   */
  @Clearable()
  @IsoDate()
  endDate?: string | null;

  /**
   * Internal notes of staff; line breaks are allowed.
   * @example "Vegetarian, arrives by train"
   */
  @Clearable()
  @Text({ min: 0, max: 2000, multiline: true })
  notes?: string | null;

  /** Payment policy of this booking; null or omitted: the organization's policy applies. */
  @Clearable()
  @Nested(() => PaymentPolicyBody)
  paymentPolicy?: PaymentPolicyBody | null;

  /**
   * Distribution channel that sold the booking (prefix `chan`); must not be archived. Null for a direct sale.
   * @example "chan_01k0dem000e000000000000002"
   */
  @Clearable()
  @Id('chan')
  channelId?: string | null;
}

/** The fields to change. `status` is changed by confirmation, by cancellation and by the server job, not here. */
export class UpdateBooking extends patchOf(
  OmitType(CreateBooking, ['id', 'number', 'status', 'customerName'] as const),
) {
  /**
   * New booking number; must not belong to another booking.
   * @example "TUI-88121"
   */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /**
   * Person or company that pays; existing invoices keep the payer they have.
   * @example "Ada King"
   */
  @Optional()
  @Text({ max: 255 })
  customerName?: string;
}

/** Reason for the cancellation of a booking. */
export class CancelBooking {
  /**
   * Stored with the booking, its items and the action ledger entry.
   * @example "The customer fell ill"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListBookings extends PageQuery {
  /** Only bookings in this status. */
  @Optional()
  @OneOf(BOOKING_STATUSES)
  status?: BookingStatus;

  /** Only bookings whose number or customer name contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only bookings whose `startDate` is this day or later. */
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Only bookings whose `startDate` is this day or earlier. */
  @Optional()
  @IsoDate()
  startTo?: string;

  /**
   * Sort field; a leading `-` means descending order, `-createdAt` by default. Bookings without `startDate` come last
   * in either order.
   */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
