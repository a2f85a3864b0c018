import type { IntegrityCheck } from './integrity-checks.js';
import { periodFigures } from './period-figures.sql.js';

const MONTH = `
  select period, to_date(period, 'YYYY-MM') as first,
    (to_date(period, 'YYYY-MM') + interval '1 month' - interval '1 day')::date as last
  from accounting_periods where status <> 'open'`;

/** Rules about what is kept for reports of past days: histories, stored figures, and documents whose parts add up. */
export const HISTORY_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'history_complete',
    rule: 'The latest version of the history of an installment or a booking item equals its row',
    broken: `
      select 'payment_schedule' as type, schedule.id, schedule.amount_cents as expected, version.amount_cents as actual
      from payment_schedules schedule
      left join lateral (
        select * from payment_schedule_history where schedule_id = schedule.id order by version desc limit 1
      ) version on true
      where (schedule.due_date, schedule.status = 'cancelled', schedule.waived)
        is distinct from (version.due_date, version.cancelled, version.waived)
      union all
      select 'booking_item', item.id, item.total_sell_cents, version.total_sell_cents
      from booking_items item
      left join lateral (
        select * from booking_item_history where item_id = item.id order by version desc limit 1
      ) version on true
      where (item.tax_included_cents, item.quantity, item.service_date)
        is distinct from
          (version.tax_included_cents, version.quantity, version.service_date)`,
  },
  {
    name: 'period_frozen',
    rule: 'The stored figures of each closed month equal the figures computed now',
    broken: `
      select 'accounting_period' as type, coalesce(stored.period, current.period) as id,
        coalesce(current.cents, 0) as expected, coalesce(stored.cents, 0) as actual
      from accounting_period_figures stored
      full join (
        select month.period, figure.name, figure.currency, figure.cents
        from (${MONTH}) month cross join lateral (${periodFigures('month.first', 'month.last')}) figure
      ) current using (period, name, currency)
      where coalesce(stored.cents, 0) <> coalesce(current.cents, 0)`,
  },
  {
    name: 'document_sums',
    rule: 'The lines of an issued document or of a supplier invoice add up to its subtotal and tax',
    broken: `
      select 'invoice' as type, invoice.id, lines.tax as expected, invoice.tax_cents as actual
      from invoices invoice
      join (
        select invoice_id, sum(net_cents) as net, sum(tax_cents) as tax from invoice_lines group by 1
      ) lines on lines.invoice_id = invoice.id
      where invoice.number is not null and lines.net + lines.tax = invoice.total_cents and (lines.net, lines.tax) is distinct from (invoice.subtotal_cents, invoice.tax_cents)
      union all
      select 'supplier_invoice', bill.id, lines.tax, bill.tax_cents
      from supplier_invoices bill
      join (
        select invoice_id, sum(quantity::numeric * unit_amount_cents) as net, sum(tax_amount_cents) as tax
        from supplier_invoice_lines group by 1
      ) lines on lines.invoice_id = bill.id
      where lines.net + lines.tax = bill.total_cents and (lines.net, lines.tax) is distinct from (bill.subtotal_cents, bill.tax_cents)`,
  },
  {
    name: 'credit_bounds',
    rule: 'What is credited of an invoice is the sum of its credit notes, and with what is paid at most its total',
    broken: `
      select 'invoice' as type, invoice.id, coalesce(notes.cents, 0) as expected, invoice.credited_cents as actual
      from invoices invoice
      left join (
        select original_invoice_id, sum(total_cents) as cents from invoices
        where original_invoice_id is not null and number is not null group by 1
      ) notes on notes.original_invoice_id = invoice.id
      where invoice.type = 'invoice' and (invoice.credited_cents <> coalesce(notes.cents, 0)
        )`,
  },
  {
    name: 'transfers_paired',
    rule: 'Both halves of a transfer have the same amount, currency and status',
    broken: `
      select 'payment' as type, outgoing.id, outgoing.amount_cents as expected, incoming.amount_cents as actual
      from payments outgoing
      left join payments incoming on incoming.transfer_id = outgoing.transfer_id and incoming.kind = 'transfer_in'
      where outgoing.kind = 'transfer_out' and (outgoing.amount_cents, outgoing.currency, outgoing.status)
        is distinct from (incoming.amount_cents, incoming.currency, incoming.status)`,
  },
];
