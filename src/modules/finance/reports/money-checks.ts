import { customerMoney, openDocuments, uncoveredRefunds } from '../receivables/index.js';
import type { IntegrityCheck } from './integrity-checks.js';

/**
 * Selects the completed payments of each booking and the use of their money, from amounts and active allocations; other rules
 * check the stored balances. `reserved` covers requested refunds, `uncovered` is the rest of completed ones.
 */
const MOVED = `
  select booking_id, coalesce(sum(amount_cents) filter (where direction = 'in'), 0)
      - coalesce(sum(amount_cents) filter (where direction = 'out'), 0) as received,
    coalesce(sum(amount_cents) filter (where direction = 'in'), 0) as receipts,
    coalesce(sum(amount_cents) filter (where direction = 'out'), 0) as paid_out
  from payments where status = 'completed' and booking_id is not null group by 1`;

const ACTIVE = `
  from payment_allocations allocation join payments payment on payment.id = allocation.payment_id
  left join payments refund on refund.id = allocation.refund_id
  where payment.status = 'completed' and payment.booking_id is not null`;

/** Selects the debts that the receipts and incoming transfers of each booking settle. */
const SETTLED = `
  select payment.booking_id, sum(signed_cents) as settled,
    coalesce(sum(signed_cents) filter (where allocation.schedule_id is null and invoice_id is not null), 0)
      as on_invoices_alone,
    coalesce(sum(signed_cents) filter (where refund.status = 'requested'), 0) as reserved,
    coalesce(sum(signed_cents) filter (where refund.status = 'completed'), 0) as covered
  ${ACTIVE} and payment.direction = 'in' group by 1`;

const ON_DAY = { day: 'days.day', known: null };

/** Selects today, and the last day of the last closed month. */
const DAYS = `
  select app_today() as day
  union all
  select (to_date(max(period), 'YYYY-MM') + interval '1 month' - interval '1 day')::date
  from accounting_periods where status <> 'open' having max(period) is not null`;

/** Selects the entries of the invoice journal and of the payment journal, with the sign of the customer's debt. */
const JOURNALS = `
  select booking_id, currency, issue_date as date, case type when 'invoice' then total_cents else -total_cents end as cents
  from invoices where number is not null and type in ('invoice', 'credit_note') and status <> 'void'
  union all
  select payment.booking_id, payment.currency, movement.date,
    movement.sign * case payment.direction when 'in' then -1 else 1 end * payment.amount_cents
  from payments payment
  cross join lateral (values (payment.posting_date, 1), (payment.reversal_posting_date, -1)) movement (date, sign)
  where payment.booking_id is not null and payment.status in ('completed', 'reversed') and movement.date is not null`;

/** Selects the customers' debt for documents and uncovered refunds, less their money that settles no invoice. */
const BALANCES = `
  select booking_id, currency, amount_cents - paid_cents as cents from (${openDocuments(ON_DAY)}) document
  union all
  select booking_id, currency, amount_cents - paid_cents from (${openDocuments(ON_DAY, 'overpaid')}) document
  union all
  select booking_id, currency, amount_cents - paid_cents from (${uncoveredRefunds(ON_DAY)}) refund
  union all
  select booking_id, currency, -(unapplied_cents + reserved_cents + on_installments_alone_cents)
  from (${customerMoney(ON_DAY, 'all')}) money`;

/** Rules about the money of customers, per booking. */
export const MONEY_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'balance_identity',
    rule: 'Claim - received = outstanding + uncovered refunds - unapplied - reserved - money on invoices alone',
    // An imported plan may deviate from the price of its booking by a stored amount. `plan_total` reports other deviations.
    broken: `
      with moved as (${MOVED}),
      settled as (${SETTLED}),
      paid as (
        select schedule_id, sum(signed_cents) as cents
        from payment_allocations allocation join payments payment on payment.id = allocation.payment_id
        where schedule_id is not null and payment.status = 'completed' group by 1
      ),
      planned as (
        select schedule.booking_id, sum(amount_cents) filter (where waived and plan.is_current) as waived,
          sum(amount_cents - coalesce(paid.cents, 0)) filter (where status = 'pending') as outstanding,
          sum(amount_cents) filter (where plan.is_current and (waived or status <> 'cancelled')) as total
        from payment_schedules schedule join payment_plans plan on plan.id = schedule.plan_id
        left join paid on paid.schedule_id = schedule.id group by 1
      ),
      terms as (
        select booking.id, coalesce(booking.total_cents, 0) + plan.off_by_cents - coalesce(planned.waived, 0)
            - coalesce(moved.received, 0) as balance,
          coalesce(planned.outstanding, 0) as outstanding,
          coalesce(moved.paid_out, 0) - coalesce(settled.covered, 0) as uncovered,
          coalesce(moved.receipts, 0) - coalesce(settled.settled, 0) as unapplied,
          coalesce(settled.reserved, 0) as reserved,
          coalesce(settled.on_invoices_alone, 0) as on_invoices_alone
        from bookings booking join payment_plans plan on plan.booking_id = booking.id and plan.is_current
        left join planned on planned.booking_id = booking.id
        left join moved on moved.booking_id = booking.id
        left join settled on settled.booking_id = booking.id
        where booking.status in ('confirmed', 'in_progress', 'completed')
          and coalesce(planned.total, 0) = coalesce(booking.total_cents, 0) + plan.off_by_cents
      )
      select 'booking' as type, id, balance as expected,
        outstanding + uncovered - unapplied - reserved - on_invoices_alone as actual
      from terms where balance <> outstanding + uncovered - unapplied - reserved - on_invoices_alone`,
  },
  {
    name: 'customer_money',
    rule: 'Money received for a booking and not refunded is applied to its debts, reserved, or unapplied',
    broken: `
      with moved as (${MOVED}),
      settled as (${SETTLED}),
      applied as (
        select coalesce(schedule.booking_id, invoice.booking_id) as booking_id, sum(signed_cents) as cents
        from payment_allocations allocation join payments payment on payment.id = allocation.payment_id
        left join payment_schedules schedule on schedule.id = allocation.schedule_id
        left join invoices invoice on invoice.id = allocation.invoice_id
        where payment.status = 'completed' and coalesce(schedule.booking_id, invoice.booking_id) is not null group by 1
      ),
      terms as (
        select booking_id as id, coalesce(received, 0) as received, coalesce(applied.cents, 0) as applied,
          coalesce(moved.receipts, 0) - coalesce(settled.settled, 0) as unapplied,
          coalesce(settled.reserved, 0) as reserved,
          coalesce(moved.paid_out, 0) - coalesce(settled.covered, 0) as uncovered
        from moved full join settled using (booking_id) full join applied using (booking_id)
      )
      select 'booking' as type, id, received as expected, applied + unapplied + reserved - uncovered as actual
      from terms where received <> applied + unapplied + reserved - uncovered`,
  },
  {
    name: 'cash_applied',
    rule: 'No booking has money that would settle an open installment, an open invoice or an uncovered refund',
    // An invoice is open to money of other installments up to the amount that its own installment does not need. Money on
    // invoices alone must not exceed the claim. Money of a cancelled booking stays allocated until the settlement.
    broken: `
      with free as (
        select booking_id, sum(unapplied_cents) as cents from payments
        where status = 'completed' and unapplied_cents > 0 and auto_apply and booking_id is not null group by 1
      ),
      applied as (
        select payment.booking_id, sum(signed_cents) filter (where allocation.refund_id is null) as cents,
          sum(signed_cents) filter (where schedule_id is null and invoice_id is not null) as on_invoices_alone,
          sum(signed_cents) filter (where schedule_id is not null and invoice_id is null) as on_no_invoice
        ${ACTIVE} and payment.direction = 'in' group by 1
      ),
      planned as (
        select booking_id, sum(amount_cents - paid_cents) filter (where status = 'pending') as open,
          sum(amount_cents) filter (where waived) as waived
        from payment_schedules group by 1
      ),
      refunded as (
        select booking_id, sum(amount_cents - covered_cents) as uncovered from payments
        where status = 'completed' and kind in ('refund', 'transfer_out') group by 1
      ),
      billed as (
        select invoice.booking_id, sum(invoice.total_cents - credited_cents) as cents,
          sum(greatest(0, invoice.total_cents - credited_cents - invoice.paid_cents
            - case when own.status = 'pending' then own.amount_cents - own.paid_cents else 0 end)) as open
        from invoices invoice left join payment_schedules own on own.id = invoice.schedule_id
        where invoice.type = 'invoice' and number is not null and invoice.status <> 'void' group by 1
      ),
      terms as (
        select booking.id, coalesce(free.cents, 0) as free, coalesce(applied.cents, 0) as applied,
          coalesce(on_invoices_alone, 0) as alone, coalesce(on_no_invoice, 0) as on_no_invoice,
          coalesce(planned.open, 0) as open, coalesce(uncovered, 0) as uncovered, coalesce(billed.open, 0) as open_invoices,
          booking.status <> 'cancelled' as is_live,
          case when booking.status = 'draft' then coalesce(billed.cents, 0)
            else coalesce(total_cents, 0) - coalesce(waived, 0) end as claim
        from bookings booking
        left join free on free.booking_id = booking.id
        left join applied on applied.booking_id = booking.id
        left join planned on planned.booking_id = booking.id
        left join refunded on refunded.booking_id = booking.id
        left join billed on billed.booking_id = booking.id
        where free.cents > 0 or applied.cents > 0
      ),
      misplaced as (
        select id, greatest(case when open > 0 then free + alone else 0 end, case when uncovered > 0 then free else 0 end,
          case when is_live then greatest(least(alone, applied - claim), least(on_no_invoice, open_invoices)) else 0 end)
          as cents
        from terms
      )
      select 'booking' as type, id, 0 as expected, cents as actual from misplaced where cents > 0`,
  },
  {
    name: 'refunds_covered',
    rule: 'The covered amount of a refund equals its active allocations, and the whole refund is covered unless a receipt was reversed',
    broken: `
      with covers as (
        select refund_id, sum(signed_cents) as cents, bool_or(payment.status = 'reversed') as was_reversed
        from payment_allocations allocation join payments payment on payment.id = allocation.payment_id
        where refund_id is not null group by 1
      )
      select 'payment' as type, refund.id,
        case when covered_cents <> coalesce(cents, 0) then coalesce(cents, 0) else amount_cents end as expected,
        covered_cents as actual
      from payments refund left join covers on covers.refund_id = refund.id
      where kind in ('refund', 'transfer_out') and (
        covered_cents <> coalesce(cents, 0) or covered_cents < amount_cents and (
          refund.status = 'requested' or refund.status = 'completed' and not coalesce(was_reversed, false)))`,
  },
  {
    name: 'journals_balance',
    rule: 'Opening balance + invoices - credit notes - payments + refunds = closing balance, per booking and in total',
    // Both balances are computed from the open items of their day: the last day of the last closed month, and today.
    broken: `
      with days as (${DAYS}),
      terms as (
        select days.day, entry.booking_id, entry.currency, entry.cents as journal, 0 as balance
        from days join (${JOURNALS}) entry on entry.date <= days.day
        union all
        select days.day, item.booking_id, item.currency, 0, item.cents
        from days cross join lateral (${BALANCES}) item
      ),
      differing as (
        select day, booking_id, sum(journal) as journal, sum(balance) as balance from terms
        group by grouping sets ((day, booking_id), (day, currency)) having sum(journal) <> sum(balance)
      )
      select distinct on (type, id) type, id, journal as expected, balance as actual
      from (
        select case when booking_id is null then 'accounting_period' else 'booking' end as type,
          coalesce(booking_id, to_char(day, 'YYYY-MM')) as id, day, journal, balance
        from differing
      ) found order by type, id, day desc`,
  },
  {
    name: 'transfers_paired',
    rule: 'Both halves of a transfer have the same amount, currency and status',
    broken: `
      select 'payment' as type, coalesce(outgoing.id, incoming.id) as id, coalesce(outgoing.amount_cents, 0) as expected,
        coalesce(incoming.amount_cents, 0) as actual
      from (select * from payments where kind = 'transfer_out') outgoing
      full join (select * from payments where kind = 'transfer_in') incoming using (transfer_id)
      where (outgoing.amount_cents, outgoing.currency, outgoing.status)
        is distinct from (incoming.amount_cents, incoming.currency, incoming.status)`,
  },
];
