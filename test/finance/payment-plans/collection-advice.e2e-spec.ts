import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { collect, dues, preview, stored } from './collecting.js';
import { book, cancelBooking, change, pay, planned, planPath, POLICY, type Schedule, THIRDS } from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('the policy of a collection plan', () => {
  it('the policy of a collection plan is that of the request, else of the booking, else of the organization, else none', async () => {
    const [kept] = await app.sql('delete from payment_policies returning *');
    const bare = await book(owner, { paymentPolicy: null });
    const none = await preview(owner, bare);
    expect(none).toMatchObject({ policy: null, policySource: 'none' });
    expect(dues(none)).toEqual([`100000 on ${app.day()}`]);
    expect(none.entries[0]).toMatchObject({ label: 'Full payment', type: 'balance', basis: 'full' });

    expect((await owner.put('/v1/admin/finance/payment-policy', THIRDS)).status).toBe(200);
    expect(await preview(owner, bare)).toMatchObject({ policySource: 'organization', policy: { minimumDays: 0 } });
    const own = await book(owner, { paymentPolicy: POLICY });
    expect(await preview(owner, own)).toMatchObject({ policySource: 'booking', policy: { minimumDays: 45 } });
    const all = { label: 'All', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 7 };
    const requestedPolicy = { steps: [all], noDateDays: 0 };
    const requested = await collect(owner, own, { policy: requestedPolicy });
    expect(requested).toMatchObject({ policySource: 'request', materialized: true });
    expect(dues(requested)).toEqual([`100000 on ${app.day(7)}`]);
    if (kept) await app.sql('update payment_policies set steps = $1', [JSON.stringify(kept['steps'])]);
  });

  it('the policy is stored with the plan: a later change of the policy changes no plan', async () => {
    const [bookingId] = await planned(owner);
    await owner.patch(`/v1/admin/bookings/${bookingId}`, { paymentPolicy: POLICY });
    expect(await collect(owner, bookingId)).toMatchObject({ policySource: 'booking', policy: { steps: [{}, {}, {}] } });
  });

  it.each([
    [
      'percentages beyond the whole',
      [{ ...THIRDS.steps[0], percentBasisPoints: 8000 }, ...THIRDS.steps.slice(1)],
      [11_000, 1],
    ],
    ['no remainder', THIRDS.steps.slice(0, 2), [6000, 0]],
    ['two remainders', [THIRDS.steps[2], THIRDS.steps[2]], [0, 2]],
  ])(
    'a collection plan by a policy with %s is 422 invalid_payment_policy, and nothing is stored',
    async (_, steps, [percentBasisPoints, remainders]) => {
      const bookingId = await book(owner);
      const { status, body } = await owner.post(planPath(bookingId), { policy: { steps } });
      expect(status).toBe(422);
      expect(body).toEqual(
        problem('invalid_payment_policy', { field: 'policy.steps', percentBasisPoints, remainders }),
      );
      expect(await stored(app, bookingId)).toBe(0);
    },
  );
});

describe('what to collect now', () => {
  let bookingId: string;
  let first: Schedule;
  let third: Schedule;

  beforeAll(async () => {
    const [id, ...schedules] = await planned(owner);
    bookingId = id;
    [first, , third] = schedules;
  });

  it('the amount to collect now is all that is due until today, else the next installment', async () => {
    expect(await collect(owner, bookingId)).toMatchObject({ amountCents: 30_000 });
    const [other, ...schedules] = await planned(owner);
    await pay(app, schedules[0]?.id ?? '', 30_000);
    await pay(app, schedules[1]?.id ?? '', 100);
    expect(await collect(owner, other)).toMatchObject({
      paidCents: 30_100,
      outstandingCents: 69_900,
      amountCents: 29_900,
      nextDue: { scheduleId: schedules[1]?.id },
    });
  });

  it('the amount to collect now is the outstanding amount of the requested installment', async () => {
    expect(await collect(owner, bookingId, { scheduleId: third.id })).toMatchObject({ amountCents: 40_000 });
  });

  it('the amount to collect now is the requested amount, up to all that is outstanding', async () => {
    expect(await collect(owner, bookingId, { amountCents: 1 })).toMatchObject({ amountCents: 1 });
    expect(await collect(owner, bookingId, { amountCents: 100_000, scheduleId: first.id })).toMatchObject({
      amountCents: 100_000,
    });
  });

  it('a requested amount above all that is outstanding is 422 amount_exceeds_outstanding, and nothing is stored', async () => {
    const other = await book(owner);
    const { status, body } = await owner.post(planPath(other), { amountCents: 100_001 });
    expect(status).toBe(422);
    expect(body).toEqual(
      problem('amount_exceeds_outstanding', { field: 'amountCents', amountCents: 100_001, outstandingCents: 100_000 }),
    );
    expect(await stored(app, other)).toBe(0);
  });

  it.each(['another booking', 'no booking', 'a malformed id'])(
    'a collection plan with an installment of %s is 404, and nothing is stored',
    async (kind) => {
      const scheduleId = {
        'another booking': first.id,
        'no booking': 'psch_01k0dem000e000000000009999',
        'a malformed id': 'x',
      }[kind];
      const other = await book(owner);
      const { status, body } = await owner.post(planPath(other), { scheduleId });
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found', { field: 'scheduleId' }));
      expect(await stored(app, other)).toBe(0);
    },
  );

  it('a collection by bank transfer needs an invoice first, one by card does not', async () => {
    expect(await collect(owner, bookingId, { method: 'bank_transfer', stage: 'reminder' })).toMatchObject({
      method: 'bank_transfer',
      stage: 'reminder',
      recommendedAction: 'issue_invoice',
    });
    expect(await collect(owner, bookingId, { method: 'card' })).toMatchObject({ recommendedAction: 'request_payment' });
  });

  it('the amount to collect now does not contain waived installments', async () => {
    const [other, ...schedules] = await planned(owner);
    for (const schedule of schedules) await change(owner, schedule, [{ status: 'cancelled' }, '?rebalance=none']);
    expect(await collect(owner, other)).toMatchObject({
      waivedCents: 100_000,
      outstandingCents: 0,
      amountCents: 0,
      recommendedAction: 'none',
    });
  });
});

describe('a rejected collection plan', () => {
  it('a collection plan of an unknown booking is 404', async () => {
    for (const id of ['book_01k0dem000e000000000009999', 'book_x', 'x']) {
      const { status, body } = await owner.post(planPath(id));
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found'));
    }
  });

  it.each([true, false])(
    'a collection plan of a cancelled booking is 409 booking_closed (materialize %s)',
    async (materialize) => {
      const bookingId = await book(owner);
      await cancelBooking(owner, bookingId);
      const { status, body } = await owner.post(planPath(bookingId), { materialize });
      expect(status).toBe(409);
      expect(body).toEqual(problem('booking_closed'));
    },
  );

  it('a collection plan of a booking without items is 409 booking_not_priced', async () => {
    const { status, body } = await owner.post(planPath(await book(owner, { prices: [] })));
    expect(status).toBe(409);
    expect(body).toEqual(problem('booking_not_priced'));
  });

  it('a stored collection plan for another day than today is rejected with 400', async () => {
    const bookingId = await book(owner);
    for (const body of [{ asOf: '2026-03-01' }, { asOf: '2026-03-01', materialize: true }]) {
      const answer = await owner.post(planPath(bookingId), body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(invalid('asOf', 'preview_only'));
    }
    expect(await stored(app, bookingId)).toBe(0);
  });

  it.each([
    [{ amountCents: 0 }, 'amountCents', 'too_small'],
    [{ policy: { steps: [{ ...THIRDS.steps[0], fixedCents: 5 }] } }, 'policy.steps.0', 'one_amount'],
  ])(
    'a collection plan with %j is rejected with 400 at %s with the code %s, and nothing is stored',
    async (body, path, code) => {
      const bookingId = await book(owner);
      const answer = await owner.post(planPath(bookingId), body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(invalid(path, code));
      expect(await stored(app, bookingId)).toBe(0);
    },
  );

  it('a collection plan needs finance:write, also if it is only a preview', async () => {
    const reader = await staffWith(app, 'finance:read', 'bookings:*');
    const { status, body } = await reader.post(planPath(await book(owner)), { materialize: false });
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
  });
});
