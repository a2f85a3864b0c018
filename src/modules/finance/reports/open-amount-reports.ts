import type { Side } from './aging.dto.js';
import {
  creditDueOf,
  openBills,
  openDocuments,
  openInstallments,
  unappliedMoney,
  uncoveredRefunds,
} from './as-of.sql.js';
import { asOfOf, conditions, equals, type Place, type Report } from './report.js';
import type { EntriesQuery, GroupedQuery, OpenInstallmentsQuery, UnappliedQuery } from './report-query.dto.js';

/** Range of days past the due date; an entry without a due date is not late. */
const bucketOf = (day: string, due: string) => `
  case when coalesce(${day} - ${due}, 0) <= 0 then 'current' when ${day} - ${due} <= 30 then 'days_1_30'
    when ${day} - ${due} <= 60 then 'days_31_60' when ${day} - ${due} <= 90 then 'days_61_90' else 'over_90' end`;

/** A name of a group without personal data in it: names and addresses do not belong into links. */
const groupOf = (key: string) => `left(encode(sha256(convert_to(${key}, 'UTF8')), 'hex'), 32)`;

/** Open entries of one side with their group, bucket and days late. */
function entries(
  { side, query }: { side: Side; query: GroupedQuery & { bookingId?: string } },
  place: Place,
  today: string,
): string {
  const asOf = asOfOf(query, place, today);
  const late = `greatest(0, coalesce(${asOf.day} - entry.due_date, 0))`;
  const common = `entry.id, entry.entity, entry.type, entry.number, entry.currency, entry.due_date, entry.amount_cents,
    entry.paid_cents, entry.amount_cents - entry.paid_cents as open_cents, ${late} as days_late,
    ${bucketOf(asOf.day, 'entry.due_date')} as bucket`;
  if (side === 'payable') {
    return `select ${groupOf('entry.supplier_key')} as "group", entry.supplier_name as name, null::text as booking_id,
        null::text as booking_number, null::text as label, null::date as reminded_on, ${common}
      from (${openBills(asOf)}) entry ${conditions(equals('entry.currency', query.currency, place))}`;
  }
  const open =
    query.basis === 'document' ? openDocuments(asOf) : `${openInstallments(asOf)} union all ${uncoveredRefunds(asOf)}`;
  const key =
    query.groupBy === 'booking' ? 'entry.booking_id' : 'coalesce(lower(booking.customer_email), entry.booking_id)';
  return `select ${groupOf(key)} as "group", booking.customer_name as name, entry.booking_id, booking.number as booking_number,
      entry.label, (
        select max(run.updated_at)::date from reminder_runs run
        where run.booking_id = entry.booking_id and run.target_id = entry.id and run.status = 'sent'
      ) as reminded_on, ${common}
    from (${open}) entry join bookings booking on booking.id = entry.booking_id
    ${conditions(equals('entry.currency', query.currency, place), equals('entry.booking_id', query.bookingId, place))}`;
}

const BUCKET_COLUMNS = {
  currentCents: 'current',
  days1To30Cents: 'days_1_30',
  days31To60Cents: 'days_31_60',
  days61To90Cents: 'days_61_90',
  over90Cents: 'over_90',
} as const;

const grouped = (side: Side): Report<GroupedQuery> => ({
  name: `${side}s`,
  columns: {
    group: 'text',
    name: 'text',
    bookingId: 'text',
    currency: 'text',
    count: 'count',
    oldestDueDate: 'text',
    openCents: 'cents',
    currentCents: 'cents',
    days1To30Cents: 'cents',
    days31To60Cents: 'cents',
    days61To90Cents: 'cents',
    over90Cents: 'cents',
  },
  rows: (query, place, today) => `
    select "group", min(name) as name, ${query.groupBy === 'booking' ? 'min(booking_id)' : 'null::text'} as "bookingId",
      currency, count(*)::integer as count, min(due_date) as "oldestDueDate", sum(open_cents) as "openCents",
      ${Object.entries(BUCKET_COLUMNS)
        .map(([name, bucket]) => `coalesce(sum(open_cents) filter (where bucket = '${bucket}'), 0) as "${name}"`)
        .join(', ')}
    from (${entries({ side, query }, place, today)}) entry group by "group", currency`,
  order: 'name, currency, "group"',
  sums: ['openCents', ...Object.keys(BUCKET_COLUMNS)],
});

export const RECEIVABLES = grouped('receivable');
export const PAYABLES = grouped('payable');

const drillDown = (side: Side): Report<EntriesQuery> => ({
  name: `${side}-entries`,
  columns: {
    id: 'text',
    entity: 'text',
    type: 'text',
    group: 'text',
    name: 'text',
    bookingId: 'text',
    bookingNumber: 'text',
    label: 'text',
    number: 'text',
    currency: 'text',
    dueDate: 'text',
    daysLate: 'count',
    bucket: 'text',
    amountCents: 'cents',
    paidCents: 'cents',
    openCents: 'cents',
    remindedOn: 'text',
  },
  rows: (query, place, today) => `
    select id, entity, type, "group", name, booking_id as "bookingId", booking_number as "bookingNumber", label, number,
      currency, due_date as "dueDate", days_late as "daysLate", bucket, amount_cents as "amountCents",
      paid_cents as "paidCents", open_cents as "openCents", reminded_on as "remindedOn"
    from (${entries({ side, query }, place, today)}) entry
    ${conditions(equals('"group"', query.group, place), equals('bucket', query.bucket, place))}`,
  order: '"dueDate" nulls last, id',
  sums: ['amountCents', 'paidCents', 'openCents'],
});

export const RECEIVABLE_ENTRIES = drillDown('receivable');
export const PAYABLE_ENTRIES = drillDown('payable');

export const OPEN_INSTALLMENTS: Report<OpenInstallmentsQuery> = {
  name: 'open-installments',
  columns: {
    scheduleId: 'text',
    bookingId: 'text',
    bookingNumber: 'text',
    bookingStatus: 'text',
    customerName: 'text',
    customerEmail: 'text',
    channelId: 'text',
    type: 'text',
    label: 'text',
    currency: 'text',
    dueDate: 'text',
    daysLate: 'count',
    amountCents: 'cents',
    paidCents: 'cents',
    outstandingCents: 'cents',
    askCents: 'cents',
  },
  // What is asked for is less than what is outstanding if the booking has unapplied money or a credit due.
  rows: (query, place, today) => {
    const asOf = asOfOf(query, place, today);
    const search = query.search === undefined ? null : place(`%${query.search.replace(/[\\%_]/g, '\\$&')}%`, 'text');
    return `
      select entry.id as "scheduleId", booking.id as "bookingId", booking.number as "bookingNumber",
        booking.status as "bookingStatus", booking.customer_name as "customerName", booking.customer_email as "customerEmail",
        booking.channel_id as "channelId", entry.type, entry.label, entry.currency, entry.due_date as "dueDate",
        greatest(0, ${asOf.day} - entry.due_date) as "daysLate", entry.amount_cents as "amountCents",
        entry.paid_cents as "paidCents", entry.outstanding as "outstandingCents",
        greatest(0, least(entry.outstanding, entry.due - coalesce(unapplied.cents, 0) - credit.cents)) as "askCents"
      from (
        select *, amount_cents - paid_cents as outstanding,
          sum(amount_cents - paid_cents) over (partition by booking_id order by due_date) as due
        from (${openInstallments(asOf)}) installment
      ) entry
      join bookings booking on booking.id = entry.booking_id
      left join (
        select booking_id, sum(unapplied_cents) as cents from (${unappliedMoney(asOf)}) payment group by 1
      ) unapplied on unapplied.booking_id = booking.id
      cross join lateral ${creditDueOf(asOf, 'booking.id')} credit
      ${conditions(
        equals('entry.currency', query.currency, place),
        equals('booking.channel_id', query.channelId, place),
        equals('booking.id', query.bookingId, place),
        query.dueFrom === undefined ? null : `entry.due_date >= ${place(query.dueFrom, 'date')}`,
        query.dueTo === undefined ? null : `entry.due_date <= ${place(query.dueTo, 'date')}`,
        query.overdue === undefined ? null : `(entry.due_date < ${asOf.day}) = ${query.overdue}`,
        search === null ? null : `(booking.customer_name ilike ${search} or booking.number ilike ${search})`,
      )}`;
  },
  order: '"dueDate", "bookingNumber", "scheduleId"',
  sums: ['amountCents', 'paidCents', 'outstandingCents', 'askCents'],
};

export const UNAPPLIED_MONEY: Report<UnappliedQuery> = {
  name: 'unapplied-money',
  columns: {
    paymentId: 'text',
    kind: 'text',
    bookingId: 'text',
    bookingNumber: 'text',
    bookingStatus: 'text',
    customerName: 'text',
    currency: 'text',
    receivedOn: 'text',
    ageDays: 'count',
    reference: 'text',
    amountCents: 'cents',
    unappliedCents: 'cents',
  },
  rows: (query, place, today) => {
    const asOf = asOfOf(query, place, today);
    return `
      select money.id as "paymentId", money.kind, booking.id as "bookingId", booking.number as "bookingNumber",
        booking.status as "bookingStatus", booking.customer_name as "customerName", money.currency,
        money.paid_on as "receivedOn", ${asOf.day} - money.paid_on as "ageDays", money.reference,
        money.amount_cents as "amountCents", money.unapplied_cents as "unappliedCents"
      from (${unappliedMoney(asOf)}) money join bookings booking on booking.id = money.booking_id
      ${conditions(equals('money.currency', query.currency, place), equals('booking.status', query.bookingStatus, place))}`;
  },
  order: '"receivedOn", "paymentId"',
  sums: ['amountCents', 'unappliedCents'],
};
