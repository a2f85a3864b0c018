/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { collect, dues, preview, stored } from './collecting.js';
import { book, days, entriesOf, eventsOf, pay, planned, planPath, POLICY, schedulesOf, THIRDS } from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('the worked examples as of 2026-03-01', () => {
  const balance60 = { ...POLICY, steps: [POLICY.steps[0], { ...POLICY.steps[1], offsetDays: -60 }] };
  const depositOf = (bp: number) => ({
    ...POLICY,
    steps: [{ ...POLICY.steps[0], percentBasisPoints: bp }, POLICY.steps[1]],
  });

  it.each([
    [100_001, 'EUR', '2026-06-01', POLICY, ['30000 on 2026-03-01', '70001 on 2026-05-02']],
    [100_001, 'EUR', '2026-04-10', POLICY, ['100001 on 2026-03-01']],
    [100_001, 'EUR', '2026-04-15', POLICY, ['30000 on 2026-03-01', '70001 on 2026-03-16']],
    [100_001, 'EUR', '2026-04-15', balance60, ['30000 on 2026-03-01', '70001 on 2026-03-04']],
    [10_001, 'JPY', '2026-06-01', POLICY, ['3000 on 2026-03-01', '7001 on 2026-05-02']],
    [1, 'EUR', '2026-06-01', POLICY, ['1 on 2026-05-02']],
    [100_001, 'EUR', '2026-06-01', depositOf(0), ['100001 on 2026-05-02']],
    [100_001, 'EUR', '2026-06-01', depositOf(10_000), ['100001 on 2026-03-01']],
    [100_001, 'EUR', '2026-03-01', POLICY, ['100001 on 2026-03-01']],
    [100_001, 'EUR', '2026-02-28', POLICY, ['100001 on 2026-03-01']],
  ])(
    'the collection plan of %i %s with departure %s is that of the worked example',
    async (...[price, currency, startDate, paymentPolicy, expected]) => {
      const bookingId = await book(owner, { prices: [price], currency, startDate, paymentPolicy });
      const plan = await preview(owner, bookingId, { asOf: '2026-03-01' });
      expect(dues(plan)).toEqual(expected);
      expect(plan.warnings).toEqual(startDate === '2026-02-28' ? ['departure_past'] : []);
      expect(plan).toMatchObject({ asOf: '2026-03-01', currency, totalCents: price, departureDate: startDate });
    },
  );
});

describe('a collection plan', () => {
  it('a collection plan of a booking without a plan is computed and stored, also without a body', async () => {
    const today = app.day();
    const startDate = days(today, 100);
    const bookingId = await book(owner, { startDate });
    const plan = await collect(owner, bookingId);
    const [deposit, balance] = await schedulesOf(owner, bookingId);
    const entries = [
      {
        scheduleId: deposit?.id,
        type: 'deposit',
        label: 'Deposit',
        dueDate: today,
        amountCents: 30_000,
        paidCents: 0,
        status: 'pending',
        basis: 'booking',
      },
      {
        scheduleId: balance?.id,
        type: 'balance',
        label: 'Balance',
        dueDate: days(today, 70),
        amountCents: 70_000,
        paidCents: 0,
        status: 'pending',
        basis: 'departure',
      },
    ];
    expect(plan).toEqual({
      bookingId,
      currency: 'EUR',
      method: 'card',
      stage: 'initial',
      totalCents: 100_000,
      paidCents: 0,
      waivedCents: 0,
      outstandingCents: 100_000,
      unappliedCents: 0,
      policy: {
        steps: [
          { ...POLICY.steps[0], fixedCents: null, remainder: false },
          { ...POLICY.steps[1], percentBasisPoints: null, fixedCents: null },
        ],
        minimumDays: 45,
        floorDays: 3,
        noDateDays: null,
        roundToCents: null,
      },
      policySource: 'booking',
      departureDate: startDate,
      asOf: today,
      quote: true,
      materialized: true,
      planVersion: 1,
      entries,
      nextDue: entries[0],
      amountCents: 30_000,
      recommendedAction: 'request_payment',
      warnings: [],
    });
  });

  it.each(['', '{}'])('a collection plan accepts the body %j', async (raw) => {
    const bookingId = await book(owner);
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await owner.post(planPath(bookingId), undefined, { raw, headers });
    expect(status).toBe(200);
    expect(await stored(app, bookingId)).toBe(1);
  });

  it('storing a collection plan writes a ledger entry and publishes an event in the same transaction', async () => {
    const [bookingId] = await planned(owner);
    const [row] = await app.sql<{ id: string }>('select id from payment_plans where booking_id = $1', [bookingId]);
    const entries = await entriesOf(owner, 'payment_plan', row?.id ?? '');
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      action: 'finance.payment_plan.materialize',
      before: null,
      after: { bookingId, planVersion: 1, source: 'booking', totalCents: 100_000, entries: [{}, {}, {}] },
    });
    expect(await eventsOf(app, bookingId, 'payment_plan.materialized')).toEqual(['payment_plan.materialized']);
  });

  it('a collection plan is never stored twice: repeated requests add and change nothing', async () => {
    const [bookingId, ...before] = await planned(owner);
    const again = await collect(owner, bookingId);
    expect(again).toMatchObject({ materialized: false, planVersion: 1 });
    expect(again.entries.map(({ scheduleId }) => scheduleId)).toEqual(before.map(({ id }) => id));
    expect(await schedulesOf(owner, bookingId)).toEqual(before);
  });

  it.each([
    ['after a deposit', 1],
    ['on a fully paid booking', 3],
  ])('a repeated collection plan adds nothing %s', async (_, paid) => {
    const [bookingId, ...schedules] = await planned(owner);
    for (const { id, amountCents } of schedules.slice(0, paid)) await pay(app, id, amountCents);
    const plan = await collect(owner, bookingId, { policy: POLICY });
    expect(plan.entries).toHaveLength(3);
    expect(plan).toMatchObject({ materialized: false, policySource: 'booking', warnings: ['policy_ignored'] });
    expect(await schedulesOf(owner, bookingId)).toHaveLength(3);
    if (paid === 3)
      expect(plan).toMatchObject({ outstandingCents: 0, amountCents: 0, recommendedAction: 'none', nextDue: null });
  });

  it('20 concurrent requests store one collection plan, and every answered scheduleId exists', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bookingId = await book(owner, { paymentPolicy: THIRDS });
      const plans = await Promise.all(Array.from({ length: 20 }, () => collect(owner, bookingId)));
      expect(plans.filter(({ materialized }) => materialized)).toHaveLength(1);
      const ids = (await schedulesOf(owner, bookingId)).map(({ id }) => id);
      expect(ids).toHaveLength(3);
      for (const { entries } of plans) expect(entries.map(({ scheduleId }) => scheduleId)).toEqual(ids);
    }
  });

  it('a preview of a collection plan is not stored, also not by 10 concurrent requests', async () => {
    const bookingId = await book(owner, { paymentPolicy: THIRDS });
    const plans = await Promise.all(Array.from({ length: 10 }, () => preview(owner, bookingId)));
    for (const plan of plans) {
      expect(plan).toMatchObject({ materialized: false, planVersion: null, outstandingCents: 100_000 });
      expect(plan.entries.map(({ scheduleId }) => scheduleId)).toEqual([null, null, null]);
    }
    expect(await stored(app, bookingId)).toBe(0);
    expect(await schedulesOf(owner, bookingId)).toEqual([]);
  });

  it('a preview of a collection plan can be of another day, which determines what is due', async () => {
    const [bookingId] = await planned(owner);
    const later = await preview(owner, bookingId, { asOf: app.day(11) });
    expect(later.entries.map(({ status }) => status)).toEqual(['overdue', 'overdue', 'pending']);
    expect(later).toMatchObject({ amountCents: 60_000, planVersion: 1 });
    expect((await collect(owner, bookingId)).entries.map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'pending',
    ]);
  });

  it('a collection plan of a total of 0 has no entries and is not stored', async () => {
    const bookingId = await book(owner, { prices: [0] });
    expect(await collect(owner, bookingId)).toMatchObject({
      totalCents: 0,
      entries: [],
      materialized: false,
      planVersion: null,
      nextDue: null,
      amountCents: 0,
      recommendedAction: 'none',
    });
    expect(await stored(app, bookingId)).toBe(0);
  });

  it('two requests with the same Idempotency-Key store one collection plan', async () => {
    const bookingId = await book(owner);
    const key = { headers: { 'Idempotency-Key': `plan-of-${bookingId}` } };
    const [first, again] = [
      await owner.post(planPath(bookingId), undefined, key),
      await owner.post(planPath(bookingId), undefined, key),
    ];
    expect(first.body).toMatchObject({ data: { materialized: true } });
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});
