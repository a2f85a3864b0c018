import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';

const MAX_SERVICES = 500;
const MAX_TRAVELERS = 500;

/** A service of a booking or a trip. */
export interface TravelService {
  type: string;
  title: string;
  quantity: number;
  totalCents: number | null;
  productId: string | null;
  /** `YYYY-MM-DD`. */
  serviceDate: string | null;
  startsAt: Date | null;
  endsAt: Date | null;
  timeZone: string | null;
  meetingPoint: string | null;
  meetingAddress: string | null;
  pickup: string | null;
  /** `HH:MM` in the time zone of the departure. */
  pickupTime: string | null;
  pickupNote: string | null;
}

interface TravelHead {
  /** Number of the booking; null for a trip without one. */
  number: string | null;
  /** Title of the trip. */
  title: string | null;
  isOffer: boolean;
  language: string | null;
  customerName: string | null;
  customerAddress: string | null;
  startDate: string | null;
  endDate: string | null;
  currency: string;
  totalCents: number | null;
  taxCents: number | null;
  travelers: string[];
}

/** What confirmations and itineraries print of a booking or a trip. */
export interface Travel extends TravelHead {
  services: TravelService[];
}

export interface NamedTravel extends Travel {
  /** IDs of the booking, its travelers and the customers. */
  namedIds: string[];
}

interface TripHead extends TravelHead {
  isCancelled: boolean;
  bookingId: string | null;
  customerId: string | null;
}

/** The columns of a departure and its meeting point. */
const OF_DEPARTURE = `departure.starts_at as "startsAt", departure.ends_at as "endsAt", departure.time_zone as "timeZone",
    facility.name as "meetingPoint",
    nullif(concat_ws(', ', facility.address_line1, facility.address_line2,
      nullif(concat_ws(' ', facility.address_postal_code, facility.address_city), '')), '') as "meetingAddress"`;

const BOOKING = `
  select booking.number, null as title, booking.status = 'draft' as "isOffer", booking.status = 'cancelled' as "isCancelled",
    booking.customer_language as language, booking.customer_name as "customerName", booking.customer_address as "customerAddress",
    coalesce(booking.departure_date, booking.start_date)::text as "startDate",
    coalesce(booking.return_date, booking.end_date)::text as "endDate",
    booking.currency, booking.total_cents::float8 as "totalCents",
    (select coalesce(sum(item.tax_included_cents), 0)::float8 from booking_items item
      where item.booking_id = booking.id and item.status <> 'cancelled') as "taxCents",
    array(
      select concat_ws(' ', traveler.first_name, traveler.last_name) from booking_travelers traveler
      where traveler.booking_id = booking.id and traveler.last_name is not null
      order by traveler.position, traveler.id limit ${MAX_TRAVELERS}
    ) as travelers
  from bookings booking where booking.id = $1`;

const ITEMS = `
  select item.type, item.title, item.quantity, item.total_sell_cents::float8 as "totalCents",
    coalesce(departure.product_id, item.product_id) as "productId", item.service_date::text as "serviceDate",
    ${OF_DEPARTURE}, place.name as pickup, item.pickup_note as "pickupNote",
    to_char(stop.at at time zone departure.time_zone, 'HH24:MI') as "pickupTime"
  from booking_items item
  left join departures departure on departure.id = item.departure_id
  left join facilities facility on facility.id = departure.facility_id
  left join facilities place on place.id = item.pickup_facility_id
  left join lateral (
    select departure.starts_at - make_interval(mins => (one ->> 'minutesBefore')::int) as at
    from jsonb_array_elements(departure.pickups) one where one ->> 'facilityId' = item.pickup_facility_id
  ) as stop on true
  where item.booking_id = $1 and item.status <> 'cancelled'
  order by departure.starts_at nulls last, item.service_date nulls last, item.created_at, item.id limit ${MAX_SERVICES}`;

const TRIP = `
  select null as number, trip.title, true as "isOffer", trip.status = 'cancelled' as "isCancelled", trip.booking_id as "bookingId",
    trip.customer_id as "customerId",
    customer.language, trip.traveler_party -> 'billing' ->> 'name' as "customerName",
    trip.traveler_party -> 'billing' ->> 'address' as "customerAddress",
    dates.first::text as "startDate", dates.last::text as "endDate", trip.currency,
    trip.total_cents::float8 as "totalCents", trip.tax_cents::float8 as "taxCents",
    array(
      select traveler ->> 'name' from jsonb_array_elements(coalesce(trip.traveler_party -> 'travelers', '[]')) traveler
      where traveler ->> 'name' is not null limit ${MAX_TRAVELERS}
    ) as travelers
  from trip_envelopes trip
  left join customers customer on customer.id = trip.customer_id
  cross join lateral (
    select min(component.service_date) as first, max(component.service_date) as last from trip_components component
    where component.envelope_id = trip.id and component.status not in ('cancelled', 'removed')
  ) as dates
  where trip.id = $1`;

const COMPONENTS = `
  select 'service' as type, component.title, component.quantity, component.total_cents::float8 as "totalCents",
    departure.product_id as "productId",
    coalesce(component.service_date, departure.start_date)::text as "serviceDate", ${OF_DEPARTURE},
    null as pickup, null as "pickupTime", null as "pickupNote"
  from trip_components component
  left join departures departure on departure.id = component.departure_id
  left join facilities facility on facility.id = departure.facility_id
  where component.envelope_id = $1 and component.status not in ('cancelled', 'removed')
  order by departure.starts_at nulls last, component.service_date nulls last, component.position, component.id
  limit ${MAX_SERVICES}`;

/** SQL: the IDs of bookings, their travelers and their customers. */
const NAMED = `
  with booking as (select id, customer_id from bookings where id = any($1)),
    traveler as (select id, customer_id from booking_travelers where booking_id = any($1))
  select id from booking union select customer_id from booking where customer_id is not null
  union select id from traveler union select customer_id from traveler where customer_id is not null`;

/** Reads what documents print of bookings and trips. */
@Injectable()
export class TravelsRepository {
  constructor(private readonly database: Database) {}

  /** Throws 404, and 409 `booking_cancelled`. */
  async ofBooking(bookingId: string): Promise<NamedTravel> {
    const [found] = await this.database.query<TravelHead & { isCancelled: boolean }>(BOOKING, [bookingId]);
    if (!found) throw notFound({ field: 'subjectId' });
    const { isCancelled, ...head } = found;
    if (isCancelled) throw conflict('booking_cancelled', 'The booking is cancelled');
    const services = await this.database.query<TravelService>(ITEMS, [bookingId]);
    return { ...head, services, namedIds: await this.namedIdsOf([bookingId]) };
  }

  /** Reads the booking of the trip, if there is one. Throws 404, and 409 `trip_cancelled` or `booking_cancelled`. */
  async ofTrip(tripId: string): Promise<NamedTravel> {
    const [found] = await this.database.query<TripHead>(TRIP, [tripId]);
    if (!found) throw notFound({ field: 'subjectId' });
    const { isCancelled, bookingId, customerId, ...head } = found;
    if (isCancelled) throw conflict('trip_cancelled', 'The trip is cancelled');
    if (bookingId !== null) return { ...(await this.ofBooking(bookingId)), title: head.title };
    const services = await this.database.query<TravelService>(COMPONENTS, [tripId]);
    return { ...head, services, namedIds: customerId === null ? [] : [customerId] };
  }

  /** The IDs of these bookings, their travelers and their customers. */
  async namedIdsOf(bookingIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(NAMED, [bookingIds]);
    return rows.map(({ id }) => id);
  }
}
