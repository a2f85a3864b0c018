import { type AsOf, openBills, openDocuments, openInstallments, unappliedMoney } from './as-of.sql.js';
import { MOVEMENTS } from './period-reports.js';

const OPEN = '(amount_cents - paid_cents)';

/** The figures of the main reports of a month, by name and currency; `first` and `last` are expressions for its days. */
export function periodFigures(first: string, last: string): string {
  const asOf: AsOf = { day: last, known: null };
  const documents = `from invoices where number is not null and type in ('invoice', 'credit_note') and status <> 'void'
    and issue_date between ${first} and ${last}`;
  const signed = (column: string) => `sum(case type when 'invoice' then ${column} else -${column} end)`;
  const figures: [name: string, cents: string, from: string][] = [
    ['receivables', `sum${OPEN}`, `from (${openInstallments(asOf)}) open`],
    ['documents', `sum${OPEN}`, `from (${openDocuments(asOf)}) open`],
    ['payables', `sum${OPEN}`, `from (${openBills(asOf)}) open`],
    ['unapplied', 'sum(unapplied_cents)', `from (${unappliedMoney(asOf)}) money`],
    ['invoiced', signed('total_cents'), documents],
    ['output_tax', signed('tax_cents'), documents],
    [
      'input_tax',
      `sum(case when posting_date between ${first} and ${last} then tax_cents else 0 end
        - case when voided_on between ${first} and ${last} then tax_cents else 0 end)`,
      `from supplier_invoices where posting_date is not null
        and (posting_date between ${first} and ${last} or voided_on between ${first} and ${last})`,
    ],
    ['payments', 'sum(cents)', `from (${MOVEMENTS} and movement.date between ${first} and ${last}) movement`],
  ];
  const selects = figures.map(
    ([name, cents, from]) => `select '${name}' as name, currency, ${cents} as cents ${from} group by currency`,
  );
  return selects.join(' union all ');
}
