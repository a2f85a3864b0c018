import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { make } from '../invoices.js';
import { bookingWith } from '../payments/bookings.js';
import { closeMonths } from '../periods/months.js';
import { tamper, verify } from './tampering.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

/** The names of the violated rules. */
const violated = async () =>
  (await verify(owner)).checks.filter(({ violations }) => violations > 0).map(({ name }) => name);

describe('tampering with what reports of past days read', () => {
  it('an installment that was moved without a version of its history is reported', async () => {
    const { schedules } = await bookingWith(app, { installments: [['2026-01-01', 500]] });
    const move = (due: string) =>
      tamper(app, 'payment_schedules', `update payment_schedules set due_date = '${due}' where id = '${schedules[0]}'`);
    await move('2026-01-02');
    expect(await violated()).toEqual(['history_complete']);
    await move('2026-01-01');
    expect(await violated()).toEqual([]);
  });

  it('a figure of a closed month that differs from the reports is reported', async () => {
    await closeMonths(app, '1999-01');
    await app.sql(`insert into accounting_period_figures values ('1999-01', 'invoiced', 'EUR', 5)`);
    expect(await violated()).toEqual(['period_frozen']);
    await app.sql('delete from accounting_period_figures; delete from accounting_periods');
    expect(await violated()).toEqual([]);
  });

  it('a tax of a supplier invoice that differs from its lines is reported', async () => {
    const lines = [{ description: 'Room', unitAmountCents: 10_000, taxAmountCents: 1_900 }];
    const { id } = await make(owner, { lines });
    const set = (tax: number) =>
      tamper(
        app,
        'supplier_invoices',
        `update supplier_invoices set tax_cents = ${tax}, subtotal_cents = ${11_900 - tax} where id = '${id}'`,
      );
    await set(0);
    expect(await violated()).toEqual(['document_sums']);
    await set(1_900);
    expect(await violated()).toEqual([]);
  });
});
