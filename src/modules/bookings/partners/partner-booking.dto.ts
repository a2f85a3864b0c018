import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { BOOKING_STATUSES, type Booking, type BookingStatus } from '../bookings/booking.entity.js';
import {
  type BookingItem,
  ITEM_STATUSES,
  ITEM_TYPES,
  type ItemStatus,
  type ItemType,
} from '../items/booking-item.entity.js';

const MAX_ITEMS = 500;

export class ListPartnerBookings extends PageQuery {
  /** Only bookings in one of these statuses. */
  @Optional()
  @AnyOf(BOOKING_STATUSES)
  status?: BookingStatus[];

  /** Only the booking with exactly this number. */
  @Optional()
  @Text({ max: 40 })
  number?: string;

  /** Only bookings with an active item on this departure (prefix `dep`). */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Only bookings whose `departureDate` is this day or later. */
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Only bookings whose `departureDate` is this day or earlier. */
  @Optional()
  @IsoDate()
  startTo?: string;

  /** Only bookings that changed at this instant or later. */
  @Optional()
  @Instant()
  updatedAfter?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'departureDate'])
  sort?: string;
}

/** A booking that a channel of the partner sold. */
export class PartnerBookingRow {
  @Id('book')
  id: string;

  /** Number that the customer knows. */
  @Text({ max: 40 })
  number: string;

  /** Status of the booking. */
  @OneOf(BOOKING_STATUSES)
  status: BookingStatus;

  /** Channel that sold it. */
  @Id('chan')
  channelId: string;

  /** Person or company that pays, as on the confirmation. */
  @Text({ max: 255 })
  customerName: string;

  /** Earliest service date; null without a date. */
  @IsoDate()
  departureDate: string | null;

  /** Day of the return; null if it is not known. */
  @IsoDate()
  returnDate: string | null;

  /** Currency of all amounts. */
  @CurrencyCode()
  currency: string;

  /** Sum of the items that are not cancelled, in minor units; null before the first item. */
  @Cents()
  totalCents: number | null;

  /** When it was confirmed (RFC 3339, UTC). */
  @Instant()
  confirmedAt: string | null;

  /** When it was cancelled (RFC 3339, UTC); null if it is not. */
  @Instant()
  cancelledAt: string | null;

  /** Counts the changes of the booking. */
  @Version()
  version: number;

  /** When it was created (RFC 3339, UTC). */
  @Instant()
  createdAt: string;

  /** When it last changed (RFC 3339, UTC). */
  @Instant()
  updatedAt: string;
}

/** A service of a booking. */
export class PartnerBookingItem {
  @Id('bkit')
  id: string;

  /** Kind of service. */
  @OneOf(ITEM_TYPES)
  type: ItemType;

  /** Text that the customer sees. */
  @Text({ max: 255 })
  title: string;

  /** Status of the item. */
  @OneOf(ITEM_STATUSES)
  status: ItemStatus;

  /** Number of units. */
  @Whole({ min: 1, max: 2_147_483_647 })
  quantity: number;

  /** Price of the whole quantity with tax, in minor units of the booking's currency. */
  @Cents({ min: Number.MIN_SAFE_INTEGER })
  totalCents: number;

  /** Day of the service; null without one. */
  @IsoDate()
  serviceDate: string | null;

  /** Departure that the item takes units of; null without one. */
  @Id('dep')
  departureId: string | null;
}

/** A booking with its services. */
export class PartnerBookingResponse extends PartnerBookingRow {
  /** Services that are not cancelled, oldest first; of a cancelled booking, those that were cancelled with it. */
  @ListOf(() => PartnerBookingItem, { max: MAX_ITEMS })
  items: PartnerBookingItem[];
}

export class PartnerBookingPage extends pageOf(PartnerBookingRow) {}

/** A booking that a channel sold. */
export type SoldBooking = Booking & { channelId: string };

export function toPartnerBookingRow(booking: SoldBooking): PartnerBookingRow {
  return respond(PartnerBookingRow, booking);
}

export function toPartnerBooking(booking: SoldBooking, items: readonly BookingItem[]): PartnerBookingResponse {
  return respond(PartnerBookingResponse, {
    ...booking,
    items: items.map((item) => respond(PartnerBookingItem, { ...item, totalCents: item.totalSellCents })),
  });
}
