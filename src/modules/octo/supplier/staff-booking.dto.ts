import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nullable, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { withNames } from '../../../platform/http/row-names.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';
import { named } from '../../../platform/http/named-values.js';
import { MAX_IDS } from './availability.dto.js';
import {
  type OctoBooking,
  type OctoUnitItem,
  type Refund,
  STORED_STATUSES,
  type StoredStatus,
} from './octo-booking.entity.js';

const REFUNDS = named('OctoRefund', ['FULL', 'PARTIAL', 'NONE']);

export class ListStaffOctoBookings extends PageQuery {
  /** Only bookings of this connection (prefix `ocon`). */
  @Optional()
  @Id('ocon')
  connectionId?: string;

  /** Only bookings in one of these statuses. */
  @Optional()
  @AnyOf(STORED_STATUSES)
  status?: StoredStatus[];

  /** Only test bookings (true) or only real ones (false). */
  @Optional()
  @QueryFlag()
  testMode?: boolean;

  /** Only bookings made at this instant or later. */
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only bookings made before this instant. */
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** A reservation of a reseller, and the booking that it became. */
class OctoBookingResponse {
  @Id('obok')
  id: string;

  /** Connection of the reseller. */
  @Id('ocon')
  connectionId: string;

  /** UUID of the booking at the reseller. */
  @Text({ max: 36 })
  uuid: string;

  /** Reference of the reseller; null without one. */
  @Nullable()
  @Text({ min: 0, max: 255 })
  resellerReference: string | null;

  /** A test takes no units and no money, and never becomes a booking. */
  @Flag()
  testMode: boolean;

  /** `ON_HOLD` until it is confirmed, cancelled or expired. */
  @OneOf(STORED_STATUSES)
  status: StoredStatus;

  /** Product whose units the reseller holds or has bought. */
  @Text({ max: 128 })
  productId: string;

  /** Option of the product; null for a product without options. */
  @Nullable()
  @Text({ max: 128 })
  optionId: string | null;

  @Id('dep')
  departureId: string;

  @CurrencyCode()
  currency: string;

  /** End of the hold; null if it is not on hold. */
  @Nullable()
  @Instant()
  expiresAt: string | null;

  /** Time of the confirmation; null without one. */
  @Nullable()
  @Instant()
  confirmedAt: string | null;

  /** Time of the cancellation; null without one. */
  @Nullable()
  @Instant()
  cancelledAt: string | null;

  /** How much of the price a cancellation refunds; null without one. */
  @Nullable()
  @OneOf(REFUNDS)
  refund: Refund | null;

  /** Booking that it became; null until it is confirmed, and for a test. */
  @Nullable()
  @Id('book')
  bookingId: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** One sold unit of a reservation. */
class OctoUnitResponse {
  /** UUID of the unit at the reseller. */
  @Text({ max: 64 })
  uuid: string;

  /** Unit of the product. */
  @Text({ max: 128 })
  unitId: string;

  /** Allotment from which its seats come; null for the general pool. */
  @Nullable()
  @Id('alot')
  allotmentId: string | null;

  /** What the guest pays. */
  @Cents()
  retailCents: number;

  /** What the reseller owes. */
  @Cents()
  netCents: number;

  /** Item of the booking; null until it is confirmed. */
  @Nullable()
  @Id('bkit')
  bookingItemId: string | null;
}

/** A reservation of a reseller with its units. */
class OctoBookingDetail extends OctoBookingResponse {
  /** What the reseller holds or has bought, one entry for each person or group. */
  @ListOf(() => OctoUnitResponse, { max: MAX_IDS })
  units: OctoUnitResponse[];
}

export function toStaffOctoBooking(booking: OctoBooking): OctoBookingResponse {
  return respond(OctoBookingResponse, booking);
}

export function toStaffOctoDetail(booking: OctoBooking, units: readonly OctoUnitItem[]): OctoBookingDetail {
  return respond(OctoBookingDetail, booking, { units: units.map((unit) => respond(OctoUnitResponse, unit)) });
}

export class OctoBookingEnvelope extends dataOf(OctoBookingDetail) {}
/** A reservation in a list, with names beside its IDs. */
class OctoBookingRow extends withNames(OctoBookingResponse, 'bookingId', 'productId') {}
export class OctoBookingPage extends pageOf(OctoBookingRow) {}
