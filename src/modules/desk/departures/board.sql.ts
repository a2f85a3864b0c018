import { containsWordsSql } from '../../../platform/database/like.js';
import { LACKS_TRAVELERS } from '../../bookings/index.js';
import { isUnderstaffed, poolOf, resourceWarningsOf, salesStateOf } from '../../operations/index.js';

/** SQL: the active items `i` on `departure` in bookings with one of these statuses. */
const live = (statuses: string): string => `booking_items i join bookings booking on booking.id = i.booking_id
  where i.departure_id = departure.id and i.status <> 'cancelled' and booking.status in (${statuses})`;

/** SQL: the people of bookings with one of these statuses. */
const peopleOf = (statuses: string): string =>
  `(select least(coalesce(sum(i.quantity * i.people_per_unit), 0), 2147483647)::int from ${live(statuses)})`;

const CONFIRMED_PEOPLE = peopleOf(`'confirmed', 'in_progress', 'completed'`);

/** SQL: everyone on the manifest. Drafts have seats too. */
const PEOPLE = peopleOf(`'draft', 'confirmed', 'in_progress', 'completed'`);

/** SQL: the name of the product; without a record that of its document in the catalog. */
const PRODUCT_NAME = `coalesce(product.name, (
  select document.fields ->> 'name' from catalog_document document join catalog_slice slice on slice.id = document.slice_id
  where document.id = departure.product_id and slice.vertical = 'products' and document.deleted_at is null
  order by document.seq limit 1))`;

/** SQL: the units of a slot that its channel has not sold, held or given back. */
const REMAINING = 'slot.allotted - slot.sold - slot.held - slot.released - slot.suspended';

/**
 * The departures of the local days $1 to $2 that match the filters: product $3, channel $4, sales states $5 at the instant $6 and
 * words $7, understaffed $8; a null filter matches all.
 */
const FOUND = `departures departure left join products product on product.id = departure.product_id
  where departure.start_date between $1::date and $2::date
    and ($3::text is null or departure.product_id = $3)
    and ($4::text is null or exists (
      select from allotment_slots slot join allotments allotment on allotment.id = slot.allotment_id
      where slot.departure_id = departure.id and allotment.channel_id = $4 and allotment.deleted_at is null))
    and ($5::text[] is null or ${salesStateOf('departure', '$6::timestamptz')} = any($5))
    and ($7::text is null or ${containsWordsSql(`fold(coalesce(${PRODUCT_NAME}, '') || ' ' || departure.product_id)`, '$7')})
    and ($8::boolean is null or ${isUnderstaffed('departure', '$6::timestamptz')} = $8)`;

export const BOARD_TOTAL = `select count(*)::int as total from ${FOUND}`;

/**
 * A page with the limit $9 and the offset $10; $11 is today, $12 and $13 whether the caller may see what customers owe and the
 * allotments of channels.
 */
export const boardStatement = (direction: 'asc' | 'desc'): string => `
  select departure.id, departure.product_id as "productId", ${PRODUCT_NAME} as "productName",
    departure.starts_at as "startsAt", departure.ends_at as "endsAt", departure.time_zone as "timeZone",
    to_char(departure.starts_at at time zone departure.time_zone, 'YYYY-MM-DD HH24:MI') as "localStart",
    to_char(departure.ends_at at time zone departure.time_zone, 'YYYY-MM-DD HH24:MI') as "localEnd",
    ${salesStateOf('departure', '$6::timestamptz')} as "salesState",
    case when departure.guaranteed_at is null and departure.min_participants is not null then 'tentative'
      else 'guaranteed' end as "runState",
    departure.capacity, departure.sold, departure.held, ${poolOf('departure')} as free,
    departure.min_participants as "minParticipants",
    ${PEOPLE} as people, ${CONFIRMED_PEOPLE} as "confirmedPeople",
    case when $13 then (
      select coalesce(json_agg(json_build_object('channelId', channel.id, 'name', channel.name, 'allotted', slot.allotted,
        'sold', slot.sold, 'remaining', case when allotment.type = 'cap' then greatest(least(${REMAINING}, ${poolOf('departure')}), 0) else ${REMAINING} end)
        order by lower(channel.name), slot.id), '[]')
      from allotment_slots slot
      join allotments allotment on allotment.id = slot.allotment_id
      join channels channel on channel.id = allotment.channel_id
      where slot.departure_id = departure.id and allotment.deleted_at is null
    ) end as channels,
    array_remove(array[
      case when departure.status = 'scheduled' and departure.minimum_not_reached_at is not null then 'minimum_not_reached' end,
      case when departure.starts_at > $6 and exists (
        select from ${live(`'confirmed', 'in_progress'`)} and ${LACKS_TRAVELERS}) then 'travelers_incomplete' end,
      case when $12 and exists (
        select from ${live(`'confirmed', 'in_progress', 'completed'`)} and exists (
          select from payment_schedules installment
          where installment.booking_id = booking.id and installment.status = 'pending' and installment.due_date < $11::date)
      ) then 'payment_overdue' end
    ], null) || array(
      select distinct warning.code from (${resourceWarningsOf('departure', { now: '$6::timestamptz', people: CONFIRMED_PEOPLE })}) as warning
      order by warning.code) as attention
  from ${FOUND}
  order by departure.starts_at ${direction}, departure.id ${direction} limit $9 offset $10`;
