import { MAX_PEOPLE, MAX_RESOURCES } from './manifest.dto.js';

/** A departure with one of its people; the members of the person are null in the only row of an empty departure. */
export interface ManifestRow {
  departureId: string;
  productId: string;
  productName: string | null;
  startsAt: Date;
  endsAt: Date;
  timeZone: string;
  localStart: string;
  meetingPoint: string | null;
  capacity: number;
  sold: number;
  held: number;
  bookingId: string | null;
  bookingNumber: string;
  bookingStatus: string;
  itemStatus: string;
  itemId: string;
  seat: number;
  travelerId: string | null;
  firstName: string | null;
  lastName: string | null;
  customerName: string;
  unit: string;
  /** Name of the option that was sold. */
  option: string | null;
  pickupFacilityId: string | null;
  pickupFacility: string | null;
  /** In the time zone of the departure, as `YYYY-MM-DD HH:MM`. */
  pickupTime: string | null;
  pickupNote: string | null;
  age: number | null;
  phone: string | null;
  language: string | null;
  dietary: string[] | null;
  emergencyContact: { name: string; phone: string } | null;
  document: { type: string; sealedNumber: string; issuingCountry: string; expiresOn: string | null } | null;
  healthNote: string | null;
  mobilityNote: string | null;
  otherServices: string[];
  /** Null unless they are asked for. */
  answers: { label: string; values: string[] }[] | null;
  /** Minor units, as text. */
  balanceDueCents: string;
  checkInState: 'arrived' | 'no_show' | null;
  changedBy: string | null;
  changedAt: Date | null;
}

/**
 * The check-in of the person on the seat `place` of `item`, who is `who` (null for a guest): that of the traveler, or that of the
 * guest who had the seat before the name was known.
 */
const arrivalOf = (who: string): string => `left join lateral (
    select found.state, found.changed_by, found.changed_at, found.traveler_id from departure_check_ins found
    where found.departure_id = item.departure_id and found.item_id = item.id
      and (found.traveler_id = ${who} or found.traveler_id is null and found.seat = place.seat)
    order by found.traveler_id nulls last limit 1
  ) as arrival on true`;

/** The resources of departure $1, by their start. */
export const RESOURCES = `
  select resource.id as "resourceId", resource.type, resource.name, assignment.role
  from resource_assignments assignment join resources resource on resource.id = assignment.resource_id
  where assignment.departure_id = $1
  order by assignment.starts_at, assignment.id limit ${MAX_RESOURCES}`;

/** The number of people of departure $1, with those of cancelled items if $2. Read before each of them is: they may be millions. */
export const PEOPLE = `
  select coalesce(sum(item.quantity * item.people_per_unit), 0)::int8 as people from booking_items item
  where item.departure_id = $1 and (item.status <> 'cancelled' or $2)`;

/**
 * The people of departure $1, with those of cancelled items if $2, and their answers if $3, in one statement: as many as the items have
 * seats, in the order of the grouping $4. What a booking
 * has besides is computed once per booking.
 */
export const MANIFEST = `
  with concerned as materialized (
    select distinct item.booking_id as id from booking_items item
    where item.departure_id = $1 and (item.status <> 'cancelled' or $2)
  ), others as materialized (
    select booking.id as booking_id, booking.customer_name, lead.last_name as lead_name,
      coalesce((
        select sum(installment.amount_cents - installment.paid_cents) from payment_schedules installment
        where installment.booking_id = booking.id and installment.status = 'pending'
          and booking.status <> 'draft' and (booking.status <> 'cancelled' or installment.type = 'fee')
      ), 0) as due_cents
    from concerned join bookings booking on booking.id = concerned.id
    left join booking_travelers lead on lead.booking_id = booking.id and lead.is_lead
  )
  select departure.id as "departureId", departure.product_id as "productId",
    product.name as "productName", departure.starts_at as "startsAt",
    departure.ends_at as "endsAt", departure.time_zone as "timeZone",
    to_char(departure.starts_at at time zone departure.time_zone, 'YYYY-MM-DD HH24:MI') as "localStart",
    facility.name as "meetingPoint", departure.capacity, departure.sold, departure.held,
    booking.id as "bookingId", booking.number as "bookingNumber", booking.status as "bookingStatus",
    item.status as "itemStatus", item.id as "itemId",
    place.seat, traveler.id as "travelerId",
    traveler.first_name as "firstName", traveler.last_name as "lastName", booking.customer_name as "customerName",
    item.title as unit, choice.name as option, item.pickup_facility_id as "pickupFacilityId",
    place_of_pickup.name as "pickupFacility", to_char(stop.at at time zone departure.time_zone, 'YYYY-MM-DD HH24:MI') as "pickupTime",
    item.pickup_note as "pickupNote",
    case when traveler.birth_date <= (departure.starts_at at time zone departure.time_zone)::date then
      extract(year from age((departure.starts_at at time zone departure.time_zone)::date, traveler.birth_date))::int
    end as age,
    coalesce(traveler.phone, booking.customer_phone) as phone,
    coalesce(traveler.language, booking.customer_language) as language, traveler.dietary,
    traveler.emergency_contact as "emergencyContact", traveler.document, traveler.health_note as "healthNote",
    traveler.mobility_note as "mobilityNote", service.titles as "otherServices",
    case when $3 then coalesce((
      select json_agg(json_build_object('label', asked.content ->> 'label', 'values', answer.values)
        order by (asked.content ->> 'position')::int, answer.unit_number, answer.id)
      from booking_answers answer
      join product_question_versions asked
        on asked.question_id = answer.question_id and asked.version = answer.question_version
      where answer.booking_id = booking.id and answer.values is not null
        and (answer.traveler_id is null or answer.traveler_id = traveler.id)
        and (answer.item_id is null or answer.item_id = item.id)
        and (answer.unit_number is null or answer.unit_number = (place.seat - 1) / item.people_per_unit + 1)
    ), '[]') end as answers, others.due_cents as "balanceDueCents",
    arrival.state as "checkInState", arrival.changed_by as "changedBy", arrival.changed_at as "changedAt"
  from departures departure
  left join products product on product.id = departure.product_id
  left join facilities facility on facility.id = departure.facility_id
  left join (
    booking_items item
    join bookings booking on booking.id = item.booking_id
    join others on others.booking_id = booking.id
    cross join lateral (
      select coalesce(array_agg(one.title order by one.created_at, one.id), '{}') as titles
      from booking_items one
      where one.booking_id = booking.id and one.id <> item.id and one.status <> 'cancelled'
        and one.type in ('unit', 'extra', 'service', 'accommodation', 'transport', 'other')
        and (one.type <> 'unit' or one.departure_id is distinct from item.departure_id)
    ) as service
    cross join lateral generate_series(1, item.quantity * item.people_per_unit) as place (seat)
    left join booking_item_travelers taken on taken.item_id = item.id and taken.seat = place.seat
    left join booking_travelers traveler on traveler.id = taken.traveler_id
  ) on item.departure_id = departure.id and (item.status <> 'cancelled' or $2)
  left join product_options choice on choice.id = item.option_id
  left join facilities place_of_pickup on place_of_pickup.id = item.pickup_facility_id
  left join lateral (
    select departure.starts_at - make_interval(mins => (pickup ->> 'minutesBefore')::int) as at
    from jsonb_array_elements(departure.pickups) pickup
    where pickup ->> 'facilityId' = item.pickup_facility_id
  ) as stop on true
  ${arrivalOf('traveler.id')}
  where departure.id = $1
  order by
    case when $4 = 'option' then choice.position end nulls last, case when $4 = 'option' then item.option_id end nulls last,
    case when $4 = 'booking' then min(stop.at) over (partition by booking.id) else stop.at end nulls last,
    case when $4 = 'pickup' then place_of_pickup.name end nulls last,
    case when $4 = 'pickup' then item.pickup_facility_id end nulls last,
    lower(coalesce(others.lead_name, booking.customer_name)), booking.number, stop.at nulls last, item.created_at, item.id,
    traveler.position nulls last, place.seat
  limit ${MAX_PEOPLE}`;

/**
 * The seats of departure $1 among the travelers $2 and the seats $3 and $4 (items and numbers), with the person who has the seat
 * now and the state of that person. The item of a seat is only that of the departure.
 */
export const SEATS = `
  select item.id as "itemId", place.seat, taken.traveler_id as "travelerId", arrival.state,
    arrival.traveler_id is not distinct from taken.traveler_id as "isOwn"
  from booking_items item
  cross join lateral generate_series(1, item.quantity * item.people_per_unit) as place (seat)
  left join booking_item_travelers taken on taken.item_id = item.id and taken.seat = place.seat
  ${arrivalOf('taken.traveler_id')}
  where item.departure_id = $1 and item.status <> 'cancelled' and (
    taken.traveler_id = any($2)
    or exists (select from unnest($3::text[], $4::int[]) as given (item, seat)
      where given.item = item.id and given.seat = place.seat))
  order by item.id, place.seat`;

/** The arrivals of departure $1. */
export const ARRIVALS = `
  select count(*) filter (where arrival.state = 'arrived')::int as arrived,
    count(*) filter (where arrival.state = 'no_show')::int as "noShow",
    count(*) filter (where arrival.state is null)::int as open
  from booking_items item
  cross join lateral generate_series(1, item.quantity * item.people_per_unit) as place (seat)
  left join booking_item_travelers taken on taken.item_id = item.id and taken.seat = place.seat
  ${arrivalOf('taken.traveler_id')}
  where item.departure_id = $1 and item.status <> 'cancelled'`;
