import { DOCUMENT_CHECKS } from './document-checks.js';
import { HISTORY_CHECKS } from './history-checks.js';
import { MONEY_CHECKS } from './money-checks.js';

/** An accounting rule; its statement returns the violations: type, id, expected and actual value. */
export interface IntegrityCheck {
  readonly name: string;
  readonly rule: string;
  readonly broken: string;
}

const paidIsAllocated = (name: string, { table, column, type }: Record<'table' | 'column' | 'type', string>) => ({
  name,
  rule: `The paid amount of each ${type.replaceAll('_', ' ')} equals its active allocations`,
  broken: `
    select '${type}' as type, target.id, coalesce(allocated.cents, 0) as expected, target.paid_cents as actual
    from ${table} target
    left join (
      select ${column} as id, sum(signed_cents) as cents from payment_allocations where ${column} is not null group by 1
    ) allocated using (id)
    where target.paid_cents <> coalesce(allocated.cents, 0)`,
});

const ALLOCATED = `
  left join (select payment_id, sum(signed_cents) as cents from payment_allocations group by 1) allocated
    on allocated.payment_id = payment.id`;

/**
 * The database enforces most of these rules itself; the checks verify the stored rows, including rows that other programs
 * wrote.
 */
export const INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'payment_conservation',
    rule: 'The amount of each completed receipt and supplier payment equals its active allocations plus its unapplied amount',
    broken: `
      select 'payment' as type, payment.id, payment.amount_cents as expected,
        payment.unapplied_cents + coalesce(allocated.cents, 0) as actual
      from payments payment ${ALLOCATED}
      where payment.kind not in ('refund', 'transfer_out', 'commission_payout') and payment.status = 'completed'
        and payment.amount_cents <> payment.unapplied_cents + coalesce(allocated.cents, 0)`,
  },
  {
    name: 'payment_reversed',
    rule: 'A reversed payment has no active allocations',
    broken: `
      select 'payment' as type, payment.id, 0 as expected, allocated.cents as actual
      from payments payment ${ALLOCATED} where payment.status = 'reversed' and allocated.cents <> 0`,
  },
  paidIsAllocated('installment_paid', { table: 'payment_schedules', column: 'schedule_id', type: 'payment_schedule' }),
  paidIsAllocated('invoice_paid', { table: 'invoices', column: 'invoice_id', type: 'invoice' }),
  paidIsAllocated('supplier_invoice_paid', {
    table: 'supplier_invoices',
    column: 'supplier_invoice_id',
    type: 'supplier_invoice',
  }),
  {
    name: 'allocation_debt',
    rule: 'A payment settles its own booking or supplier invoice, in its own currency',
    broken: `
      select 'payment' as type, payment.id, 0 as expected, sum(allocation.signed_cents) as actual
      from payment_allocations allocation
      join payments payment on payment.id = allocation.payment_id
      left join payment_schedules schedule on schedule.id = allocation.schedule_id
      left join invoices invoice on invoice.id = allocation.invoice_id
      left join supplier_invoices bill on bill.id = allocation.supplier_invoice_id
      left join payments refund on refund.id = allocation.refund_id
      where payment.booking_id is distinct from coalesce(schedule.booking_id, invoice.booking_id, refund.booking_id)
        or payment.supplier_invoice_id is distinct from bill.id or schedule.booking_id <> invoice.booking_id
        or payment.currency <> coalesce(schedule.currency, invoice.currency, bill.currency, refund.currency)
      group by payment.id having sum(allocation.signed_cents) <> 0`,
  },

  {
    name: 'plan_total',
    rule: "The installments of each current plan, with what was waived, add up to the booking's total",
    broken: `
      select 'booking' as type, booking.id, coalesce(booking.total_cents, 0) + plan.off_by_cents as expected,
        coalesce(planned.cents, 0) as actual
      from payment_plans plan join bookings booking on booking.id = plan.booking_id
      left join (
        select plan_id, sum(amount_cents) as cents from payment_schedules where status <> 'cancelled' or waived group by 1
      ) planned on planned.plan_id = plan.id
      where plan.is_current and booking.status <> 'cancelled'
        and coalesce(booking.total_cents, 0) + plan.off_by_cents <> coalesce(planned.cents, 0)`,
  },
  {
    name: 'booking_total',
    rule: "Each booking's total is the sum of its live items",
    broken: `
      select 'booking' as type, booking.id, coalesce(items.cents, 0) as expected, coalesce(booking.total_cents, 0) as actual
      from bookings booking
      left join (
        select booking_id, sum(total_sell_cents) as cents from booking_items where status <> 'cancelled' group by 1
      ) items on items.booking_id = booking.id
      where coalesce(booking.total_cents, 0) <> coalesce(items.cents, 0)`,
  },

  {
    name: 'commission_total',
    rule: 'The active commissions of a booking item do not exceed its price',
    broken: `
      select 'booking_item' as type, item.id, item.total_sell_cents as expected, earned.cents as actual
      from booking_items item
      join (
        select booking_item_id, sum(amount_cents) as cents from commission_lines
        where status <> 'void' group by 1
      ) earned on earned.booking_item_id = item.id
      where item.status <> 'cancelled' and earned.cents > item.total_sell_cents`,
  },
  {
    name: 'commission_clawback',
    rule: 'The commissions of a cancelled booking item and their adjusting lines add up to 0',
    broken: `
      select 'booking_item' as type, item.id, 0 as expected, earned.cents as actual
      from booking_items item
      join (
        select booking_item_id, sum(amount_cents) as cents from commission_lines where status <> 'void' group by 1
      ) earned on earned.booking_item_id = item.id
      where item.status = 'cancelled' and earned.cents <> 0`,
  },
  {
    name: 'commission_payouts',
    rule: 'Each paid commission has one payment of its amount that is not reversed, and no other commission has one',
    broken: `
      select 'commission' as type, line.id, case line.status when 'paid' then line.amount_cents else 0 end as expected,
        coalesce(payout.cents, 0) as actual
      from commission_lines line
      left join (
        select commission_id, sum(case direction when 'out' then amount_cents else -amount_cents end) as cents
        from payments where kind = 'commission_payout' and status = 'completed' group by 1
      ) payout on payout.commission_id = line.id
      where coalesce(payout.cents, 0) <> case line.status when 'paid' then line.amount_cents else 0 end`,
  },
  ...MONEY_CHECKS,
  ...DOCUMENT_CHECKS,
  ...HISTORY_CHECKS,
];
