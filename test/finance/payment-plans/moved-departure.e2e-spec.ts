import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingJobs } from '../../../src/modules/bookings/bookings/bookings.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { readBooking } from '../../bookings/bookings.js';
import { newDeparture, DEPARTURES } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { book, change, confirm, days, entriesOf, POLICY, schedulesOf } from './plans.js';

let app: TestApp;
let owner: TestClient;
let today: string;
beforeAll(async () => {
  // The tests run the job, to avoid waiting.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  today = app.day();
});

async function confirmed(): Promise<string> {
  const bookingId = await book(owner, { startDate: days(today, 100), paymentPolicy: POLICY });
  await confirm(owner, bookingId);
  return bookingId;
}
const move = async (bookingId: string, startDate: string) =>
  expect((await owner.patch(`/v1/admin/bookings/${bookingId}`, { startDate })).status).toBe(200);
const dates = async (bookingId: string) => (await schedulesOf(owner, bookingId)).map(({ dueDate }) => dueDate);

/** The events about moved plans of the booking, one for each of two channels. */
const redatings = async (bookingId: string) =>
  (
    await app.sql<{ data: object }>(
      `select data from outbox_events where event = 'payment_plan.redated' and data ->> 'bookingId' = $1 order by sequence`,
      [bookingId],
    )
  ).map(({ data }) => data);

describe('the plan of a booking whose departure is moved', () => {
  it('an installment that the policy dates from the departure follows it, with an entry and an event', async () => {
    const bookingId = await confirmed();
    expect(await dates(bookingId)).toEqual([today, days(today, 70)]);
    await move(bookingId, days(today, 60));
    expect(await dates(bookingId)).toEqual([today, days(today, 30)]);

    const [, balance] = await schedulesOf(owner, bookingId);
    expect((await entriesOf(owner, 'payment_schedule', balance?.id ?? '')).map(({ action }) => action)).toEqual([
      'finance.payment_schedule.redate',
    ]);
    expect(await redatings(bookingId)).toMatchObject([
      { bookingId, warnings: [] },
      { bookingId, warnings: [] },
    ]);
    // The departure is sooner than `minimumDays`, so the floor applies and the whole amount is not due at once.
    await move(bookingId, days(today, 10));
    expect(await dates(bookingId)).toEqual([today, days(today, 3)]);
    await move(bookingId, days(today, 100));
    expect(await dates(bookingId)).toEqual([today, days(today, 70)]);
  });

  it('a due date that staff set stays, also after the departure, until the change is reversed', async () => {
    const bookingId = await confirmed();
    const [, balance] = await schedulesOf(owner, bookingId);
    if (!balance) throw new Error('The plan has no balance');
    expect((await change(owner, balance, { dueDate: days(today, 80) })).status).toBe(200);
    await move(bookingId, days(today, 75));
    expect(await dates(bookingId)).toEqual([today, days(today, 80)]);
    expect((await redatings(bookingId)).at(-1)).toMatchObject({ bookingId, warnings: ['due_after_departure'] });
    expect((await readBooking(owner, bookingId))['warnings']).toEqual(['due_after_departure']);
    const warnings = (await schedulesOf(owner, bookingId)).map((one) => one.warnings);
    expect(warnings).toEqual([[], ['due_after_departure']]);
  });

  it('an amendment is due with the balance, but not after a departure that its own item moves to an earlier day', async () => {
    const bookingId = await confirmed();
    const item = { type: 'extra', title: 'Airport lounge', unitSellCents: 5_000 };
    const add = async (more: object) =>
      expect((await owner.post(`/v1/admin/bookings/${bookingId}/items`, { ...item, ...more })).status).toBe(201);
    await add({});
    expect(await dates(bookingId)).toEqual([today, days(today, 70), days(today, 70)]);
    await add({ serviceDate: days(today, 50) });
    expect(await dates(bookingId)).toEqual([today, days(today, 20), days(today, 50), days(today, 50)]);
    expect((await readBooking(owner, bookingId))['warnings']).toEqual([]);
  });

  it('an installment whose payment is charged back follows a departure that was moved while it was paid', async () => {
    const bookingId = await confirmed();
    const body = { direction: 'in', bookingId, amountCents: 100_000, currency: 'EUR', method: 'card', paidOn: today };
    const paid = await owner.post<{ data: { id: string } }>('/v1/admin/finance/payments', body);
    expect(paid.status).toBe(201);
    await move(bookingId, days(today, 40));
    expect(await dates(bookingId)).toEqual([today, days(today, 70)]);

    const reversal = `/v1/admin/finance/payments/${paid.body.data.id}/reversal`;
    expect((await owner.post(reversal, { reason: 'Disputed', kind: 'chargeback' })).status).toBe(200);
    expect(await dates(bookingId)).toEqual([today, days(today, 10)]);
    const [, balance] = await schedulesOf(owner, bookingId);
    const actions = (await entriesOf(owner, 'payment_schedule', balance?.id ?? '')).map(({ action }) => action);
    expect(actions).toEqual(['finance.payment_schedule.redate']);
    expect(await redatings(bookingId)).toMatchObject([
      { bookingId, warnings: [] },
      { bookingId, warnings: [] },
    ]);
  });

  it('the plan follows a departure of operations with the items of the booking', async () => {
    const { id: departureId, startDate } = await newDeparture(app);
    const bookingId = await book(owner, { prices: [], paymentPolicy: POLICY });
    const item = { type: 'unit', title: 'Seat', departureId, unitSellCents: 100_000 };
    expect((await owner.post(`/v1/admin/bookings/${bookingId}/items`, item)).status).toBe(201);
    await confirm(owner, bookingId);
    expect((await dates(bookingId)).at(-1)).toBe(days(startDate, -30));

    const times = { startsAt: '2130-03-02T06:00:00Z', endsAt: '2130-03-02T10:00:00Z' };
    expect((await owner.patch(`${DEPARTURES}/${departureId}`, times)).status).toBe(200);
    await asSystem(() => app.nest.get(BookingJobs).moveItems({ departureId }));
    expect((await dates(bookingId)).at(-1)).toBe(days('2130-03-02', -30));
  });

  it('the plan of a reinstated booking follows a departure that was moved while the booking was cancelled', async () => {
    const { id: departureId, startDate } = await newDeparture(app);
    const bookingId = await book(owner, { prices: [], paymentPolicy: POLICY });
    const item = { type: 'unit', title: 'Seat', departureId, unitSellCents: 100_000 };
    expect((await owner.post(`/v1/admin/bookings/${bookingId}/items`, item)).status).toBe(201);
    await confirm(owner, bookingId);
    const path = `/v1/admin/bookings/${bookingId}`;
    const cancel = async () => expect((await owner.post(`${path}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const reinstate = async () =>
      expect((await owner.post(`${path}/reinstatement`, { reason: 'By mistake' })).status).toBe(200);
    const before = await dates(bookingId);
    await cancel();
    await reinstate();
    expect(await dates(bookingId)).toEqual(before);
    expect(before.at(-1)).toBe(days(startDate, -30));
    expect(await redatings(bookingId)).toEqual([]);

    await cancel();
    const times = { startsAt: '2130-03-02T06:00:00Z', endsAt: '2130-03-02T10:00:00Z' };
    expect((await owner.patch(`${DEPARTURES}/${departureId}`, times)).status).toBe(200);
    await reinstate();
    expect((await dates(bookingId)).at(-1)).toBe(days('2130-03-02', -30));
    expect((await redatings(bookingId)).at(-1)).toMatchObject({ bookingId, warnings: [] });
  });
});
