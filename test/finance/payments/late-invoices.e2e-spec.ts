/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { bookingWith, installmentsOf, received } from './bookings.js';
import { INVOICES, invoicing, TWO, views } from './invoiced.js';
import { entriesOf, retryWhileBusy, eventsOf, PAYMENTS, read, recorded, reverse } from './payments.js';

let app: TestApp;
let owner: TestClient;
const { draft, issued, balanceOf } = invoicing(() => owner);

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('an invoice that is issued after payments', () => {
  it('a newly issued invoice counts earlier payments, and can be voided only after their deallocation', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const deposit = await recorded(owner, received(id, 30_000));
    const invoice = await issued(id);
    expect(invoice).toMatchObject({ status: 'partially_paid', paidCents: 30_000, balanceCents: 70_000 });
    expect(await balanceOf(invoice.id)).toEqual({ status: 'partially_paid', paidCents: 30_000 });
    const now = await read(owner, deposit.id);
    expect(views(now)).toEqual([[schedules[0], invoice.id, 30_000]]);
    expect(now).toMatchObject({ unappliedCents: 0, version: 2 });
    const actions = (await entriesOf(app, deposit.id)).map(({ action }) => action);
    expect(actions).toEqual(['finance.payment.record', 'finance.payment.allocate']);
    const rejected = await owner.post(`${INVOICES}/${invoice.id}/voiding`, { reason: 'Wrong payer' });
    expect([rejected.status, rejected.body]).toEqual([409, problem('credit_note_required', { reason: 'paid' })]);
    await reverse(owner, deposit.id);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'issued', paidCents: 0 });
  });

  it('a newly issued invoice takes no more than its outstanding amount from earlier payments', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    await recorded(owner, received(id, 30_000));
    const invoice = await issued(id);
    const allocations = [{ invoiceId: invoice.id, amountCents: 100_000 }];
    const { status, body } = await owner.post(PAYMENTS, received(id, 100_000, { allocations }));
    const details = { field: 'allocations', available: 100_000, outstanding: 70_000 };
    expect([status, body]).toEqual([422, problem('over_allocated', details)]);
    await recorded(owner, received(id, 70_000, { allocations: [{ invoiceId: invoice.id, amountCents: 70_000 }] }));
    expect(await balanceOf(invoice.id)).toEqual({ status: 'paid', paidCents: 100_000 });
  });

  it('a newly issued invoice of a paid booking is paid at once and publishes it', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    await recorded(owner, received(id, 100_000));
    const invoice = await issued(id);
    expect(invoice).toMatchObject({ status: 'paid', paidCents: 100_000 });
    const events = await eventsOf(app, 'finance.invoices', { of: ['invoiceId', invoice.id], count: 3 });
    expect(events.map(({ event }) => event)).toEqual(['invoice.created', 'invoice.issued', 'invoice.settled']);
  });

  it('a newly issued invoice of an installment takes the payments of that installment only', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const payment = await recorded(owner, received(id, 100_000));
    const invoice = await issued(id, { scheduleId: schedules[1] });
    expect(views(await read(owner, payment.id))).toEqual([
      [schedules[0], null, 30_000],
      [schedules[1], invoice.id, 70_000],
    ]);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'paid', paidCents: 70_000 });
    expect((await installmentsOf(app, id)).every(({ status }) => status === 'paid')).toBe(true);
  });

  it('a newly issued invoice leaves earlier payments unapplied as far as they exceed it', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const payment = await recorded(owner, received(id, 100_000));
    const lines = [{ description: 'Deposit and fee', unitPriceCents: 40_000 }];
    const invoice = await issued(id, { lines });
    expect(views(await read(owner, payment.id))).toEqual([
      [schedules[0], invoice.id, 30_000],
      [schedules[1], invoice.id, 10_000],
      [schedules[1], null, 60_000],
    ]);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'paid', paidCents: 40_000 });
  });

  it('an invoice that is issued during a payment counts each cent once', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    await recorded(owner, received(id, 30_000));
    const { id: invoiceId } = await draft(id);
    const answers = await Promise.all([
      retryWhileBusy(() => owner.post(`${INVOICES}/${invoiceId}/issuance`, {})),
      ...[1, 2].map(() => retryWhileBusy(() => owner.post(PAYMENTS, received(id, 35_000)))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 201]);
    expect(await balanceOf(invoiceId)).toEqual({ status: 'paid', paidCents: 100_000 });
  });
});
