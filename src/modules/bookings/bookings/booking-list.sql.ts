import { anyOf } from '../../../platform/database/filter-rows.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import { rowCountSql } from '../../../platform/database/row-counts.js';
import { openQuestions } from './open-questions.sql.js';
import { type Balance, type ListBookings, SORT_FIELDS } from './booking.dto.js';

const ORDERS: Record<(typeof SORT_FIELDS)[number], (direction: string) => string> = {
  createdAt: (direction) => `b.created_at ${direction}, b.id ${direction}`,
  departureDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  startDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  number: (direction) => `b.number ${direction}, b.id ${direction}`,
  customerName: (direction) => `b.customer_name ${direction}, b.id ${direction}`,
  totalCents: (direction) => `b.total_cents ${direction} nulls last, b.id ${direction}`,
};

/** Tests whether an item of the booking `b` has a different tax rate than its day. */
export const RATE_CHANGED = `exists (select from booking_items i
  where i.booking_id = b.id and i.tax_rate_changed and i.status <> 'cancelled')`;

/** Tests whether the item `i` with a departure has seats without a traveler, or travelers without data that the product requires. */
export const LACKS_TRAVELERS = `i.quantity * i.people_per_unit > (select count(*) from booking_item_travelers seat
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
          else false end))`;

/** Tests whether the booking `b`, which is not ended, lacks data of travelers on an active item with a departure. */
const TRAVELERS_INCOMPLETE = `(b.status in ('draft', 'confirmed', 'in_progress') and exists (select from booking_items i
  where i.booking_id = b.id and i.status <> 'cancelled' and i.departure_id is not null and ${LACKS_TRAVELERS}))`;
/** Like `TRAVELERS_INCOMPLETE`, or a required question that is due today, the value, has no answer. */
const DATA_INCOMPLETE = `(${TRAVELERS_INCOMPLETE} or b.status in ('draft', 'confirmed', 'in_progress') and exists (
  ${openQuestions({ today: '?', condition: 'i.booking_id = b.id' })}))`;
const OF_PRODUCT = `exists (select from booking_items i join departures d on d.id = i.departure_id
  where i.booking_id = b.id and i.status <> 'cancelled' and d.product_id = ?)`;

/** The open installments of the booking `b` that its customer owes, which finance keeps. */
export const OWED = `from payment_schedules installment
  where installment.booking_id = b.id and installment.status = 'pending'
    and b.status <> 'draft' and (b.status <> 'cancelled' or installment.type = 'fee')`;
const UNAPPLIED = `from payments payment
  where payment.booking_id = b.id and payment.status = 'completed' and payment.unapplied_cents > 0`;

/** Tests whether the booking `b` has this balance; the value is today. */
const HAS_BALANCE: Readonly<Record<Balance, string>> = {
  open: `?::date is not null and exists (select ${OWED})`,
  overdue: `exists (select ${OWED} and installment.due_date < ?::date)`,
  credit: `?::date is not null and exists (select ${UNAPPLIED})`,
};

/** Several balances are a set of bookings for each: with `or`, the plans of all bookings would be read one by one. */
function hasBalance(balances: readonly Balance[]): string {
  const [only, ...others] = balances.map((balance) => HAS_BALANCE[balance]);
  if (only === undefined || others.length === 0) return only ?? 'false';
  const sets = [only, ...others].map((condition) => `select b.id from bookings b where ${condition}`);
  return `b.id in (${sets.join(' union all ')})`;
}

/**
 * What a row of the list shows besides the booking `b`, as a subquery of one row. What the customer owes is finance's; people are the
 * most that the booking has on one departure.
 */
export const rowFigures = (today: string): string => `
  select
    (select channel.name from channels channel where channel.id = b.channel_id) as channel_name,
    (
      select i.title from booking_items i where i.booking_id = b.id and i.status <> 'cancelled'
      order by i.service_date nulls last, i.created_at, i.id limit 1
    ) as first_title,
    (
      select least(coalesce(max(people.number), 0), 2147483647)::int from (
        select sum(i.quantity * i.people_per_unit) as number from booking_items i
        where i.booking_id = b.id and i.status <> 'cancelled' and i.departure_id is not null group by i.departure_id
      ) people
    ) as people,
    owed.cents as outstanding_cents, owed.next_due_on,
    case when owed.next_due_on < ${today}::date then 'overdue'
      when owed.cents > 0 then 'open'
      when exists (select ${UNAPPLIED}) then 'credit'
      else 'settled' end as due_status
  from (
    select coalesce(sum(installment.amount_cents - installment.paid_cents), 0)::float8 as cents,
      min(installment.due_date) as next_due_on ${OWED}
  ) owed`;

const ON_DEPARTURE = `b.id in (select i.booking_id from booking_items i where i.departure_id = ? and i.status <> 'cancelled')`;

/** The conditions of the list of bookings `b`, their values, and the SQL of the number of bookings. */
export function conditionsOf(
  { status, search, startFrom, startTo, ...filter }: ListBookings,
  today: string,
): {
  where: string;
  values: unknown[];
  total: string;
} {
  const { customerId, tripId, departureId, productId, channelId, travelersIncomplete, taxRateChanged, balance } =
    filter;
  const statuses = status && anyOf(status);
  const given: [string, unknown][] = [
    [`b.status = ${statuses?.sql('?')}`, statuses?.value],
    [containsWordsSql('b.search_text', '?'), search],
    ['b.departure_date >= ?', startFrom],
    ['b.departure_date <= ?', startTo],
    [`coalesce(b.return_date, b.departure_date) >= ?::date`, filter.travelFrom],
    ['b.departure_date <= ?::date', filter.travelTo],
    ['b.created_at >= ?', filter.createdAfter],
    ['b.created_at <= ?', filter.createdBefore],
    ['b.customer_id = ?', customerId],
    ['b.id = (select trip.booking_id from trip_envelopes trip where trip.id = ?)', tripId],
    ['b.channel_id = ?', channelId],
    [OF_PRODUCT, productId],
    [hasBalance(balance ?? []), balance && today],
    [ON_DEPARTURE, departureId],
    [
      travelersIncomplete ? DATA_INCOMPLETE : `not ${DATA_INCOMPLETE}`,
      travelersIncomplete === undefined ? undefined : today,
    ],
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
