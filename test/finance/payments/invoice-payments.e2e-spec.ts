/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { bookingWith, installmentsOf, received } from './bookings.js';
import { INVOICES, invoicing, TWO, views } from './invoiced.js';
import { type Envelope, retryWhileBusy, eventsOf, PAYMENTS, recorded, reverse } from './payments.js';

let app: TestApp;
let owner: TestClient;
const { draft, issued, balanceOf } = invoicing(() => owner);

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('a payment for an invoiced booking', () => {
  it('a payment counts once, on the installment and on the invoice of its booking', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const payment = await recorded(owner, received(id, 45_000));
    expect(views(payment)).toEqual([
      [schedules[0], invoice.id, 30_000],
      [schedules[1], invoice.id, 15_000],
    ]);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'partially_paid', paidCents: 45_000 });
    await recorded(owner, received(id, 55_000));
    expect(await balanceOf(invoice.id)).toEqual({ status: 'paid', paidCents: 100_000 });
    const events = await eventsOf(app, 'finance.invoices', { of: ['invoiceId', invoice.id], count: 3 });
    expect(events.filter(({ event }) => event === 'invoice.settled')).toHaveLength(1);
  });

  it('a payment counts on the invoice of its installment, and not on invoices of other installments', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const second = await issued(id, { scheduleId: schedules[1] });
    const payment = await recorded(owner, received(id, 40_000));
    expect(views(payment)).toEqual([
      [schedules[0], null, 30_000],
      [schedules[1], second.id, 10_000],
    ]);
    expect(await balanceOf(second.id)).toEqual({ status: 'partially_paid', paidCents: 10_000 });
  });

  it('the reversal of a payment restores the invoice and the installments', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const first = await recorded(owner, received(id, 10_000));
    const second = await recorded(owner, received(id, 90_000));
    expect((await balanceOf(invoice.id)).status).toBe('paid');
    await reverse(owner, second.id);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'partially_paid', paidCents: 10_000 });
    await reverse(owner, first.id);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'issued', paidCents: 0 });
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([0, 0]);
  });
});

describe('an allocation to an invoice', () => {
  it('an allocation to an invoice is distributed over the open installments, oldest first', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const allocations = [{ invoiceId: invoice.id, amountCents: 35_000 }];
    const payment = await recorded(owner, received(id, 40_000, { allocations }));
    expect(payment.unappliedCents).toBe(5000);
    expect(views(payment)).toEqual([
      [schedules[0], invoice.id, 30_000],
      [schedules[1], invoice.id, 5000],
    ]);
  });

  it('an allocation to an invoice settles the installment of the invoice', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id, { scheduleId: schedules[1] });
    const allocations = [{ invoiceId: invoice.id, amountCents: 70_000 }];
    const payment = await recorded(owner, received(id, 70_000, { allocations }));
    expect(views(payment)).toEqual([[schedules[1], invoice.id, 70_000]]);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'paid', paidCents: 70_000 });
    expect((await installmentsOf(app, id)).map(({ status }) => status)).toEqual(['pending', 'paid']);
  });

  it('an allocation to an installment and an invoice is limited by both', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const pay = (amountCents: number) =>
      received(id, amountCents, {
        allocations: [{ scheduleId: schedules[0], invoiceId: invoice.id, amountCents }],
      });
    const rejected = await owner.post(PAYMENTS, pay(30_001));
    expect(rejected.status).toBe(422);
    expect(rejected.body).toEqual(
      problem('over_allocated', { field: 'allocations', available: 30_001, outstanding: 30_000 }),
    );
    expect(views(await recorded(owner, pay(30_000)))).toEqual([[schedules[0], invoice.id, 30_000]]);
  });

  it('an allocation to an installment and the invoice of another installment is rejected with 400', async () => {
    const { id, schedules } = await bookingWith(app, { installments: TWO });
    const [deposit, balance] = [await issued(id, { scheduleId: schedules[0] }), schedules[1]];
    const allocations = [{ scheduleId: balance, invoiceId: deposit.id, amountCents: 5000 }];
    const answer = await owner.post(PAYMENTS, received(id, 5000, { allocations }));
    expect(answer.status).toBe(400);
    const message = 'The invoice belongs to another installment';
    const issue = { path: 'allocations.0.invoiceId', message, code: 'invoice_of_other_schedule' };
    expect(answer.body).toMatchObject({ code: 'invalid_request', details: { issues: [issue] } });
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([0, 0]);
  });

  it('an allocation above the outstanding amount of an invoice is rejected with 422 over_allocated', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const allocations = [{ invoiceId: invoice.id, amountCents: 100_001 }];
    const { status, body } = await owner.post(PAYMENTS, received(id, 200_000, { allocations }));
    expect(status).toBe(422);
    expect(body).toEqual(problem('over_allocated', { field: 'allocations', available: 200_000, outstanding: 100_000 }));
  });

  it.each(['draft', 'void'])('an allocation to a %s invoice is rejected with 409 invoice_not_open', async (status) => {
    const { id } = await bookingWith(app, { installments: TWO });
    const invoice = await draft(id);
    if (status === 'void') await owner.post(`${INVOICES}/${invoice.id}/voiding`, { reason: 'Wrong payer' });
    const allocations = [{ invoiceId: invoice.id, amountCents: 5 }];
    const answer = await owner.post(PAYMENTS, received(id, 5, { allocations }));
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(problem('invoice_not_open', { invoiceId: invoice.id, status }));
  });

  it('an allocation to an unknown invoice, or one of another booking, is 404 with the field', async () => {
    const [{ id }, other] = [
      await bookingWith(app, { installments: TWO }),
      await bookingWith(app, { installments: TWO }),
    ];
    for (const invoiceId of [(await issued(other.id)).id, 'inv_01k0dem000e000000000009999', 'x']) {
      const answer = await owner.post(PAYMENTS, received(id, 5, { allocations: [{ invoiceId, amountCents: 5 }] }));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found', { field: 'allocations.0.invoiceId' }));
    }
  });
});

describe('an invoice with payments', () => {
  it('an invoice with payments can be voided only after their deallocation', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const payment = await recorded(owner, received(id, 500));
    const voiding = () => owner.post(`${INVOICES}/${invoice.id}/voiding`, { reason: 'Wrong payer' });
    const rejected = await voiding();
    expect(rejected.status).toBe(409);
    expect(rejected.body).toEqual(problem('credit_note_required', { reason: 'paid' }));
    await owner.delete(`${PAYMENTS}/${payment.id}/allocations/${payment.allocations[0]?.id}`);
    expect((await voiding()).status).toBe(200);
  });

  it('parallel payments that are allocated to an invoice never exceed its total', async () => {
    const { id } = await bookingWith(app, { installments: TWO });
    const invoice = await issued(id);
    const allocations = [{ invoiceId: invoice.id, amountCents: 30_000 }];
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        retryWhileBusy(() => owner.post<Envelope>(PAYMENTS, received(id, 30_000, { allocations }))),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(await balanceOf(invoice.id)).toEqual({ status: 'partially_paid', paidCents: 90_000 });
  });
});
