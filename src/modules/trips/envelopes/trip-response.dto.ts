import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { toComponent, TripComponentResponse } from '../components/component-response.dto.js';
import { ReservationResponse, toReservation } from '../reservations/reservation-response.dto.js';
import type { TravelerParty } from './traveler-party.js';
import type { TripView } from './trip-rows.service.js';
import { TRIP_STATUSES, type TripStatus } from './trip-status.js';

/** Who pays: the customer of the booking that the trip becomes. */
export class BillingResponse {
  /** Full name or company; null until known. */
  @Text({ max: 255 })
  name: string | null;

  /** E-mail address of the payer; null until known. */
  @EmailAddress()
  email: string | null;

  /** Phone number, free text; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;

  /** Postal address, with line breaks; null if unknown. */
  @Text({ max: 500 })
  address: string | null;
}

/** One traveler. */
export class TravelerResponse {
  /** Full name; null until known. */
  @Text({ max: 255 })
  name: string | null;

  /** Date of birth, `YYYY-MM-DD`; null if unknown. */
  @IsoDate()
  birthDate: string | null;

  /** E-mail address of the traveler; null if unknown. */
  @EmailAddress()
  email: string | null;

  /** Phone number, free text; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;
}

/** Who pays and who travels. */
export class TravelerPartyResponse {
  /** Who pays; null until known. */
  @Nested(() => BillingResponse)
  billing: BillingResponse | null;

  /** The travelers in the order in which they were sent. */
  @ListOf(() => TravelerResponse, { max: 200 })
  travelers: TravelerResponse[];
}

/** A trip with its components and the last attempt to reserve it. Amounts are in minor units of `currency`. */
export class TripResponse {
  /** ID of the trip, a TypeID with the prefix `trip`. */
  @Id('trip')
  envelopeId: string;

  /** Name of the trip for staff; null if it has none. */
  @Text({ max: 255 })
  title: string | null;

  /** State of the trip. `reserve_in_progress` is left by the server; `checkout_started` is not used yet. */
  @OneOf(TRIP_STATUSES)
  status: TripStatus;

  /** ISO 4217 code for all prices of the trip; immutable. */
  @CurrencyCode()
  currency: string;

  /** Who pays and who travels; null until given. */
  @Nested(() => TravelerPartyResponse)
  travelerParty: TravelerPartyResponse | null;

  /** Components by position, without removed ones. */
  @ListOf(() => TripComponentResponse, { max: 50 })
  components: TripComponentResponse[];

  /** Sum of the components without tax; null while a component has no price. */
  @Cents()
  subtotalCents: number | null;

  /** Sum of the components' tax; null while a component has no price. */
  @Cents()
  taxCents: number | null;

  /** `subtotalCents` + `taxCents`; null while a component has no price. */
  @Cents()
  totalCents: number | null;

  /** When the first component price expires; null while the trip has no price. */
  @Instant()
  priceExpiresAt: string | null;

  /** When the first hold expires; null unless the trip is `reserved`. */
  @Instant()
  holdExpiresAt: string | null;

  /** True if staff need to check the trip: a provider has not released or not confirmed what it holds. */
  @Flag()
  attention: boolean;

  /** Booking that the trip became (prefix `book`); null until it is booked. */
  @Id('book')
  bookingId: string | null;

  /** Last attempt to reserve the trip; null if there was none. */
  @Nested(() => ReservationResponse)
  reservation: ReservationResponse | null;

  /** When the trip was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Reason given with the cancellation; null if none was given. */
  @Text({ max: 2000 })
  cancelReason: string | null;

  /**
   * Increases with every change of the trip or its components. It is also the ETag, and what If-Match is compared
   * with.
   */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toTrip({ trip, components, plan }: TripView): TripResponse {
  return {
    envelopeId: trip.id,
    title: trip.title,
    status: trip.status,
    currency: trip.currency,
    travelerParty: trip.travelerParty && toParty(trip.travelerParty),
    components: components.map(toComponent),
    subtotalCents: trip.subtotalCents,
    taxCents: trip.taxCents,
    totalCents: trip.totalCents,
    priceExpiresAt: trip.priceExpiresAt?.toISOString() ?? null,
    holdExpiresAt: trip.holdExpiresAt?.toISOString() ?? null,
    attention: trip.attention,
    bookingId: trip.bookingId,
    reservation: plan && toReservation(plan),
    cancelledAt: trip.cancelledAt?.toISOString() ?? null,
    cancelReason: trip.cancelReason,
    version: trip.version,
    createdAt: trip.createdAt.toISOString(),
    updatedAt: trip.updatedAt.toISOString(),
  };
}

function toParty({ billing, travelers = [] }: TravelerParty): TravelerPartyResponse {
  return {
    billing: billing
      ? {
          name: billing.name ?? null,
          email: billing.email ?? null,
          phone: billing.phone ?? null,
          address: billing.address ?? null,
        }
      : null,
    travelers: travelers.map(({ name = null, birthDate = null, email = null, phone = null }) => {
      return { name, birthDate, email, phone };
    }),
  };
}

export class TripEnvelope extends dataOf(TripResponse) {}
export class TripPage extends pageOf(TripResponse) {}
