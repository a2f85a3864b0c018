import { IS_RECEIVABLE, isReceivable } from '../../finance/index.js';
import { MAX_ATTENTION } from './dashboard.dto.js';

const OPEN_CENTS = 'sum(installment.amount_cents - installment.paid_cents)';

/** SQL: whether an installment of this alias is overdue for more than 14 days and the customer of `booking` owes it. */
const isOverdue = (installment: string) =>
  `${installment}.status = 'pending' and ${isReceivable(installment)} and ${installment}.due_date < $1::date - 14`;

/** SQL: tests whether money of a payment is not applied. */
const isUnapplied = (payment: string) => `${payment}.status = 'completed' and ${payment}.unapplied_cents > 0`;

/**
 * Open installments by week and currency; $1 is today. Drafts and cancelled bookings are the smaller part, so a search for these
 * takes half the time of a join with all bookings.
 */
export const MONEY = `
  select date_trunc('week', installment.due_date)::date as "weekStart", installment.currency,
    coalesce(${OPEN_CENTS} filter (where installment.due_date >= $1::date), 0)::float8 as "dueCents",
    coalesce(${OPEN_CENTS} filter (where installment.due_date < $1::date), 0)::float8 as "overdueCents"
  from payment_schedules installment
  where installment.status = 'pending'
    and not exists (select from bookings booking where booking.id = installment.booking_id and not ${IS_RECEIVABLE})
    and installment.due_date >= date_trunc('week', $1::date)::date - 28
    and installment.due_date < date_trunc('week', $1::date)::date + 63
  group by 1, 2 order by 1, 2`;

/** Confirmed bookings by day and currency; $1 is today. */
export const SALES = `
  select booking.confirmed_on as day, booking.currency, count(*)::int as bookings,
    coalesce(sum(booking.total_cents), 0)::float8 as "totalCents"
  from bookings booking
  where booking.confirmed_on > $1::date - 180 and booking.confirmed_on <= $1::date and booking.status <> 'cancelled'
  group by 1, 2 order by 1, 2`;

/**
 * SQL: the first bookings with an installment that has been overdue for more than 14 days, with its day; $1 is today. The index on
 * the due date returns them in order, so the search ends at the last one needed.
 */
const OVERDUE = `select booking.id, booking.number, booking.status, booking.currency, installment.due_date as day
  from payment_schedules installment join bookings booking on booking.id = installment.booking_id
  where ${isOverdue('installment')} and not exists (
    select from payment_schedules earlier where earlier.booking_id = booking.id and ${isOverdue('earlier')}
      and (earlier.due_date, earlier.id) < (installment.due_date, installment.id))
  order by installment.due_date, booking.id limit ${MAX_ATTENTION}`;

/** A kind of notice: its scope, and the columns of a notice with those that sort it. $1 is today, $2 the current instant. */
const NOTICES = [
  {
    scope: 'operations:read',
    select: `'minimum_not_reached' as code, 'departure' as "subjectType", departure.id as "subjectId",
      coalesce(product.name, departure.product_id) as title, departure.start_date as day, null::float8 as "amountCents",
      null::text as currency
      from departures departure left join products product on product.id = departure.product_id
      where departure.status = 'scheduled' and departure.minimum_not_reached_at is not null and departure.starts_at > $2`,
  },
  {
    scope: 'finance:receivables',
    select: `'payment_overdue', 'booking', booking.id, booking.number, booking.day,
      (select ${OPEN_CENTS} from payment_schedules installment
        where installment.booking_id = booking.id and ${isOverdue('installment')})::float8, booking.currency
      from (${OVERDUE}) booking`,
  },
  {
    scope: 'notifications:read',
    select: `'message_failed', 'message', message.id, message.kind, (message.updated_at at time zone $3)::date, null::float8, null
      from notification_messages message
      where message.status = 'failed' and message.erased_at is null and message.updated_at > $2::timestamptz - interval '14 days'`,
  },
  {
    scope: 'finance:read',
    select: `'supplier_invoice_to_approve', 'supplier_invoice', invoice.id, invoice.invoice_number, invoice.due_date,
      invoice.total_cents::float8, invoice.currency
      from supplier_invoices invoice where invoice.status = 'draft' and invoice.due_date <= $1::date + 7`,
  },
  {
    scope: 'finance:receivables',
    select: `'money_unapplied', 'booking', booking.id, booking.number, payment.paid_on,
      (select sum(other.unapplied_cents) from payments other where other.booking_id = booking.id and ${isUnapplied('other')})::float8,
      booking.currency
      from payments payment join bookings booking on booking.id = payment.booking_id
      where ${isUnapplied('payment')} and not exists (
        select from payments earlier where earlier.booking_id = payment.booking_id and ${isUnapplied('earlier')}
          and (earlier.paid_on, earlier.id) < (payment.paid_on, payment.id))`,
  },
];

/** The notices that a caller with these scopes may see, the most urgent first, in one statement; null if there are none. */
export function noticesStatement(mayRead: (scope: string) => boolean): string | null {
  const parts = NOTICES.filter(({ scope }) => mayRead(scope)).map(({ select }, place) => {
    return `(select ${place} as place, ${select} order by 6, 4 limit ${MAX_ATTENTION})`;
  });
  if (parts.length === 0) return null;
  // The parameters have a type even if no part uses them, and the columns have the names of the first row.
  return `with given as (select $1::date, $2::timestamptz, $3::text),
    found (place, code, "subjectType", "subjectId", title, day, "amountCents", currency) as (${parts.join(' union all ')})
    select code, "subjectType", "subjectId", title, day, "amountCents", currency from found
    order by place, day, "subjectId" limit ${MAX_ATTENTION}`;
}
