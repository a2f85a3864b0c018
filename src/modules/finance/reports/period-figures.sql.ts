import { type AsOf, customerMoney, openBills } from '../receivables/index.js';
import { openAmounts } from './open-amount-reports.js';
import { MOVEMENTS } from './period-reports.js';

/**
 * The current definition of the figures. A closed month keeps the number of the definition by which its figures were stored.
 */
export const FIGURES_DEFINITION = 2;

/**
 * Figures with the definition that added them or changed their meaning. The second one counts refunds that no money covers
 * as receivables, and no longer counts invoices that were voided in a later month.
 */
export const CHANGED_FIGURES = `
  (values ('receivables', 2), ('documents', 2), ('reserved', 2), ('held', 2)) changed (name, definition)`;

/**
 * Selects the figures of the main reports of a month, by name and currency; `first` and `last` are expressions for its days.
 */
export function periodFigures(first: string, last: string): string {
  const asOf: AsOf = { day: last, known: null };
  const open = (amounts: string) => `
    select currency, sum(amount_cents - paid_cents) as cents from (${amounts}) open group by currency`;
  const documents = (column: string) => `
    select currency, sum(case type when 'invoice' then ${column} else -${column} end) as cents from invoices
    where number is not null and type in ('invoice', 'credit_note') and status <> 'void'
      and issue_date between ${first} and ${last} group by currency`;
  const figures = {
    receivables: open(openAmounts('receivable', asOf, 'schedule')),
    documents: open(openAmounts('receivable', asOf, 'document')),
    payables: open(openBills(asOf)),
    invoiced: documents('total_cents'),
    output_tax: documents('tax_cents'),
    input_tax: `
      select currency, sum(case when posting_date between ${first} and ${last} then tax_cents else 0 end
        - case when voided_on between ${first} and ${last} then tax_cents else 0 end) as cents
      from supplier_invoices where posting_date is not null
        and (posting_date between ${first} and ${last} or voided_on between ${first} and ${last}) group by currency`,
    payments: `
      select currency, sum(cents) as cents
      from (${MOVEMENTS} and movement.date between ${first} and ${last}) movement group by currency`,
  };
  return `
    ${Object.entries(figures)
      .map(([name, from]) => `select '${name}' as name, currency, cents from (${from}) figure`)
      .join(' union all ')}
    union all
    select figure.name, money.currency, sum(figure.cents) as cents
    from (${customerMoney(asOf)}) money
    cross join lateral (
      values ('unapplied', unapplied_cents), ('reserved', reserved_cents), ('held', held_cents)
    ) figure (name, cents)
    where figure.cents > 0 group by figure.name, money.currency`;
}
