/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bookingThrough, newAllotment, onlySlot, departureIn } from '../distribution/allotments/allotments.js';
import { earn, fixed, linesOf } from '../finance/commissions/commissions.js';
import { newDeparture, read as readDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  eventsOf,
  insisting,
  type Item,
  makeBooking,
  type One,
  problem,
  readBooking,
  readItem,
  staffWith,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const cancel = (id: string) => owner.post<One<Booking>>(`${BOOKINGS}/${id}/cancellation`, { reason: 'Fell ill' });
const reinstate = (id: string, body: object = { reason: 'By mistake' }) =>
  owner.post<One<Booking>>(`${BOOKINGS}/${id}/reinstatement`, body);
const cancelItem = ({ id, bookingId }: Item) => owner.post(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`);
const reinstateItem = ({ id, bookingId }: Item) =>
  owner.post<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}/reinstatement`, { reason: 'By mistake' });
const settlements = (id: string) =>
  app.sql<{ status: string; reinstated: boolean }>(
    `select status, reinstated_at is not null as reinstated from cancellation_settlements where booking_id = $1
     order by created_at`,
    [id],
  );

interface Installment {
  amountCents: number;
  paidCents: number;
  status: string;
  dueDate: string;
}

async function planOf(id: string): Promise<Installment[]> {
  const path = `/v1/admin/finance/bookings/${id}/payment-schedules?limit=200`;
  const { body } = await owner.get<{ data: Installment[] }>(path);
  return body.data.map(({ amountCents, paidCents, status, dueDate }) => ({ amountCents, paidCents, status, dueDate }));
}

async function pay(bookingId: string, amountCents: number): Promise<{ id: string }> {
  const paidOn = app.day();
  const body = { bookingId, method: 'card', currency: 'EUR', amountCents, paidOn };
  const answer = await owner.post<One<{ id: string }>>('/v1/admin/finance/payments', body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

/** A confirmed booking with two seats on a departure with six, and an extra. */
async function withSeats() {
  const departure = await newDeparture(app, { capacity: 6 });
  const { id } = await makeBooking(owner);
  const seats = await addItem(owner, id, { quantity: 2, departureId: departure.id });
  const extra = await addItem(owner, id, { title: 'Lunch', type: 'extra', unitSellCents: 1_000 });
  const { body } = await owner.post<One<Booking>>(`${BOOKINGS}/${id}/confirmation`);
  return { departure, id, seats, extra, confirmed: body.data };
}

describe('the reinstatement of a booking', () => {
  it('a reinstated booking has its status, total, items and units again', async () => {
    const { departure, id, seats, extra, confirmed } = await withSeats();
    await cancel(id);
    expect((await readDeparture(app, departure.id)).sold).toBe(0);
    const { status, body, headers } = await reinstate(id);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...confirmed, version: confirmed.version + 2, updatedAt: expect.any(String) });
    expect(headers['etag']).toBe(`"${confirmed.version + 2}"`);
    expect((await readDeparture(app, departure.id)).sold).toBe(2);
    for (const item of [seats, extra]) {
      expect(await readItem(owner, item)).toEqual({
        ...item,
        version: item.version + 2,
        updatedAt: expect.any(String),
      });
    }
  });

  it('a reinstatement has a ledger entry and the event booking.reinstated', async () => {
    const { id } = (await confirmedBooking(owner)).booking;
    await cancel(id);
    await reinstate(id);
    const [entry] = (await entriesAbout(owner, id)).filter(({ action }) => action === 'bookings.booking.reinstate');
    expect(entry).toMatchObject({
      reason: 'By mistake',
      before: { status: 'cancelled', totalCents: 0 },
      after: { status: 'confirmed', totalCents: 10_000 },
    });
    const published = await eventsOf(app, id, 5);
    expect(published.at(-1)).toMatchObject({ event: 'booking.reinstated', data: { status: 'confirmed' } });
  });

  it('items that were cancelled before the booking stay cancelled when it is reinstated', async () => {
    const { id, extra } = await withSeats();
    await cancelItem(extra);
    await cancel(id);
    expect((await reinstate(id)).body.data.totalCents).toBe(20_000);
    expect((await readItem(owner, extra)).status).toBe('cancelled');
  });

  it('a draft that was cancelled is a draft again when it is reinstated', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id);
    await cancel(id);
    expect((await reinstate(id)).body.data).toMatchObject({ status: 'draft', totalCents: 10_000, confirmedAt: null });
    const { id: empty } = await makeBooking(owner);
    await cancel(empty);
    expect((await reinstate(empty)).body.data).toMatchObject({ status: 'draft', totalCents: null });
  });

  it.each([0, 3_000, 10_000, 12_000])('a reinstatement restores the payment plan with %s paid', async (paid) => {
    const { id } = (await confirmedBooking(owner, { booking: { startDate: '2127-01-01' } })).booking;
    if (paid > 0) await pay(id, paid);
    const before = await planOf(id);
    expect(before.length).toBeGreaterThan(0);
    await cancel(id);
    expect((await planOf(id)).every(({ status }) => status !== 'pending')).toBe(true);
    expect((await reinstate(id)).status).toBe(200);
    expect(await planOf(id)).toEqual(before);
  });

  it('the restored plan takes money that came after the cancellation, and what was paid back is due again', async () => {
    const { id } = (await confirmedBooking(owner)).booking;
    const first = await pay(id, 4_000);
    await cancel(id);
    await pay(id, 5_000);
    const reversal = await owner.post(`/v1/admin/finance/payments/${first.id}/reversal`, { reason: 'Bounced' });
    expect(reversal.status).toBe(200);
    await reinstate(id);
    expect(await planOf(id)).toMatchObject([
      { amountCents: 3_000, paidCents: 3_000, status: 'paid' },
      { amountCents: 7_000, paidCents: 2_000, status: 'pending' },
    ]);
  });

  it('a reinstatement restores the commissions that the cancellation voided, not those that staff voided', async () => {
    const { booking, item } = await confirmedBooking(owner);
    const kept = await earn(owner, item.id, fixed(500));
    const voided = await earn(owner, item.id, fixed(300));
    const path = `/v1/admin/finance/booking-items/${item.id}/commissions`;
    await owner.post(`${path}/${voided.id}/voiding`, { reason: 'Wrong' });
    await cancel(booking.id);
    expect((await linesOf(owner, item.id)).map(({ status }) => status)).toEqual(['void', 'void']);
    await reinstate(booking.id);
    const lines = await linesOf(owner, item.id);
    expect(lines.find(({ id }) => id === kept.id)?.status).toBe('accrued');
    expect(lines.find(({ id }) => id === voided.id)?.status).toBe('void');
  });

  it('a reinstatement voids the lines that adjust paid commissions, and a second cancellation adjusts these again', async () => {
    const { booking, item } = await confirmedBooking(owner);
    const line = await earn(owner, item.id, fixed(500));
    await pay(booking.id, 10_000);
    const path = `/v1/admin/finance/booking-items/${item.id}/commissions/${line.id}/payout`;
    const payout = await owner.post(path, { paidOn: '2026-01-01' });
    expect([payout.status, payout.text]).toEqual([200, payout.text]);
    const reversals = async () =>
      (await linesOf(owner, item.id)).filter(({ adjustsId }) => adjustsId === line.id).map(({ status }) => status);
    await cancel(booking.id);
    expect(await reversals()).toEqual(['payable']);
    await reinstate(booking.id);
    expect(await reversals()).toEqual(['void']);
    await cancel(booking.id);
    expect((await reversals()).sort()).toEqual(['payable', 'void']);
  });

  it('a reinstated item takes its units through its allotment again', async () => {
    const departure = await departureIn(app, 30);
    const allotment = await newAllotment(app, { productId: departure.productId, defaultQuantity: 4 });
    const { id } = await bookingThrough(app, allotment.id);
    await addItem(owner, id, { departureId: departure.id, allotmentId: allotment.id, quantity: 3 });
    await owner.post(`${BOOKINGS}/${id}/confirmation`);
    await cancel(id);
    expect(await onlySlot(app, allotment.id)).toMatchObject({ sold: 0, remaining: 4 });
    expect((await reinstate(id)).status).toBe(200);
    expect(await onlySlot(app, allotment.id)).toMatchObject({ sold: 3, remaining: 1 });
  });

  it('a reinstatement is 409 capacity_exceeded if the units were sold meanwhile, and nothing changes', async () => {
    const { departure, id, seats } = await withSeats();
    await cancel(id);
    await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 5 } });
    const { status, body } = await reinstate(id);
    expect([status, body]).toEqual([409, problem('capacity_exceeded', { available: 1 })]);
    expect((await readBooking(owner, id)).status).toBe('cancelled');
    expect((await readItem(owner, seats)).status).toBe('cancelled');
    expect(await settlements(id)).toEqual([{ status: 'open', reinstated: false }]);
  });

  it('a reinstatement after the departure is 409 departure_departed', async () => {
    const { id } = (await confirmedBooking(owner, { item: { serviceDate: '2026-01-10' } })).booking;
    await cancel(id);
    const { status, body } = await reinstate(id);
    expect([status, body]).toEqual([409, problem('departure_departed', { departureDate: '2026-01-10' })]);
    expect((await readBooking(owner, id)).status).toBe('cancelled');
  });

  it('a reinstatement is 409 settlement_done once the cancellation is settled', async () => {
    const { id } = (await confirmedBooking(owner)).booking;
    await cancel(id);
    await app.sql(
      `update cancellation_settlements set status = 'settled', settled_on = '2026-11-01', settled_at = now(), rest_cents = 0,
         agreed_fee_cents = 0, fee_reason = 'Test' where booking_id = $1`,
      [id],
    );
    const { status, body } = await reinstate(id);
    expect([status, body]).toEqual([409, problem('settlement_done', { settledOn: '2026-11-01' })]);
    const change = `update cancellation_settlements set agreed_fee_cents = 1 where booking_id = $1`;
    await expect(app.sql(change, [id])).rejects.toMatchObject({ constraint: 'cancellation_settlements_final' });
  });

  it.each(['draft', 'confirmed', 'in_progress', 'completed'])(
    'the reinstatement of a booking that is %s is 409 invalid_transition',
    async (from) => {
      const { id } = from === 'draft' ? await makeBooking(owner) : (await confirmedBooking(owner)).booking;
      if (from !== 'draft') await app.sql('update bookings set status = $2 where id = $1', [id, from]);
      const { status, body } = await reinstate(id);
      expect([status, body]).toMatchObject([409, { code: 'invalid_transition', details: { from, to: 'confirmed' } }]);
    },
  );

  it('a reinstatement requires a reason and bookings:write', async () => {
    const { id } = await makeBooking(owner);
    await cancel(id);
    expect((await reinstate(id, {})).status).toBe(400);
    const reader = await staffWith(app, 'bookings:read');
    expect((await reader.post(`${BOOKINGS}/${id}/reinstatement`, { reason: 'x' })).status).toBe(403);
  });

  it('each cancellation of a booking has a settlement of its own', async () => {
    const { id } = (await confirmedBooking(owner)).booking;
    for (let round = 0; round < 2; round += 1) {
      await cancel(id);
      await reinstate(id);
    }
    await cancel(id);
    const reinstated = { status: 'open', reinstated: true };
    expect(await settlements(id)).toEqual([reinstated, reinstated, { status: 'open', reinstated: false }]);
  });

  it('concurrent cancellations and reinstatements alternate and keep units and total', async () => {
    const { departure, id } = await withSeats();
    const calls = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? () => cancel(id) : () => reinstate(id)));
    const answers = await Promise.all(calls.map((call) => insisting(call)));
    // If the calls happen to alternate, none is too late.
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const done = (verb: number) => answers.filter(({ status }, index) => status === 200 && index % 2 === verb).length;
    const { status, totalCents } = await readBooking(owner, id);
    expect(done(0) - done(1)).toBe(status === 'cancelled' ? 1 : 0);
    expect(totalCents).toBe(status === 'cancelled' ? 0 : 21_000);
    expect((await readDeparture(app, departure.id)).sold).toBe(status === 'cancelled' ? 0 : 2);
    expect((await settlements(id)).filter(({ reinstated }) => !reinstated)).toHaveLength(done(0) - done(1));
  });
});

describe('the reinstatement of an item', () => {
  it('a reinstated item has its units and commissions again, and the booking its total', async () => {
    const { departure, id, seats } = await withSeats();
    const line = await earn(owner, seats.id, fixed(500));
    await cancelItem(seats);
    expect(await linesOf(owner, seats.id)).toMatchObject([{ id: line.id, status: 'void' }]);
    const { status, body } = await reinstateItem(seats);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'confirmed', version: seats.version + 2, cancelledAt: null });
    expect((await readBooking(owner, id)).totalCents).toBe(21_000);
    expect((await readDeparture(app, departure.id)).sold).toBe(2);
    expect(await linesOf(owner, seats.id)).toMatchObject([{ id: line.id, status: 'accrued' }]);
    const open = (await planOf(id)).filter(({ status: state }) => state !== 'cancelled');
    expect(open.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(21_000);
    const [entry] = (await entriesAbout(owner, seats.id)).filter(
      ({ action }) => action === 'bookings.booking_item.reinstate',
    );
    expect(entry).toMatchObject({
      reason: 'By mistake',
      before: { status: 'cancelled' },
      after: { status: 'confirmed' },
    });
  });

  it('the reinstatement of an item that is not cancelled is 409 invalid_transition', async () => {
    const { item } = await confirmedBooking(owner);
    const { status, body } = await reinstateItem(item);
    const details = { from: 'confirmed', to: 'confirmed', allowed: ['cancelled'] };
    expect([status, body]).toEqual([409, problem('invalid_transition', details)]);
  });

  it('the reinstatement of an item of a cancelled booking is 409 booking_closed', async () => {
    const { booking, item } = await confirmedBooking(owner);
    await cancel(booking.id);
    expect((await reinstateItem(item)).body).toEqual(problem('booking_closed', { status: 'cancelled' }));
  });

  it('the reinstatement of an item is 409 without units, and after its service date', async () => {
    const { departure, seats } = await withSeats();
    await cancelItem(seats);
    await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 5 } });
    expect((await reinstateItem(seats)).body).toEqual(problem('capacity_exceeded', { available: 1 }));
    const { item } = await confirmedBooking(owner, { item: { serviceDate: '2026-01-10' } });
    await cancelItem(item);
    expect((await reinstateItem(item)).body).toEqual(problem('departure_departed', { departureDate: '2026-01-10' }));
  });

  it('concurrent reinstatements of one item take its units once', async () => {
    const { departure, seats } = await withSeats();
    await cancelItem(seats);
    const answers = await Promise.all(Array.from({ length: 6 }, () => insisting(() => reinstateItem(seats))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await readDeparture(app, departure.id)).sold).toBe(2);
  });
});
