import type { LiveTrigger } from '../../notifications/index.js';

/** The SQL of targets of one kind. The booking is joined as `booking`: each change of its money locks its row. */
export interface ReminderTargets {
  readonly triggers: readonly LiveTrigger[];
  /** Expressions over `from`: the target's id, the day from which stages count, and which trigger it is open for. */
  readonly id: string;
  readonly anchorDate: string;
  readonly trigger: string;
  /** What is still to be paid, in minor units of the currency; null if the reminder is not about that. */
  readonly outstanding: { readonly cents: string; readonly currency: string } | null;
  /** FROM, and which of these are open. */
  readonly from: string;
}

/** Open installments, by their due date. */
const INSTALLMENTS: ReminderTargets = {
  triggers: ['deposit_due', 'balance_due', 'installment_due'],
  id: 'entry.id',
  anchorDate: 'entry.due_date',
  trigger: `case entry.type when 'deposit' then 'deposit_due' when 'balance' then 'balance_due' else 'installment_due' end`,
  outstanding: { cents: 'entry.amount_cents - entry.paid_cents', currency: 'entry.currency' },
  from: `from payment_schedules entry join bookings booking on booking.id = entry.booking_id
    where entry.status = 'pending' and entry.paid_cents < entry.amount_cents and booking.status <> 'cancelled'`,
};

/** Invoices that are issued and not paid, by their due date. */
const INVOICES: ReminderTargets = {
  triggers: ['invoice_due'],
  id: 'invoice.id',
  anchorDate: 'invoice.due_date',
  trigger: `'invoice_due'`,
  outstanding: { cents: 'invoice.total_cents - invoice.paid_cents', currency: 'invoice.currency' },
  from: `from invoices invoice join bookings booking on booking.id = invoice.booking_id
    where invoice.type = 'invoice' and invoice.status in ('issued', 'partially_paid') and booking.status <> 'cancelled'`,
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
      and not exists (select from payment_schedules entry where entry.plan_id = plan.id and entry.status = 'pending')`,
};

export const REMINDER_TARGETS: readonly ReminderTargets[] = [INSTALLMENTS, INVOICES, PAID_BOOKINGS];

export function selectOf({ id, anchorDate, trigger, outstanding, from }: ReminderTargets): string {
  const { cents, currency } = outstanding ?? { cents: 'null', currency: 'null' };
  return `select ${id} as "targetId", booking.id as "bookingId", ${anchorDate} as "anchorDate", ${trigger} as trigger,
    (${cents})::float8 as cents, ${currency} as currency ${from}`;
}
