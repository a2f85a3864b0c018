/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { book, change, deviation, entriesOf, outline, pay, planned, planPath, schedulesOf } from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const mismatch = (expected: number, actual: number) =>
  problem('plan_total_mismatch', { field: 'amountCents', expected, actual, difference: actual - expected });

describe('a new amount of an installment', () => {
  it('a new amount is balanced by the last other open installment', async () => {
    const [bookingId, , second, third] = await planned(owner);
    expect((await change(owner, second, { amountCents: 50_000 })).body.data).toMatchObject({ amountCents: 50_000 });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '50000 pending', '20000 pending']);
    await change(owner, third, { amountCents: 15_000 });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '55000 pending', '15000 pending']);
    await change(owner, third, { amountCents: 15_001 });
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '54999 pending', '15001 pending']);
  });

  it('balancing cancels an installment that would reach 0, keeps its last amount, and continues with the preceding one', async () => {
    const [bookingId, first] = await planned(owner);
    await change(owner, first, { amountCents: 80_000 });
    expect(await outline(owner, bookingId)).toEqual(['80000 pending', '20000 pending', '40000 cancelled']);
    await change(owner, first, { amountCents: 100_000 });
    expect(await outline(owner, bookingId)).toEqual(['100000 pending', '20000 cancelled', '40000 cancelled']);
  });

  it('balancing never goes below the paid amount: an installment that is reduced to it is paid', async () => {
    const [bookingId, first, , third] = await planned(owner);
    await pay(app, third.id, 10_000);
    await change(owner, first, { amountCents: 60_000 });
    expect(await outline(owner, bookingId)).toEqual(['60000 pending', '30000 pending', '10000 paid']);
    await change(owner, first, { amountCents: 60_001 });
    expect(await outline(owner, bookingId)).toEqual(['60001 pending', '29999 pending', '10000 paid']);
  });

  it('a new amount that no installment can balance is 422 plan_total_mismatch, and nothing changes', async () => {
    const [bookingId, first, , third] = await planned(owner);
    await pay(app, third.id, 10_000);
    const before = await schedulesOf(owner, bookingId);
    const { status, body } = await change(owner, first, { amountCents: 90_001 });
    expect(status).toBe(422);
    expect(body).toEqual(mismatch(100_000, 100_001));
    expect(await schedulesOf(owner, bookingId)).toEqual(before);
  });

  it('an amount above the safe range is rejected with its exact value', async () => {
    const [, first] = await planned(owner);
    const { status, body } = await change(owner, first, { amountCents: Number.MAX_SAFE_INTEGER });
    expect(status).toBe(422);
    expect(body).toEqual(mismatch(100_000, Number.MAX_SAFE_INTEGER));
  });

  it('a smaller amount without another open installment adds a balance with the same due date', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    for (const { id, amountCents } of [first, second]) await pay(app, id, amountCents);
    await change(owner, third, { amountCents: 15_000 });
    const schedules = await schedulesOf(owner, bookingId);
    expect(schedules).toHaveLength(4);
    expect(schedules[3]).toMatchObject({
      type: 'balance',
      label: 'Balance',
      amountCents: 25_000,
      dueDate: third.dueDate,
      status: 'pending',
      position: 4,
      basis: 'manual',
    });
  });

  it('an installment whose new amount equals its paid amount is paid', async () => {
    const [bookingId, first] = await planned(owner);
    await pay(app, first.id, 12_345);
    const { body } = await change(owner, first, { amountCents: 12_345 });
    expect(body.data).toMatchObject({ status: 'paid', outstandingCents: 0 });
    expect(await outline(owner, bookingId)).toEqual(['12345 paid', '30000 pending', '57655 pending']);
  });

  it('a new amount below the paid amount is 422 amount_below_paid', async () => {
    const [, first] = await planned(owner);
    await pay(app, first.id, 12_345);
    const { status, body } = await change(owner, first, { amountCents: 12_344 });
    expect(status).toBe(422);
    expect(body).toEqual(
      problem('amount_below_paid', { field: 'amountCents', amountCents: 12_344, paidCents: 12_345 }),
    );
  });

  it.each([29_999, 30_001])(
    'a new amount that is not to be balanced is 422 plan_total_mismatch (%i)',
    async (amountCents) => {
      const [bookingId, first] = await planned(owner);
      const { status, body } = await change(owner, first, [{ amountCents }, '?rebalance=none']);
      expect(status).toBe(422);
      expect(body).toEqual(mismatch(100_000, 70_000 + amountCents));
      expect((await change(owner, first, [{ amountCents: 30_000, label: 'x' }, '?rebalance=none'])).status).toBe(200);
      expect(await deviation(app, bookingId)).toBe(0);
    },
  );

  it('each installment that a new amount changes has a ledger entry', async () => {
    const [, first, , third] = await planned(owner);
    await change(owner, first, { amountCents: 35_000 });
    expect(await entriesOf(owner, 'payment_schedule', first.id)).toMatchObject([
      { action: 'finance.payment_schedule.update', before: { amountCents: 30_000 }, after: { amountCents: 35_000 } },
    ]);
    expect(await entriesOf(owner, 'payment_schedule', third.id)).toMatchObject([
      { action: 'finance.payment_schedule.rebalance', before: { amountCents: 40_000 }, after: { amountCents: 35_000 } },
    ]);
  });

  it('concurrent changes of amounts leave a plan that adds up', async () => {
    const [bookingId, ...schedules] = await planned(owner);
    const calls = Array.from({ length: 8 }, (_, round) =>
      schedules.map((schedule, index) => change(owner, schedule, { amountCents: 1_000 + 1_700 * (3 * round + index) })),
    );
    const statuses = new Set((await Promise.all(calls.flat())).map(({ status }) => status));
    for (const status of statuses) expect([200, 409, 422]).toContain(status);
    expect(statuses).toContain(200);
    expect(await deviation(app, bookingId)).toBe(0);
  });
});

describe('an imported plan that does not add up', () => {
  /** 1000 less than its booking, which can be committed only if the plan is marked as such. */
  async function imported(): Promise<Awaited<ReturnType<typeof planned>>> {
    const [bookingId, ...schedules] = await planned(owner);
    await app.sql(`do $$ begin
      create temporary table kept on commit drop as select * from payment_schedules where booking_id = '${bookingId}';
      delete from reminder_runs where booking_id = '${bookingId}';
      delete from payment_schedules where booking_id = '${bookingId}';
      update payment_plans set is_current = false where booking_id = '${bookingId}';
      insert into payment_plans select id || 'x', booking_id, 2, policy, source, total_cents, -1000, true, created_at
        from payment_plans where booking_id = '${bookingId}';
      update kept set plan_id = plan_id || 'x', plan_version = 2;
      update kept set amount_cents = 29000 where position = 1;
      insert into payment_schedules select * from kept;
    end $$`);
    return [bookingId, ...schedules];
  }

  it('an imported plan that does not add up may get closer to its booking without balancing, but never further away', async () => {
    const [bookingId, first] = await imported();
    expect(await deviation(app, bookingId)).toBe(-1000);
    const further = await change(owner, first, [{ amountCents: 28_999 }, '?rebalance=none']);
    expect(further.status).toBe(422);
    expect(further.body).toEqual(mismatch(100_000, 98_999));
    expect((await change(owner, first, [{ amountCents: 29_400 }, '?rebalance=none'])).status).toBe(200);
    expect(await deviation(app, bookingId)).toBe(-600);
    expect((await change(owner, first, [{ amountCents: 30_601 }, '?rebalance=none'])).status).toBe(422);
    expect((await change(owner, first, [{ amountCents: 30_000 }, '?rebalance=none'])).status).toBe(200);
    expect(await deviation(app, bookingId)).toBe(0);
    expect((await change(owner, first, [{ amountCents: 30_001 }, '?rebalance=none'])).status).toBe(422);
  });
});

describe('the plan of a booking in yen', () => {
  it('the plan of a booking in yen and of one unit is edited like any other', async () => {
    const bookingId = await book(owner, { prices: [1], currency: 'JPY' });
    await owner.post(planPath(bookingId));
    const [only] = await schedulesOf(owner, bookingId);
    expect(only).toMatchObject({ amountCents: 1, currency: 'JPY', label: 'Full payment' });
    const { status, body } = await change(owner, { bookingId, id: only?.id ?? '' }, { amountCents: 2 });
    expect(status).toBe(422);
    expect(body).toEqual(mismatch(1, 2));
  });
});
