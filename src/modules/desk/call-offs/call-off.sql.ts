import { RECEIVED_CENTS } from '../../finance/index.js';
import { poolOf, salesStateOf } from '../../operations/index.js';

/** The price that waived installments of a booking have left out of its debt. */
const WAIVED_CENTS = `(
  select coalesce(sum(installment.amount_cents), 0) from payment_schedules installment
  where installment.booking_id = booking.id and installment.waived and installment.status = 'cancelled')`;

/** The bookings with live items on the departure $1, in the order in which they are worked on. */
export const LIVE_BOOKINGS = `
  select booking.id as "bookingId", booking.number, booking.status, booking.currency, channel.status as "channelStatus",
    coalesce(booking.total_cents, 0)::float8 as "bookingCents", sum(i.total_sell_cents)::float8 as "totalCents",
    least(sum(i.quantity * i.seats_per_unit), 2147483647)::int as units,
    least(sum(i.quantity * i.people_per_unit), 2147483647)::int as people,
    exists (
      select from booking_items other where other.booking_id = booking.id and other.status <> 'cancelled'
        and other.type = 'unit' and other.departure_id is distinct from $1) as "isKept",
    ${RECEIVED_CENTS}::float8 as "receivedCents", ${WAIVED_CENTS}::float8 as "waivedCents",
    json_agg(json_build_object('soldPartId', coalesce(i.unit_id, i.extra_id), 'productId', i.product_id, 'optionId', i.option_id,
      'allotmentId', i.allotment_id, 'units', i.quantity * i.seats_per_unit) order by i.created_at, i.id) as items
  from booking_items i
  join bookings booking on booking.id = i.booking_id
  left join channels channel on channel.id = booking.channel_id
  where i.departure_id = $1 and i.status <> 'cancelled'
  group by booking.id, channel.status order by booking.id`;

/** The capacity that a component of a trip takes. */
const SEATS = `coalesce((
  select sum((line ->> 'quantity')::int * (line ->> 'seatsPerUnit')::int)
  from jsonb_array_elements(component.lines) as line), component.quantity)`;

/** The trips that hold units of the departure $1, or are being reserved with a component on it. */
export const HOLDING_TRIPS = `
  select trip.id as "envelopeId", trip.currency, least(sum(${SEATS}), 2147483647)::int as units,
    coalesce(sum(component.total_cents), 0)::float8 as "totalCents"
  from trip_envelopes trip join trip_components component on component.envelope_id = trip.id
  where component.departure_id = $1 and (
    (trip.status = 'reserved' and component.status = 'held')
    or (trip.status = 'reserve_in_progress' and component.status not in ('cancelled', 'removed')))
  group by trip.id order by trip.id`;

/** What the departures $1 can sell at the instant $2. */
export const TARGETS = `
  select d.id as "departureId", d.product_id as "productId", d.option_id as "optionId", d.currency, ${poolOf('d')} as available,
    ${salesStateOf('d', '$2::timestamptz')} as "salesState"
  from departures d where d.id = any($1) order by d.id`;

/** The open slots of the departures $1. */
export const TARGET_SLOTS = `
  select slot.departure_id as "departureId", slot.allotment_id as "allotmentId", allotment.type,
    allotment.active and channel.status = 'active' as "isSelling",
    slot.allotted - slot.sold - slot.held - slot.released - slot.suspended as remaining
  from allotment_slots slot
  join allotments allotment on allotment.id = slot.allotment_id
  join channels channel on channel.id = allotment.channel_id
  where slot.departure_id = any($1) and slot.closed_at is null`;

/** The items of a call-off $1, counted by action, status and currency. */
export const REPORT = `
  select item.action, item.status, item.currency, count(*)::int as items, sum(item.people)::int as people,
    sum(item.units)::int as units, sum(item.total_cents)::float8 as "totalCents",
    sum(item.refunded_cents)::float8 as "refundedCents", sum(item.credited_cents)::float8 as "creditedCents",
    sum(item.open_cents)::float8 as "openCents"
  from call_off_items item where item.call_off_id = $1
  group by item.action, item.status, item.currency order by item.action, item.status, item.currency`;
