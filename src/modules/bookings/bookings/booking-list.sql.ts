import { anyOf } from '../../../platform/database/filter-rows.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import { rowCountSql } from '../../../platform/database/row-counts.js';
import { type ListBookings, SORT_FIELDS } from './booking.dto.js';

const ORDERS: Record<(typeof SORT_FIELDS)[number], (direction: string) => string> = {
  createdAt: (direction) => `b.created_at ${direction}, b.id ${direction}`,
  departureDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  startDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  number: (direction) => `b.number ${direction}, b.id ${direction}`,
};

/** Tests whether an item of the booking `b` has a different tax rate than its day. */
export const RATE_CHANGED = `exists (select from booking_items i
  where i.booking_id = b.id and i.tax_rate_changed and i.status <> 'cancelled')`;

/** Tests whether the booking `b`, which is not ended, lacks data of travelers on an active item with a departure. */
const TRAVELERS_INCOMPLETE = `(b.status in ('draft', 'confirmed', 'in_progress') and exists (select from booking_items i
  where i.booking_id = b.id and i.status <> 'cancelled' and i.departure_id is not null
    and i.quantity > (select count(*) from booking_item_travelers seat
      join booking_travelers traveler on traveler.id = seat.traveler_id
      where seat.item_id = i.id and traveler.last_name is not null and not exists (
        select from departures departure join products product on product.id = departure.product_id
        cross join unnest(product.required_traveler_fields) field
        where departure.id = i.departure_id and case field
          when 'firstName' then traveler.first_name is null
          when 'birthDate' then traveler.birth_date is null
          when 'gender' then traveler.gender is null
          when 'nationality' then traveler.nationality is null
          when 'language' then traveler.language is null
          when 'phone' then traveler.phone is null
          when 'email' then traveler.email is null
          when 'emergencyContact' then traveler.emergency_contact is null
          when 'document' then traveler.document is null
          else false end))))`;
const ON_DEPARTURE = `b.id in (select i.booking_id from booking_items i where i.departure_id = ? and i.status <> 'cancelled')`;

/** The conditions of the list of bookings `b`, their values, and the SQL of the number of bookings. */
export function conditionsOf({ status, search, startFrom, startTo, ...filter }: ListBookings): {
  where: string;
  values: unknown[];
  total: string;
} {
  const { customerId, departureId, travelersIncomplete, taxRateChanged } = filter;
  const statuses = status && anyOf(status);
  const given: [string, unknown][] = [
    [`b.status = ${statuses?.sql('?')}`, statuses?.value],
    [containsWordsSql('b.search_text', '?'), search],
    ['b.departure_date >= ?', startFrom],
    ['b.departure_date <= ?', startTo],
    ['b.customer_id = ?', customerId],
    [ON_DEPARTURE, departureId],
    [`${TRAVELERS_INCOMPLETE} = ?::boolean`, travelersIncomplete],
    // Writing the value into the text lets an index find the few bookings that have one.
    [taxRateChanged ? `${RATE_CHANGED} and ?::boolean` : `not ${RATE_CHANGED} and not ?::boolean`, taxRateChanged],
  ];
  const filters = given.filter(([, value]) => value !== undefined);
  const where = filters.map(([condition], index) => condition.replaceAll('?', `$${index + 1}`)).join(' and ');
  const values = filters.map(([, value]) => value);
  if (where === '') return { where: 'true', values, total: rowCountSql('bookings', {}) };
  // Triggers count bookings by status only.
  const isCounted = filters.length === 1 && statuses !== undefined;
  const counted = `(select count(*) from bookings b where ${where})`;
  return { where, values, total: isCounted ? rowCountSql('bookings', { status: statuses.sql('$1') }) : counted };
}

export function orderOf({ sort = '-createdAt' }: ListBookings): string {
  const field = SORT_FIELDS.find((known) => sort.endsWith(known)) ?? 'createdAt';
  return ORDERS[field](sort.startsWith('-') ? 'desc' : 'asc');
}
