import type { Side } from './aging.dto.js';
import {
  type AsOf,
  creditDueOf,
  customerMoney,
  openBills,
  openDocuments,
  openInstallments,
  supplierPrepayments,
  unbilledReceipts,
  uncoveredRefunds,
  until,
  versionOf,
} from '../receivables/index.js';
import { asOfOf, assertOrder, conditions, equals, isOneOf, type Place, type Report } from './report.js';
import type {
  EntriesQuery,
  GroupedQuery,
  OpenInstallmentsQuery,
  UnappliedQuery,
  UnbilledQuery,
} from './report-query.dto.js';

/** Range of days past the due date; an entry without a due date is not late. */
export const bucketOf = (day: string, due: string) => `
  case when coalesce(${day} - ${due}, 0) <= 0 then 'current' when ${day} - ${due} <= 30 then 'days_1_30'
    when ${day} - ${due} <= 60 then 'days_31_60' when ${day} - ${due} <= 90 then 'days_61_90' else 'over_90' end`;

/** Identifies a group without personal data, because links must not contain names and addresses. */
const groupOf = (key: string) => `left(encode(sha256(convert_to(${key}, 'UTF8')), 'hex'), 32)`;

/**
 * Selects the open entries of one side: installments or invoices of customers with refunds that no money covers, or supplier
 * invoices.
 */
export function openAmounts(side: Side, asOf: AsOf, basis: GroupedQuery['basis'] = 'schedule'): string {
  if (side === 'payable') return openBills(asOf);
  return `${basis === 'document' ? openDocuments(asOf) : openInstallments(asOf)} union all ${uncoveredRefunds(asOf)}`;
}

/** The address identifies a customer; a booking without one counts as a separate customer. */
function receivableGroup({ groupBy }: GroupedQuery): string {
  return groupOf(groupBy === 'booking' ? 'booking.id' : 'coalesce(lower(booking.customer_email), booking.id)');
}

/** Selects open entries of one side with their group, bucket and days overdue. */
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
      from (${openAmounts(side, asOf)}) entry ${conditions(equals('entry.currency', query.currency, place))}`;
  }
  return `select ${receivableGroup(query)} as "group", booking.customer_name as name, entry.booking_id,
      booking.number as booking_number, entry.label, (
        select max(run.sent_on) from reminder_runs run
        where run.booking_id = entry.booking_id and run.target_id = entry.id and run.sent_on <= ${asOf.day}
      ) as reminded_on, ${common}
    from (${openAmounts(side, asOf, query.basis)}) entry join bookings booking on booking.id = entry.booking_id
    ${conditions(equals('entry.currency', query.currency, place), equals('entry.booking_id', query.bookingId, place))}`;
}

/**
 * Selects received money that no installment claims now or, by documents, that settles no invoice. Open amounts less this money
 * are the customer's debt.
 */
const PREPAID = {
  schedule: 'money.unapplied_cents + money.reserved_cents + greatest(money.held_cents, money.on_invoices_alone_cents)',
  document: 'money.unapplied_cents + money.reserved_cents + money.on_installments_alone_cents',
};

/** Selects money of the groups that settled no entry of the basis. */
function prepayments(side: Side, query: GroupedQuery, [place, today]: [Place, string]): string {
  const asOf = asOfOf(query, place, today);
  const inCurrency = conditions(equals('money.currency', query.currency, place));
  if (side === 'payable') {
    return `select ${groupOf('bill.supplier_key')} as "group", bill.supplier_name as name, null::text as booking_id,
        money.currency, money.unapplied_cents as prepaid_cents
      from (${supplierPrepayments(asOf)}) money join supplier_invoices bill on bill.id = money.supplier_invoice_id ${inCurrency}`;
  }
  return `select ${receivableGroup(query)} as "group", booking.customer_name as name, booking.id as booking_id,
      money.currency, ${PREPAID[query.basis ?? 'schedule']} as prepaid_cents
    from (${customerMoney(asOf, 'all')}) money join bookings booking on booking.id = money.booking_id ${inCurrency}`;
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
    prepaidCents: 'cents',
  },
  rows: (query, place, today) => `
    select "group", min(name) as name, ${query.groupBy === 'booking' ? 'min(booking_id)' : 'null::text'} as "bookingId",
      currency, count(id)::integer as count, min(due_date) as "oldestDueDate", sum(open_cents) as "openCents",
      ${Object.entries(BUCKET_COLUMNS)
        .map(([name, bucket]) => `coalesce(sum(open_cents) filter (where bucket = '${bucket}'), 0) as "${name}"`)
        .join(', ')}, sum(prepaid_cents) as "prepaidCents"
    from (
      select "group", name, booking_id, currency, id, due_date, open_cents, bucket, 0 as prepaid_cents
      from (${entries({ side, query }, place, today)}) entry
      union all
      select "group", name, booking_id, currency, null, null, 0, null, prepaid_cents
      from (${prepayments(side, query, [place, today])}) prepayment where prepaid_cents <> 0
    ) part group by "group", currency`,
  order: 'name, currency, "group"',
  identity: ['currency', 'group'],
  sums: ['openCents', ...Object.keys(BUCKET_COLUMNS), 'prepaidCents'],
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
    ${conditions(equals('"group"', query.group, place), isOneOf('bucket', query.bucket, place))}`,
  order: '"dueDate" nulls last, id',
  identity: ['id'],
  sums: ['amountCents', 'paidCents', 'openCents'],
});

export const RECEIVABLE_ENTRIES = drillDown('receivable');
export const PAYABLE_ENTRIES = drillDown('payable');

export const OPEN_INSTALLMENTS: Report<OpenInstallmentsQuery> = {
  name: 'open-installments',
  columns: {
    scheduleId: 'text',
    paymentId: 'text',
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
  // The requested amount is less than the outstanding one if the booking has unapplied money or a credit due.
  rows: (query, place, today) => {
    assertOrder({ from: query.dueFrom, to: query.dueTo }, 'dueTo');
    const asOf = asOfOf(query, place, today);
    const search = query.search === undefined ? null : place(`%${query.search.replace(/[\\%_]/g, '\\$&')}%`, 'text');
    return `
      select case entry.entity when 'payment_schedule' then entry.id end as "scheduleId",
        case entry.entity when 'payment' then entry.id end as "paymentId", booking.id as "bookingId",
        booking.number as "bookingNumber", booking_then.status as "bookingStatus", booking.customer_name as "customerName",
        booking.customer_email as "customerEmail", booking.channel_id as "channelId", entry.type, entry.label,
        entry.currency, entry.due_date as "dueDate", greatest(0, ${asOf.day} - entry.due_date) as "daysLate",
        entry.amount_cents as "amountCents", entry.paid_cents as "paidCents", entry.outstanding as "outstandingCents",
        greatest(0, least(entry.outstanding, entry.due - coalesce(unapplied.cents, 0) - credit.cents)) as "askCents"
      from (
        select *, amount_cents - paid_cents as outstanding,
          sum(amount_cents - paid_cents) over (partition by booking_id order by due_date) as due
        from (${openAmounts('receivable', asOf)}) installment
      ) entry
      join bookings booking on booking.id = entry.booking_id
      cross join lateral ${versionOf(asOf, 'status', 'booking.id')} booking_then
      left join (
        select booking_id, sum(unapplied_cents) as cents from (${customerMoney(asOf)}) payment group by 1
      ) unapplied on unapplied.booking_id = booking.id
      cross join lateral ${creditDueOf(asOf, 'booking.id')} credit
      ${conditions(
        equals('entry.currency', query.currency, place),
        equals('booking.channel_id', query.channelId, place),
        equals('booking.id', query.bookingId, place),
        equals('lower(booking.customer_email)', query.customerEmail?.toLowerCase(), place),
        query.dueFrom === undefined ? null : `entry.due_date >= ${place(query.dueFrom, 'date')}`,
        query.dueTo === undefined ? null : `entry.due_date <= ${place(query.dueTo, 'date')}`,
        query.overdue === undefined ? null : `(entry.due_date < ${asOf.day}) = ${query.overdue}`,
        search === null ? null : `(booking.customer_name ilike ${search} or booking.number ilike ${search})`,
      )}`;
  },
  order: '"dueDate", "bookingNumber", "scheduleId", "paymentId"',
  identity: ['bookingNumber', 'scheduleId', 'paymentId'],
  sums: ['amountCents', 'paidCents', 'outstandingCents', 'askCents'],
};

/**
 * Selects the last day for refunding the rest of a cancelled booking; null if the customer keeps it as a credit. Before the
 * settlement, the terms determine the outcome, as in `outcomeOf`.
 */
const REFUND_DUE = (asOf: AsOf) => `(
  select case when settlement.outcome_then = 'refund' then settlement.refund_due_on end as due_on
  from (
    select refund_due_on, created_at, id, case when ${until(asOf, 'settled_on', 'settled_at')} then outcome when (
        select coalesce(bool_and(line ->> 'refundType' = 'credit'), false) from jsonb_array_elements(lines) line
        where line ->> 'feeCents' is null or (line ->> 'feeCents')::bigint < (line ->> 'baseCents')::bigint
      ) then 'credit' else 'refund' end as outcome_then
    from cancellation_settlements
    where booking_id = booking.id and ${until(asOf, 'cancelled_on', 'created_at')}
  ) settlement order by settlement.created_at desc, settlement.id desc limit 1
)`;

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
    refundDueOn: 'text',
    reference: 'text',
    amountCents: 'cents',
    unappliedCents: 'cents',
    reservedCents: 'cents',
  },
  rows: (query, place, today) => {
    const asOf = asOfOf(query, place, today);
    return `
      select money.id as "paymentId", coalesce(money.held_as, money.kind) as kind, booking.id as "bookingId",
        booking.number as "bookingNumber", money.booking_status as "bookingStatus", booking.customer_name as "customerName",
        money.currency, money.paid_on as "receivedOn", ${asOf.day} - money.paid_on as "ageDays",
        refund.due_on as "refundDueOn", money.reference, money.amount_cents as "amountCents",
        money.unapplied_cents + money.held_cents as "unappliedCents", money.reserved_cents as "reservedCents"
      from (${customerMoney(asOf)}) money join bookings booking on booking.id = money.booking_id
      left join lateral ${REFUND_DUE(asOf)} refund on money.booking_status = 'cancelled'
      ${conditions(
        'money.unapplied_cents + money.held_cents + money.reserved_cents > 0',
        equals('money.currency', query.currency, place),
        isOneOf('money.booking_status', query.bookingStatus, place),
      )}`;
  },
  order: '"receivedOn", "paymentId"',
  identity: ['paymentId'],
  sums: ['amountCents', 'unappliedCents', 'reservedCents'],
};

export const UNBILLED_RECEIPTS: Report<UnbilledQuery> = {
  name: 'unbilled-receipts',
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
    onInstallmentsCents: 'cents',
    unappliedCents: 'cents',
    unbilledCents: 'cents',
  },
  rows: (query, place, today) => {
    const asOf = asOfOf(query, place, today);
    return `
      select money.id as "paymentId", money.kind, booking.id as "bookingId", booking.number as "bookingNumber",
        money.booking_status as "bookingStatus", booking.customer_name as "customerName", money.currency,
        money.paid_on as "receivedOn", ${asOf.day} - money.paid_on as "ageDays", money.reference,
        money.amount_cents as "amountCents", money.on_installments_alone_cents as "onInstallmentsCents",
        money.unapplied_cents as "unappliedCents", money.unbilled_cents as "unbilledCents"
      from (${unbilledReceipts(asOf)}) money join bookings booking on booking.id = money.booking_id
      ${conditions(
        equals('money.currency', query.currency, place),
        isOneOf('money.booking_status', query.bookingStatus, place),
      )}`;
  },
  order: '"receivedOn", "paymentId"',
  identity: ['paymentId'],
  sums: ['amountCents', 'onInstallmentsCents', 'unappliedCents', 'unbilledCents'],
};
