import { conditions, daysOf, equals, firstDayOf, type Place, type Report } from './report.js';
import type { CustomerStatementQuery } from './report-query.dto.js';

/**
 * SQL: the changes of what is owed for the booking `booking`, as rows (date, place, entry, id, number, reference, cents): issued
 * documents, payments, and their reversals with the opposite sign. `place` sorts the entries of a day.
 */
export const ACCOUNT_ENTRIES = `
  select issue_date, 1, type, id, number, null::text, case type when 'invoice' then total_cents else -total_cents end
  from invoices
  where booking_id = booking.id and number is not null and type in ('invoice', 'credit_note') and status <> 'void'
  union all
  select movement.date, movement.place, movement.entry, payment.id, null, payment.reference,
    movement.sign * case payment.direction when 'in' then -1 else 1 end * payment.amount_cents
  from payments payment cross join lateral (
    values (payment.posting_date, 2, payment.kind, 1), (payment.reversal_posting_date, 3, 'reversal', -1)
  ) movement (date, place, entry, sign)
  where payment.booking_id = booking.id and payment.status in ('completed', 'reversed') and movement.date is not null`;

/** Selects the changes of a customer's debt until a day. */
function entries({ customer, currency }: CustomerStatementQuery, place: Place, last: string): string {
  const booking = conditions(
    customer.includes('@') ? ofAddress(customer, place) : equals('booking.id', customer, place),
    equals('booking.currency', currency, place),
    `entry.date <= ${last}`,
  );
  return `
    select entry.*, booking.id as booking_id, booking.number as booking_number, booking.currency
    from bookings booking cross join lateral (${ACCOUNT_ENTRIES}
    ) entry (date, place, entry, id, number, reference, cents)
    ${booking}`;
}

const ofAddress = (address: string, place: Place) =>
  equals('lower(booking.customer_email)', address.toLowerCase(), place);

export const CUSTOMER_STATEMENT: Report<CustomerStatementQuery> = {
  name: 'customer-statement',
  columns: {
    date: 'text',
    entry: 'text',
    id: 'text',
    number: 'text',
    bookingId: 'text',
    bookingNumber: 'text',
    reference: 'text',
    currency: 'text',
    amountCents: 'cents',
    balanceCents: 'cents',
  },
  rows: (query, place, today) => {
    const [first, last] = daysOf(query, place, today);
    return `
      select * from (
        select date, place, entry, id, number, booking_id as "bookingId", booking_number as "bookingNumber", reference,
          currency, cents as "amountCents", sum(cents) over (
            partition by currency order by date, place, id rows unbounded preceding) as "balanceCents"
        from (${entries(query, place, last)}) entry
      ) statement where date >= ${first}`;
  },
  order: 'currency, date, place, id',
  sums: ['amountCents'],
  totals: (query, place, today) => {
    const first = firstDayOf(query, place, today);
    const before = (condition: string) => `coalesce(sum(cents) filter (where ${condition}), 0)`;
    return `
      select currency, count(*) filter (where date >= ${first})::integer as count,
        ${before(`date < ${first}`)} as "openingCents", ${before(`date >= ${first}`)} as "movementCents",
        sum(cents) as "closingCents"
      from (${entries(query, place, place(query.to ?? today, 'date'))}) entry group by currency`;
  },
};
