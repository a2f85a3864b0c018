/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { bookingWith, installmentsOf, received } from './bookings.js';
import {
  type Allocation,
  entriesOf,
  type Envelope,
  eventsOf,
  type Payment,
  PAYMENTS,
  read,
  recorded,
  reverse,
} from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const THREE = [
  ['2026-05-02', 50_000],
  ['2026-01-10', 20_000],
  ['2026-05-01', 30_000],
] as const;

const parts = ({ allocations }: Payment, schedules: string[]) =>
  allocations.map(({ scheduleId, amountCents }: Allocation) => [schedules.indexOf(scheduleId ?? ''), amountCents]);

describe('a payment for a booking', () => {
  it('a payment settles open installments by due date, then position, and the rest stays unapplied', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const first = await recorded(owner, received(id, 40_000));
    expect(first).toMatchObject({ direction: 'in', bookingId: id, supplierInvoiceId: null, unappliedCents: 0 });
    expect(parts(first, schedules)).toEqual([
      [1, 20_000],
      [2, 20_000],
    ]);
    expect(await installmentsOf(app, id)).toEqual([
      { status: 'pending', paid: 0 },
      { status: 'paid', paid: 20_000 },
      { status: 'pending', paid: 20_000 },
    ]);

    const second = await recorded(owner, received(id, 65_000));
    expect([first.warnings, second.warnings, second.unappliedCents]).toEqual([[], ['exceeds_outstanding'], 5000]);
    expect(parts(second, schedules)).toEqual([
      [2, 10_000],
      [0, 50_000],
    ]);
    expect((await installmentsOf(app, id)).every(({ status }) => status === 'paid')).toBe(true);
  });

  it('a payment publishes an event for itself and one for each installment that became paid', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const { id: paymentId } = await recorded(owner, received(id, 55_000));
    const events = await eventsOf(app, `bookings.${id}`, { of: ['bookingId', id], count: 3 });
    expect(events.map(({ event }) => event).sort()).toEqual([
      'payment.recorded',
      'payment_schedule.paid',
      'payment_schedule.paid',
    ]);
    const paid = events.filter(({ event }) => event === 'payment_schedule.paid').map(({ data }) => data['scheduleId']);
    expect(paid.sort()).toEqual([schedules[1], schedules[2]].sort());
    const [event] = await eventsOf(app, 'finance.payments', { of: ['paymentId', paymentId], count: 1 });
    expect(event).toMatchObject({ event: 'payment.recorded', data: { direction: 'in', bookingId: id } });
    expect(await entriesOf(app, paymentId)).toMatchObject([{ action: 'finance.payment.record', before: null }]);
  });

  it('a payment for a booking without a plan, or with nothing open, is accepted and stays unapplied', async () => {
    const { id } = await bookingWith(app);
    expect(await recorded(owner, received(id, 700))).toMatchObject({ unappliedCents: 700, allocations: [] });
  });

  it('a payment settles the requested installments with the exact amounts', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const allocations = [
      { scheduleId: schedules[0], amountCents: 1000 },
      { scheduleId: schedules[2], amountCents: 2000 },
    ];
    const payment = await recorded(owner, received(id, 10_000, { allocations }));
    expect(payment.unappliedCents).toBe(7000);
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([1000, 0, 2000]);
  });

  it('a payment with an empty list of allocations stays unapplied as a whole', async () => {
    const { id } = await bookingWith(app, { installments: THREE });
    expect(await recorded(owner, received(id, 500, { allocations: [] }))).toMatchObject({
      unappliedCents: 500,
      warnings: [],
    });
  });

  it('an allocation above the payment or above the outstanding amount is rejected with 422 over_allocated', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const pay = (...targets: [number, number][]) =>
      owner.post(
        PAYMENTS,
        received(id, 40_000, {
          allocations: targets.map(([n, amountCents]) => ({ scheduleId: schedules[n], amountCents })),
        }),
      );
    for (const [answer, available, outstanding] of [
      [await pay([1, 20_001]), 40_000, 20_000],
      [await pay([0, 40_001]), 40_000, 50_000],
      [await pay([0, 30_000], [2, 10_001]), 10_000, 30_000],
      [await pay([1, 15_000], [1, 5001]), 25_000, 5000],
    ] as const) {
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(problem('over_allocated', { field: 'allocations', available, outstanding }));
    }
    expect(await app.sql('select from payments where booking_id = $1', [id])).toEqual([]);
  });

  it('an allocation to an unknown installment, or one of another booking, is 404 with the field', async () => {
    const { id } = await bookingWith(app, { installments: THREE });
    const other = await bookingWith(app, { installments: THREE });
    for (const scheduleId of [other.schedules[0], 'psch_01k0dem000e000000000009999', 'x']) {
      const answer = await owner.post(PAYMENTS, received(id, 5, { allocations: [{ scheduleId, amountCents: 5 }] }));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found', { field: 'allocations.0.scheduleId' }));
    }
  });

  it('an allocation to a cancelled installment is rejected with 409 schedule_cancelled', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const [scheduleId = ''] = schedules;
    await app.sql(`update payment_schedules set status = 'cancelled', waived = true where id = $1`, [scheduleId]);
    const answer = await owner.post(PAYMENTS, received(id, 5, { allocations: [{ scheduleId, amountCents: 5 }] }));
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(problem('schedule_cancelled', { scheduleId }));
  });

  it('an allocation without a target is rejected with 400', async () => {
    const { id } = await bookingWith(app, { installments: THREE });
    const answer = await owner.post(PAYMENTS, received(id, 5, { allocations: [{ amountCents: 5 }] }));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(invalid('allocations.0.scheduleId', 'required'));
  });

  it('a payment in another currency than its booking is rejected with 422 currency_mismatch', async () => {
    const { id } = await bookingWith(app, { currency: 'JPY', installments: [['2026-02-01', 10_001]] });
    const answer = await owner.post(PAYMENTS, received(id, 5));
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(problem('currency_mismatch', { field: 'currency', expected: 'JPY', actual: 'EUR' }));
  });

  it('a payment for an unknown booking is 404 with the field', async () => {
    for (const id of ['book_01k0dem000e000000000009999', 'nothing']) {
      const answer = await owner.post(PAYMENTS, received(id, 5));
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found', { field: 'bookingId' }));
    }
  });
});

describe('a payment that is reversed', () => {
  it('a reversed payment opens the installments that it settled, and keeps the allocations of other payments', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const [first, second] = [await recorded(owner, received(id, 30_000)), await recorded(owner, received(id, 20_000))];
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([0, 20_000, 30_000]);
    expect((await reverse(owner, first.id)).body.data).toMatchObject({ status: 'reversed', allocations: [] });
    expect(await installmentsOf(app, id)).toEqual([
      { status: 'pending', paid: 0 },
      { status: 'pending', paid: 0 },
      { status: 'pending', paid: 20_000 },
    ]);
    expect(parts(await read(owner, second.id), schedules)).toEqual([[2, 20_000]]);
  });
});

describe('unapplied money', () => {
  it('unapplied money can be allocated explicitly or automatically, and deallocated again', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const payment = await recorded(owner, received(id, 25_000, { allocations: [] }));
    const path = `${PAYMENTS}/${payment.id}/allocations`;
    const allocated = await owner.post<Envelope>(path, {
      allocations: [{ scheduleId: schedules[0], amountCents: 1000 }],
    });
    expect(allocated.body.data).toMatchObject({ unappliedCents: 24_000, version: 2 });
    const rest = await owner.post<Envelope>(path);
    expect(rest.body.data.unappliedCents).toBe(0);
    expect(parts(rest.body.data, schedules)).toEqual([
      [0, 1000],
      [1, 20_000],
      [2, 4000],
    ]);
    const [, second] = rest.body.data.allocations;
    const back = await owner.delete<Envelope>(`${path}/${second?.id}`);
    expect(back.body.data).toMatchObject({ unappliedCents: 20_000, version: 4 });
    expect((await installmentsOf(app, id)).map(({ paid }) => paid)).toEqual([1000, 0, 4000]);
  });

  it('an allocation above the unapplied amount is rejected with 422 over_allocated', async () => {
    const { id, schedules } = await bookingWith(app, { installments: THREE });
    const { id: paymentId } = await recorded(owner, received(id, 100, { allocations: [] }));
    const path = `${PAYMENTS}/${paymentId}/allocations`;
    const answer = await owner.post(path, { allocations: [{ scheduleId: schedules[0], amountCents: 101 }] });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(
      problem('over_allocated', { field: 'allocations', available: 100, outstanding: 50_000 }),
    );
    const none = await owner.post(path, { allocations: [] });
    expect(none.status).toBe(400);
  });
});
