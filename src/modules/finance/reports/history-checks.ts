import { UNLISTED_TRAVELERS } from '../../bookings/index.js';
import { MISCOUNTED_DEPARTURES } from '../../distribution/index.js';
import type { IntegrityCheck } from './integrity-checks.js';
import { CHANGED_FIGURES, periodFigures } from './period-figures.sql.js';

const MONTH = `
  select period, figures_definition, to_date(period, 'YYYY-MM') as first,
    (to_date(period, 'YYYY-MM') + interval '1 month' - interval '1 day')::date as last
  from accounting_periods where status <> 'open'`;

/** Selects the latest version of each row of a history. */
const LATEST = (table: string, id: string) =>
  `(select distinct on (${id}) * from ${table} order by ${id}, version desc)`;

/** Tests whether the booking was a quote at an instant: drafts are confirmed once and never become drafts again. */
const WAS_DRAFT = (bookingId: string, at: string) => `not exists (
  select from booking_status_history history
  where history.booking_id = ${bookingId} and history.status <> 'draft' and history.recorded_at <= ${at})`;

/** Rules about histories, stored figures, due dates, effects of quotes, and counted units. */
export const HISTORY_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'history_complete',
    rule: 'The latest version of the history of an installment, a booking item or a booking equals its row',
    broken: `
      select 'payment_schedule' as type, schedule.id, schedule.amount_cents as expected,
        coalesce(version.amount_cents, 0) as actual
      from payment_schedules schedule
      left join ${LATEST('payment_schedule_history', 'schedule_id')} version on version.schedule_id = schedule.id
      where (schedule.due_date, schedule.amount_cents, schedule.type, schedule.status = 'cancelled', schedule.waived)
        is distinct from (version.due_date, version.amount_cents, version.type, version.cancelled, version.waived)
      union all
      select 'booking_item', item.id, item.total_sell_cents, coalesce(version.total_sell_cents, 0)
      from booking_items item
      left join ${LATEST('booking_item_history', 'item_id')} version on version.item_id = item.id
      where (item.quantity, item.total_sell_cents, item.tax_included_cents, item.tax_code_id, item.cost_cents,
          item.cost_currency, item.service_date, item.status = 'cancelled')
        is distinct from (version.quantity, version.total_sell_cents, version.tax_included_cents, version.tax_code_id,
          version.cost_cents, version.cost_currency, version.service_date, version.cancelled)
      union all
      select 'booking', booking.id, coalesce(booking.total_cents, 0), 0
      from bookings booking
      left join ${LATEST('booking_status_history', 'booking_id')} version on version.booking_id = booking.id
      where booking.status is distinct from version.status`,
  },
  {
    name: 'period_frozen',
    rule: 'The stored figures of each closed month equal the figures computed now',
    // A figure that was stored by an earlier definition with another meaning cannot be compared.
    broken: `
      with months as (${MONTH})
      select 'accounting_period' as type, coalesce(stored.period, current.period) as id,
        coalesce(current.cents, 0) as expected, coalesce(stored.cents, 0) as actual
      from accounting_period_figures stored
      full join (
        select month.period, figure.name, figure.currency, figure.cents
        from months month cross join lateral (${periodFigures('month.first', 'month.last')}) figure
      ) current using (period, name, currency)
      where coalesce(stored.cents, 0) <> coalesce(current.cents, 0) and not exists (
        select from months month cross join ${CHANGED_FIGURES}
        where month.period = coalesce(stored.period, current.period)
          and changed.name = coalesce(stored.name, current.name) and changed.definition > month.figures_definition)`,
  },
  {
    name: 'plan_dates',
    rule: 'No open installment that a policy dates from the departure is due after it',
    // Installments that were past due when a booking was confirmed are due on that day.
    broken: `
      select 'payment_schedule' as type, installment.id,
        to_char(greatest(booking.departure_date, booking.confirmed_on), 'YYYYMMDD')::integer as expected,
        to_char(installment.due_date, 'YYYYMMDD')::integer as actual
      from payment_schedules installment join bookings booking on booking.id = installment.booking_id
      where installment.status = 'pending' and installment.date_source = 'policy' and installment.offset_days is not null
        and booking.status <> 'cancelled' and booking.departure_date is not null
        and installment.due_date > greatest(booking.departure_date, booking.confirmed_on)`,
  },
  {
    name: 'quotes_silent',
    rule: 'No installment was overdue, and no reminder of one was sent, while its booking was a draft',
    broken: `
      select 'payment_schedule' as type, id, 0 as expected, count(*) as actual
      from (
        select installment.id from payment_schedules_overdue overdue
        join payment_schedules installment on installment.id = overdue.schedule_id
        where ${WAS_DRAFT('installment.booking_id', 'overdue.told_at')}
        union all
        select run.schedule_id from reminder_runs run join notification_messages message on message.run_id = run.id
        where run.schedule_id is not null and ${WAS_DRAFT('run.booking_id', 'message.sent_at')}
          and message.sent_at is not null
      ) told group by 1, 2`,
  },
  {
    name: 'departure_counters',
    rule: 'Sold, held and guaranteed units of a departure equal its live items, trip holds and open slots',
    broken: MISCOUNTED_DEPARTURES,
  },
  {
    name: 'manifest_seats',
    rule: 'Travelers have seats within the people of their item, so the manifest lists all of them',
    broken: UNLISTED_TRAVELERS,
  },
];
