/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { collect, preview } from './collecting.js';
import { book, change, deviation, entriesOf, outline, pay, planned, reprice, schedulesOf, THIRDS } from './plans.js';

const PAYMENTS = '/v1/admin/finance/payments';

interface Payment {
  id: string;
  amountCents: number;
  unappliedCents: number;
  [member: string]: unknown;
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function paymentsOf(bookingId: string): Promise<Payment[]> {
  const { body } = await owner.get<{ data: Payment[] }>(`${PAYMENTS}?bookingId=${bookingId}`);
  return body.data;
}

/** A payment for the booking that is allocated automatically. */
async function receive(bookingId: string, amountCents: number): Promise<Payment> {
  const money = { method: 'card', currency: 'EUR', amountCents, paidOn: app.day() };
  const { status, body } = await owner.post<{ data: Payment }>(PAYMENTS, { bookingId, ...money });
  expect(status).toBe(201);
  return body.data;
}

describe('an installment that is set to paid', () => {
  it('setting an installment to paid records a completed payment of the outstanding amount, allocated to it', async () => {
    const [bookingId, first] = await planned(owner);
    await pay(app, first.id, 10_000);
    const { status, body } = await change(owner, first, { status: 'paid' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'paid', paidCents: 30_000, outstandingCents: 0 });
    const payment = (await paymentsOf(bookingId)).find(({ amountCents }) => amountCents === 20_000);
    expect(payment).toMatchObject({
      direction: 'in',
      method: 'other',
      source: 'schedule_patch',
      paidOn: app.day(),
      currency: 'EUR',
      status: 'completed',
      unappliedCents: 0,
    });
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '30000 pending', '40000 pending']);
  });

  it('an overdue installment can be set to paid', async () => {
    const [, first] = await planned(owner);
    const dueDate = app.day(-5);
    expect((await change(owner, first, { dueDate })).body.data.status).toBe('overdue');
    expect((await change(owner, first, { status: 'paid' })).body.data).toMatchObject({ status: 'paid', dueDate });
  });

  it('setting an installment to paid writes two ledger entries: the patch and the payment', async () => {
    const [bookingId, first] = await planned(owner);
    const headers = { 'X-Request-Id': `paid-by-patch-${first.id}` };
    const path = `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${first.id}`;
    expect((await owner.patch(path, { status: 'paid' }, { headers })).status).toBe(200);
    const written = await app.sql(
      'select action from action_ledger_entries where correlation_id = $1 order by action',
      [headers['X-Request-Id']],
    );
    expect(written).toEqual([{ action: 'finance.payment.record' }, { action: 'finance.payment_schedule.update' }]);
    const [entry] = await entriesOf(owner, 'payment_schedule', first.id);
    expect(entry).toMatchObject({
      before: { status: 'pending', paidCents: 0 },
      after: { status: 'paid', paidCents: 30_000 },
    });
  });

  it('setting an installment to paid with a new amount pays the new amount', async () => {
    const [bookingId, first] = await planned(owner);
    const { body } = await change(owner, first, { amountCents: 45_000, status: 'paid' });
    expect(body.data).toMatchObject({ status: 'paid', amountCents: 45_000 });
    expect(await outline(owner, bookingId)).toEqual(['45000 paid', '30000 pending', '25000 pending']);
  });

  it('two concurrent requests to set an installment to paid record one payment and answer 200 twice', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [bookingId, first] = await planned(owner);
      const answers = await Promise.all([1, 2, 3].map(() => change(owner, first, { status: 'paid' })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.map(({ body }) => body.data.status)).toEqual(['paid', 'paid', 'paid']);
      expect(await paymentsOf(bookingId)).toMatchObject([{ amountCents: 30_000 }]);
    }
  });

  it('an installment that was set to paid is open again after the payment is reversed', async () => {
    const [bookingId, first] = await planned(owner);
    await change(owner, first, { status: 'paid' });
    const [payment] = await paymentsOf(bookingId);
    const reversal = await owner.post(`${PAYMENTS}/${payment?.id}/reversal`, { reason: 'The bank returned it' });
    expect(reversal.status).toBe(200);
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
  });
});

describe('money received before the plan', () => {
  it('money received before the plan pays it when it is stored, oldest due first', async () => {
    const bookingId = await book(owner, { paymentPolicy: THIRDS });
    await receive(bookingId, 45_000);
    expect(await preview(owner, bookingId)).toMatchObject({ unappliedCents: 45_000, warnings: ['unapplied_money'] });
    const plan = await collect(owner, bookingId);
    expect(plan).toMatchObject({ paidCents: 45_000, outstandingCents: 55_000, unappliedCents: 0, amountCents: 15_000 });
    expect(plan.entries.map(({ paidCents, status }) => [paidCents, status])).toEqual([
      [30_000, 'paid'],
      [15_000, 'pending'],
      [0, 'pending'],
    ]);
    expect(plan.warnings).toEqual([]);
  });

  it('money received before the plan stays unapplied as far as it exceeds the plan', async () => {
    const bookingId = await book(owner, { paymentPolicy: THIRDS });
    await receive(bookingId, 100_500);
    expect(await collect(owner, bookingId)).toMatchObject({
      paidCents: 100_000,
      outstandingCents: 0,
      unappliedCents: 500,
      recommendedAction: 'none',
      warnings: ['unapplied_money'],
    });
  });
});

describe('a booking whose total falls below the paid amount', () => {
  it('a lower total reduces paid installments last, and their money becomes unapplied', async () => {
    const [bookingId] = await planned(owner);
    await receive(bookingId, 100_000);
    await reprice(app, bookingId, 65_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '30000 paid', '5000 paid']);
    expect(await deviation(app, bookingId)).toBe(0);
    expect(await paymentsOf(bookingId)).toMatchObject([{ amountCents: 100_000, unappliedCents: 35_000 }]);
    await reprice(app, bookingId, 40_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '10000 paid', '5000 cancelled']);
    expect(await paymentsOf(bookingId)).toMatchObject([{ unappliedCents: 60_000 }]);
  });

  it('a lower total reduces open amounts first, also of a partly paid installment', async () => {
    const [bookingId] = await planned(owner);
    await receive(bookingId, 45_000);
    await reprice(app, bookingId, 40_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '10000 paid', '40000 cancelled']);
    expect(await paymentsOf(bookingId)).toMatchObject([{ unappliedCents: 5_000 }]);
  });

  it('a total that falls and rises again adds an amendment, which the released money pays', async () => {
    const [bookingId] = await planned(owner);
    await receive(bookingId, 100_000);
    await reprice(app, bookingId, 50_000);
    await reprice(app, bookingId, 70_000);
    const amendment = (await schedulesOf(owner, bookingId)).find(({ type }) => type === 'amendment');
    expect(amendment).toMatchObject({ amountCents: 20_000, status: 'paid' });
    expect(await deviation(app, bookingId)).toBe(0);
  });
});

describe('concurrent payments, edits and item changes', () => {
  it('concurrent payments, edits and item changes leave a plan that adds up and lose no money', async () => {
    const [bookingId, ...schedules] = await planned(owner);
    const calls = Array.from({ length: 4 }, (_, round) => [
      () => receive(bookingId, 9_000 + round),
      () => change(owner, schedules[round % 3] ?? schedules[0], { amountCents: 20_000 + 3_000 * round }),
      () => change(owner, schedules[(round + 1) % 3] ?? schedules[0], { status: 'paid' }),
      () => reprice(app, bookingId, 80_000 + 7_000 * round),
    ]);
    await Promise.all(calls.flat().map((call) => call()));
    expect(await deviation(app, bookingId)).toBe(0);
    const payments = await paymentsOf(bookingId);
    const received = payments.reduce((sum, { amountCents, unappliedCents }) => sum + amountCents - unappliedCents, 0);
    const paid = (await schedulesOf(owner, bookingId)).reduce((sum, { paidCents }) => sum + paidCents, 0);
    expect(paid).toBe(received);
  });
});

describe('an installment that cannot be set to paid', () => {
  it('setting a cancelled installment to paid is 409 schedule_cancelled, and nothing is recorded', async () => {
    const [bookingId, first] = await planned(owner);
    await change(owner, first, { status: 'cancelled' });
    const { status, body } = await change(owner, first, { status: 'paid' });
    expect(status).toBe(409);
    expect(body).toEqual(problem('schedule_cancelled'));
    expect(await paymentsOf(bookingId)).toEqual([]);
  });
});
