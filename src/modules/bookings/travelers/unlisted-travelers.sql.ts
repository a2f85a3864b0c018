/**
 * Selects items with a traveler on a seat beyond their people: the manifest does not list that traveler. Returns type, id, people and the greatest
 * seat. Reads departures ahead and those of the last 30 days, so that the cost does not grow with the years.
 */
export const UNLISTED_TRAVELERS = `
  select 'booking_item' as type, item.id, item.quantity * item.people_per_unit as expected, max(taken.seat) as actual
  from departures departure
  join booking_items item on item.departure_id = departure.id and item.status <> 'cancelled'
  join booking_item_travelers taken on taken.item_id = item.id
  where departure.ends_at >= app_today() - 30
  group by item.id having max(taken.seat) > item.quantity * item.people_per_unit`;
