import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import {
  book,
  cancelBooking,
  change,
  confirm,
  outline,
  planned,
  planPath,
  priceItem,
  schedulesOf,
} from '../payment-plans/plans.js';
import { received } from './bookings.js';
import { entriesOf, retryWhileBusy, type Payment, PAYMENTS, read, recorded, reverse } from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function paymentsOf(bookingId: string): Promise<Payment[]> {
  return (await owner.get<{ data: Payment[] }>(`${PAYMENTS}?bookingId=${bookingId}&sort=createdAt`)).body.data;
}

const paid = async (bookingId: string) => (await schedulesOf(owner, bookingId)).map(({ paidCents }) => paidCents);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The broken rules of the integrity report. This file has a separate application, because other files break some. */
async function brokenRules(): Promise<unknown[]> {
  const { body } = await owner.get<{ data: { checks: { violations: number }[] } }>('/v1/admin/finance/integrity');
  return body.data.checks.filter(({ violations }) => violations > 0);
}

async function firstItemOf(bookingId: string): Promise<string> {
  const { body } = await owner.get<{ data: { id: string }[] }>(`/v1/admin/bookings/${bookingId}/items`);
  return body.data[0]?.id ?? '';
}

describe('an installment that is set to paid manually', () => {
  it('an installment that is set to paid manually has a payment of the outstanding amount, dated today', async () => {
    const [bookingId, first] = await planned(owner);
    await recorded(owner, received(bookingId, 1000));
    const { status, body } = await change(owner, first, { status: 'paid' });
    expect([status, body.data.status, body.data.outstandingCents]).toEqual([200, 'paid', 0]);
    const [, manual] = await paymentsOf(bookingId);
    expect(manual).toMatchObject({ source: 'schedule_patch', method: 'other', amountCents: first.amountCents - 1000 });
    const [entry] = await entriesOf(app, manual?.id ?? '');
    expect(entry).toMatchObject({ action: 'finance.payment.record', before: null });
    const back = await reverse(owner, manual?.id ?? '');
    expect(back.status).toBe(200);
    expect((await paid(bookingId))[0]).toBe(1000);
  });

  it('two concurrent requests to set an installment to paid record one payment and both answer 200', async () => {
    const [bookingId, first] = await planned(owner);
    const answers = await Promise.all([1, 2, 3].map(() => change(owner, first, { status: 'paid' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await paymentsOf(bookingId)).toHaveLength(1);
  });
});

describe('money that was received before the plan', () => {
  it('money that was received before the plan settles it once it is created, oldest due first, under concurrent requests', async () => {
    const bookingId = await book(owner);
    const early = [
      await recorded(owner, received(bookingId, 20_000, { paidOn: '2026-01-16' })),
      await recorded(owner, received(bookingId, 30_000, { paidOn: '2026-01-15' })),
      await recorded(owner, received(bookingId, 70_000, { paidOn: '2026-01-17' })),
    ];
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.post(planPath(bookingId))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(sum(await paid(bookingId))).toBe(100_000);
    const unapplied = await Promise.all(early.map(async ({ id }) => (await read(owner, id)).unappliedCents));
    expect(unapplied).toEqual([0, 0, 20_000]);
    const actions = (await entriesOf(app, early[0]?.id ?? '')).map(({ action }) => action);
    expect(actions).toEqual(['finance.payment.record', 'finance.payment.allocate']);
  });

  it.each(['plan', 'confirmation'])(
    'money that paid an invoice settles the installments that a %s creates',
    async (by) => {
      const bookingId = await book(owner);
      const invoices = '/v1/admin/finance/invoices';
      const { id: invoiceId } = (await owner.post<{ data: { id: string } }>(invoices, { bookingId })).body.data;
      expect((await owner.post(`${invoices}/${invoiceId}/issuance`, {})).status).toBe(200);
      const allocations = [{ invoiceId, amountCents: 100_000 }];
      const early = await recorded(owner, received(bookingId, 100_000, { allocations }));
      expect(early.allocations).toMatchObject([{ scheduleId: null, invoiceId, amountCents: 100_000 }]);

      if (by === 'plan') expect((await owner.post(planPath(bookingId))).status).toBe(200);
      else await confirm(owner, bookingId);
      const schedules = await schedulesOf(owner, bookingId);
      expect(schedules.map(({ status }) => status)).toEqual(schedules.map(() => 'paid'));
      const now = await read(owner, early.id);
      expect(now.unappliedCents).toBe(0);
      expect(now.allocations.every((one) => one.scheduleId !== null && one.invoiceId === invoiceId)).toBe(true);
      expect(sum(now.allocations.map(({ amountCents }) => amountCents))).toBe(100_000);
      const { data } = (await owner.get<{ data: object }>(`${invoices}/${invoiceId}`)).body;
      expect(data).toMatchObject({ status: 'paid', paidCents: 100_000 });

      const second = await recorded(owner, received(bookingId, 100_000));
      expect(second.unappliedCents).toBe(100_000);
      expect(await brokenRules()).toEqual([]);
    },
  );

  it('money that was received before the plan settles the plan that a confirmation creates', async () => {
    const bookingId = await book(owner, { paymentPolicy: null });
    await recorded(owner, received(bookingId, 100_000));
    await confirm(owner, bookingId);
    expect((await schedulesOf(owner, bookingId)).every(({ status }) => status === 'paid')).toBe(true);
  });
});

describe('a paid booking that becomes cheaper', () => {
  it('a lower total releases the money of reduced installments, the latest first, and it is unapplied then', async () => {
    const [bookingId] = await planned(owner);
    const first = await recorded(owner, received(bookingId, 45_000));
    const second = await recorded(owner, received(bookingId, 55_000));
    expect(await paid(bookingId)).toEqual([30_000, 30_000, 40_000]);
    expect((await priceItem(owner, [bookingId, await firstItemOf(bookingId)], 50_000)).status).toBe(200);

    expect(sum(await paid(bookingId))).toBe(50_000);
    const views = [await read(owner, first.id), await read(owner, second.id)];
    expect(views.map(({ unappliedCents }) => unappliedCents)).toEqual([0, 50_000]);
    for (const { amountCents, unappliedCents, allocations } of views) {
      expect(sum(allocations.map((one) => one.amountCents))).toBe(amountCents - unappliedCents);
    }
    expect((await entriesOf(app, second.id)).map(({ action }) => action)).toEqual([
      'finance.payment.record',
      'finance.payment.deallocate',
    ]);
    expect(await brokenRules()).toEqual([]);
  });
});

describe('a cancelled booking', () => {
  it('a cancelled booking keeps its money, and the reversal of a payment leaves nothing open', async () => {
    const [bookingId] = await planned(owner);
    const [one, other] = [
      await recorded(owner, received(bookingId, 31_000)),
      await recorded(owner, received(bookingId, 2000)),
    ];
    await cancelBooking(owner, bookingId);
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '3000 paid', '40000 cancelled']);
    expect((await reverse(owner, one.id)).status).toBe(200);
    expect(await outline(owner, bookingId)).toEqual(['30000 cancelled', '2000 paid', '40000 cancelled']);
    expect((await reverse(owner, other.id)).status).toBe(200);
    expect(await outline(owner, bookingId)).toEqual(['30000 cancelled', '2000 cancelled', '40000 cancelled']);
  });

  it('a cancelled booking still accepts money, which stays unapplied', async () => {
    const [bookingId] = await planned(owner);
    await cancelBooking(owner, bookingId);
    expect(await recorded(owner, received(bookingId, 900))).toMatchObject({ unappliedCents: 900, allocations: [] });
  });
});

describe('concurrent payments, plan edits and price changes', () => {
  it('concurrent payments, plan edits and price changes end without a deadlock and conserve the money and the plan total', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    const item = await firstItemOf(bookingId);
    const invoice = await owner.post<{ data: { id: string } }>('/v1/admin/finance/invoices', { bookingId });
    await owner.post(`/v1/admin/finance/invoices/${invoice.body.data.id}/issuance`, {});
    const early = await recorded(owner, received(bookingId, 10_000));
    const calls: (() => Promise<{ status: number; text: string }>)[] = [
      () => reverse(owner, early.id),
      () => change(owner, first, { status: 'paid' }),
      () => change(owner, second, { amountCents: 20_000 }),
      () => change(owner, third, { status: 'cancelled' }),
      () => priceItem(owner, [bookingId, item], 120_000),
      () => priceItem(owner, [bookingId, item], 105_000),
      ...[700, 15_000, 40_000, 90_000].map((cents) => () => owner.post(PAYMENTS, received(bookingId, cents))),
      () => owner.post(`/v1/admin/finance/invoices/${invoice.body.data.id}/voiding`, { reason: 'Wrong payer' }),
    ];
    const answers = await Promise.all(calls.map((call) => retryWhileBusy(call)));
    expect(answers.filter(({ status }) => ![200, 201, 409, 422].includes(status))).toEqual([]);
    expect(await brokenRules()).toEqual([]);
  });
});
