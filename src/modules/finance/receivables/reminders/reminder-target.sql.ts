import type { LiveTrigger } from '../../../notifications/index.js';
import { IS_RECEIVABLE } from './receivable.sql.js';

/** The SQL for targets of one kind. It joins the booking as `booking`, because each change of its money locks its row. */
export interface ReminderTargets {
  readonly triggers: readonly LiveTrigger[];
  /** Expressions with the columns of `from`: the target's id, the day from which stages count, and its trigger. */
  readonly id: string;
  readonly anchorDate: string;
  readonly trigger: string;
  /** Outstanding amount in minor units of the currency; null if the reminder does not concern a payment. */
  readonly outstanding: { readonly cents: string; readonly currency: string } | null;
  /** FROM, and the condition for open targets. */
  readonly from: string;
}

/** Open installments that the customer owes, by their due date. */
const INSTALLMENTS: ReminderTargets = {
  triggers: ['deposit_due', 'balance_due', 'installment_due'],
  id: 'installment.id',
  anchorDate: 'installment.due_date',
  trigger: `case installment.type when 'deposit' then 'deposit_due' when 'balance' then 'balance_due' else 'installment_due' end`,
  outstanding: { cents: 'installment.amount_cents - installment.paid_cents', currency: 'installment.currency' },
  from: `from payment_schedules installment join bookings booking on booking.id = installment.booking_id
    where installment.status = 'pending' and installment.paid_cents < installment.amount_cents and ${IS_RECEIVABLE}`,
};

/** Invoices that are issued and not paid, by their due date. */
const INVOICES: ReminderTargets = {
  triggers: ['invoice_due'],
  id: 'invoice.id',
  anchorDate: 'invoice.due_date',
  trigger: `'invoice_due'`,
  outstanding: {
    cents: 'invoice.total_cents - invoice.credited_cents - invoice.paid_cents',
    currency: 'invoice.currency',
  },
  from: `from invoices invoice join bookings booking on booking.id = invoice.booking_id
    where invoice.type = 'invoice' and invoice.status in ('issued', 'partially_paid')
      and (booking.status <> 'cancelled' or invoice.purpose = 'cancellation_fee')`,
};

/** Bookings with money received and no open installment; the anchor is the day of the last allocation. */
const PAID_BOOKINGS: ReminderTargets = {
  triggers: ['payment_complete'],
  id: 'booking.id',
  anchorDate: 'money.last_on',
  trigger: `'payment_complete'`,
  outstanding: null,
  from: `from bookings booking
    join payment_plans plan on plan.booking_id = booking.id and plan.is_current
    join lateral (
      select max(share.effective_on) as last_on
      from payment_schedules entry join payment_allocations share on share.schedule_id = entry.id
      where entry.plan_id = plan.id and entry.status = 'paid' and share.reverses_id is null
        and not exists (select from payment_allocations reversal where reversal.reverses_id = share.id)
    ) money on money.last_on is not null
    where booking.status not in ('draft', 'cancelled')
      and (booking.taken_over_on is null or money.last_on > booking.taken_over_on)
      and not exists (select from payment_schedules entry where entry.plan_id = plan.id and entry.status = 'pending')`,
};

export const REMINDER_TARGETS: readonly ReminderTargets[] = [INSTALLMENTS, INVOICES, PAID_BOOKINGS];

export function selectOf({ id, anchorDate, trigger, outstanding, from }: ReminderTargets): string {
  const { cents, currency } = outstanding ?? { cents: 'null', currency: 'null' };
  return `select ${id} as "targetId", booking.id as "bookingId", ${anchorDate} as "anchorDate", ${trigger} as trigger,
    (${cents})::float8 as cents, ${currency} as currency ${from}`;
}

/**
 * Selects the amount that may be requested for a booking ($1) at an anchor date ($2), for installments or, if $3, for invoices:
 * the amount due by then, less unapplied money and excess billing; and the unapplied money of other bookings of the customer.
 */
export const ASKABLE = `
  with booking as (select * from bookings where id = $1),
  installment as (
    select schedule.* from payment_schedules schedule
    join payment_plans plan on plan.id = schedule.plan_id and plan.is_current where schedule.booking_id = $1
  ),
  invoice as (
    select total_cents - credited_cents as billed_cents, total_cents - credited_cents - paid_cents as open_cents, due_date
    from invoices where booking_id = $1 and type = 'invoice' and number is not null and status not in ('void', 'credited')
  ),
  billed as (select coalesce(sum(billed_cents), 0) as cents from invoice),
  claim as (
    select case booking.status when 'draft' then billed.cents
      when 'cancelled' then (
        select coalesce(sum(amount_cents), 0) from installment where type = 'fee' and status <> 'cancelled')
      else coalesce(booking.total_cents, 0) - (
        select coalesce(sum(amount_cents), 0) from installment where waived) end as cents
    from booking, billed
  )
  select (
      case when $3::boolean then (select coalesce(sum(open_cents), 0) from invoice where due_date <= $2::date)
        else (select coalesce(sum(amount_cents - paid_cents), 0) from installment
          where status = 'pending' and due_date <= $2::date) end
      - (select coalesce(sum(unapplied_cents), 0) from payments where booking_id = $1 and status = 'completed')
      - greatest(0, billed.cents - claim.cents)
    )::float8 as "askableCents",
    (select coalesce(sum(payment.unapplied_cents), 0) from bookings other
      join payments payment on payment.booking_id = other.id and payment.status = 'completed'
      where lower(other.customer_email) = lower(booking.customer_email) and other.id <> booking.id
        and other.currency = booking.currency)::float8 as "elsewhereCents"
  from booking, billed, claim`;
