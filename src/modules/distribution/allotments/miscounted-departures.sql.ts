/**
 * Selects departures whose counters differ from the counted units: units of items that are not cancelled, of trips, of resellers and
 * of offers to waiting customers that hold them, and of slots of guaranteed allotments that can still be sold. Returns type, id, expected and actual units.
 */
export const MISCOUNTED_DEPARTURES = `
  select 'departure' as type, departure.id, counted.expected, counted.actual
  from departures departure
  left join (
    select departure_id, sum(quantity * seats_per_unit) as units from booking_items
    where departure_id is not null and status <> 'cancelled' group by 1
  ) sold on sold.departure_id = departure.id
  left join (
    select departure_id, sum(units) as units from (
      select offer ->> 'departureId' as departure_id, (offer ->> 'quantity')::integer as units
      from reservation_steps where provider = 'departures' and status = 'held'
      union all
      select offered_departure_id, seats from waiting_entries where status = 'offered'
      union all
      select octo.departure_id, unit.seats from octo_unit_items unit join octo_bookings octo on octo.id = unit.octo_booking_id
      where octo.status = 'ON_HOLD' and not octo.test_mode
    ) holding group by 1
  ) held on held.departure_id = departure.id
  left join (
    select slot.departure_id, sum(slot.allotted - slot.sold - slot.held - slot.released - slot.suspended) as units
    from allotment_slots slot join allotments allotment on allotment.id = slot.allotment_id
    where allotment.type = 'guaranteed' group by 1
  ) guaranteed on guaranteed.departure_id = departure.id
  cross join lateral (
    values (coalesce(sold.units, 0), departure.sold), (coalesce(held.units, 0), departure.held),
      (coalesce(guaranteed.units, 0), departure.guaranteed_open)
  ) counted (expected, actual)
  where counted.expected <> counted.actual`;
