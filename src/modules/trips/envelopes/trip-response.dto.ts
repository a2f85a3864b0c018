import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Text, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { toComponent, TripComponentResponse } from '../components/component-response.dto.js';
import { ReservationResponse, toReservation } from '../reservations/reservation-response.dto.js';
import type { TravelerParty } from './traveler-party.js';
import type { TripView } from './trip-rows.service.js';
import { TRIP_STATUSES, type TripStatus } from './trip-status.js';

export class BillingResponse {
  @Text({ max: 255 })
  name: string | null;

  @EmailAddress()
  email: string | null;

  @Text({ max: 50 })
  phone: string | null;

  @Text({ max: 500 })
  address: string | null;
}

export class TravelerResponse {
  @Text({ max: 255 })
  name: string | null;

  @IsoDate()
  birthDate: string | null;

  @EmailAddress()
  email: string | null;

  @Text({ max: 50 })
  phone: string | null;
}

export class TravelerPartyResponse {
  @Nested(() => BillingResponse)
  billing: BillingResponse | null;

  @ListOf(() => TravelerResponse, { max: 200 })
  travelers: TravelerResponse[];
}

export class TripResponse {
  @Id('trip')
  envelopeId: string;

  @Text({ max: 255 })
  title: string | null;

  @OneOf(TRIP_STATUSES)
  status: TripStatus;

  @CurrencyCode()
  currency: string;

  @Nested(() => TravelerPartyResponse)
  travelerParty: TravelerPartyResponse | null;

  /** In their order, without those that were removed. */
  @ListOf(() => TripComponentResponse, { max: 50 })
  components: TripComponentResponse[];

  /** Without tax; null while the trip has no price. */
  @Cents()
  subtotalCents: number | null;

  @Cents()
  taxCents: number | null;

  /** subtotalCents and taxCents. */
  @Cents()
  totalCents: number | null;

  /** When the first of the prices expires. */
  @Instant()
  priceExpiresAt: string | null;

  /** When the first of the holds expires, while the trip is reserved. */
  @Instant()
  holdExpiresAt: string | null;

  /** Somebody has to look: a provider did not take back, or did not confirm, what it holds. */
  @Flag()
  attention: boolean;

  @Id('book')
  bookingId: string | null;

  /** The last attempt to reserve it. */
  @Nested(() => ReservationResponse)
  reservation: ReservationResponse | null;

  @Instant()
  cancelledAt: string | null;

  @Text({ max: 2000 })
  cancelReason: string | null;

  /** Raised by every change, also of its components; also the ETag. */
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
