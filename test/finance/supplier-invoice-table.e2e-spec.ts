/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { make } from './invoices.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

/** The constraint that rejects a change of a row without the service. */
async function constraintOf(change: string, status: 'draft' | 'approved' = 'draft'): Promise<string | undefined> {
  const { id } = await make(app.as('owner'), { status, currency: 'CHF', baseCurrency: 'EUR', exchangeRate: '2' });
  try {
    await app.sql(`update supplier_invoices set ${change} where id = $1`, [id]);
    return undefined;
  } catch (error) {
    return (error as { constraint?: string }).constraint;
  }
}

describe('the supplier invoices table', () => {
  it.each([
    ['totals that do not add up', 'tax_cents = 1', 'supplier_invoices_total'],
    ['a due date before the issue date', 'due_date = issue_date - 1', 'supplier_invoices_due'],
    ['a payment on a draft', 'paid_cents = 1', 'supplier_invoices_paid'],
    ['base totals that do not add up', 'base_tax_cents = 1', 'supplier_invoices_base'],
    ['half of the base totals', 'base_tax_cents = null', 'supplier_invoices_base'],
    ['base totals without a rate', 'exchange_rate = null', 'supplier_invoices_base'],
    ['a rate between equal currencies', "base_currency = 'CHF'", 'supplier_invoices_rate'],
    ['an approval without its timestamps', "status = 'approved'", 'supplier_invoices_approval'],
    ['a void without its timestamps', "status = 'void'", 'supplier_invoices_voiding'],
    ['a negative tax', 'tax_cents = -1, subtotal_cents = total_cents + 1', 'supplier_invoices_tax_cents_check'],
  ])('the supplier invoices table rejects %s', async (_, change, constraint) =>
    expect(await constraintOf(change)).toBe(constraint),
  );

  it.each([
    ['a payment beyond the total', 'paid_cents = total_cents + 1', 'supplier_invoices_paid'],
    ['an unknown status', "status = 'sent'", 'supplier_invoices_status_check'],
    ['paid without its money', "status = 'paid'", 'supplier_invoices_paid'],
    ['a draft with the timestamps of an approval', "status = 'draft'", 'supplier_invoices_approval'],
    [
      'the timestamps of a void on an active invoice',
      "voided_at = now(), void_reason = 'x'",
      'supplier_invoices_voiding',
    ],
  ])('the supplier invoices table rejects %s', async (_, change, constraint) =>
    expect(await constraintOf(change, 'approved')).toBe(constraint),
  );

  it('the supplier invoices table rejects a second invoice of the same number that is not void', async () => {
    const [first, second] = [await make(app.as('owner')), await make(app.as('owner'))];
    const steal = app.sql(
      `update supplier_invoices mine set supplier_key = other.supplier_key, number_key = other.number_key
       from supplier_invoices other where mine.id = $1 and other.id = $2`,
      [second.id, first.id],
    );
    await expect(steal).rejects.toMatchObject({ constraint: 'supplier_invoices_live_number' });
  });

  it('the supplier invoices table rejects a line whose total is not quantity * unit + tax', async () => {
    const { id } = await make(app.as('owner'), { lines: [{ description: 'Bus', unitAmountCents: 11_900 }] });
    const change = app.sql('update supplier_invoice_lines set quantity = 2 where invoice_id = $1', [id]);
    await expect(change).rejects.toMatchObject({ constraint: 'supplier_invoice_lines_total' });
  });
});
