/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import {
  addItem,
  book,
  cancelBooking,
  change,
  confirm,
  deviation,
  entriesOf,
  eventsOf,
  outline,
  pay,
  planned,
  POLICY,
  reprice,
  schedulesOf,
} from './plans.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function price(bookingId: string, cents: number): Promise<void> {
  await reprice(app, bookingId, cents);
  expect(await deviation(app, bookingId)).toBe(0);
}

describe('a booking that is confirmed', () => {
  it('a booking that is confirmed gets its plan', async () => {
    const bookingId = await book(owner, { startDate: app.day(100), paymentPolicy: POLICY });
    await confirm(owner, bookingId);
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '70000 pending']);
    expect(await eventsOf(app, bookingId, 'payment_plan.materialized')).toEqual(['payment_plan.materialized']);
  });

  it('a booking that is confirmed keeps the plan that it has', async () => {
    const [bookingId, ...before] = await planned(owner);
    await confirm(owner, bookingId);
    expect(await schedulesOf(owner, bookingId)).toEqual(before);
  });

  it('a booking that is confirmed with a total of 0 gets no plan', async () => {
    const bookingId = await book(owner, { prices: [0] });
    await confirm(owner, bookingId);
    expect(await schedulesOf(owner, bookingId)).toEqual([]);
  });
});

describe('a booking that is cancelled', () => {
  it('cancelling a booking cancels its open installments; a partly paid one is reduced to the paid amount and is paid', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    await pay(app, first.id, first.amountCents);
    await pay(app, second.id, 100);
    await cancelBooking(owner, bookingId);
    expect(await outline(owner, bookingId)).toEqual(['30000 paid', '100 paid', '40000 cancelled']);
    const [entry] = await entriesOf(owner, 'payment_schedule', third.id);
    expect(entry).toMatchObject({
      action: 'finance.payment_schedule.cancel',
      reason: 'The customer fell ill',
      before: { status: 'pending' },
      after: { status: 'cancelled' },
    });
    // The two events are of different installments, so either may be delivered first.
    expect(await eventsOf(app, bookingId, 'payment_schedule.paid')).toContain('payment_schedule.paid');
    expect(await eventsOf(app, bookingId, 'payment_schedule.cancelled')).toContain('payment_schedule.cancelled');
  });
});

describe('a booking that costs more', () => {
  it('a higher total adds an amendment over the difference, due with the latest open installment', async () => {
    const [bookingId, , , third] = await planned(owner);
    await addItem(owner, bookingId, 5_000);
    const added = (await schedulesOf(owner, bookingId))[3];
    expect(added).toMatchObject({
      type: 'amendment',
      label: 'Amendment',
      basis: 'amendment',
      amountCents: 5_000,
      dueDate: third.dueDate,
      position: 4,
    });
    expect(await deviation(app, bookingId)).toBe(0);
  });

  it('a higher total adds an amendment that is due today if nothing is open', async () => {
    const [bookingId, ...schedules] = await planned(owner);
    for (const { id, amountCents } of schedules) await pay(app, id, amountCents);
    await price(bookingId, 100_001);
    const amendment = (await schedulesOf(owner, bookingId)).find(({ type }) => type === 'amendment');
    expect(amendment).toMatchObject({ amountCents: 1, dueDate: app.day(), status: 'pending' });
  });
});

describe('a booking that costs less', () => {
  it('a lower total reduces open installments from the latest backwards and cancels one that would reach 0', async () => {
    const [bookingId] = await planned(owner);
    await price(bookingId, 90_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '30000 pending']);
    await price(bookingId, 50_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '20000 pending', '30000 cancelled']);
    await price(bookingId, 0);
    expect(await outline(owner, bookingId)).toEqual(['30000 cancelled', '20000 cancelled', '30000 cancelled']);
  });

  it('a lower total reduces waived installments first', async () => {
    const [bookingId, first] = await planned(owner);
    await change(owner, first, [{ status: 'cancelled' }, '?rebalance=none']);
    await price(bookingId, 80_000);
    expect(await outline(owner, bookingId)).toEqual(['10000 waived', '30000 pending', '40000 pending']);
    await price(bookingId, 69_999);
    expect(await outline(owner, bookingId)).toEqual(['10000 cancelled', '30000 pending', '39999 pending']);
  });

  it('a lower total never reduces an open installment below its paid amount; it is paid then', async () => {
    const [bookingId, , , third] = await planned(owner);
    await pay(app, third.id, 25_000);
    await price(bookingId, 80_000);
    expect(await outline(owner, bookingId)).toEqual(['30000 pending', '25000 pending', '25000 paid']);
    expect(await eventsOf(app, bookingId, 'payment_schedule.paid')).toContain('payment_schedule.paid');
  });

  it('each installment that a lower total changes has a ledger entry', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    await price(bookingId, 59_000);
    const actions = async (id: string) => (await entriesOf(owner, 'payment_schedule', id)).map(({ action }) => action);
    expect(await actions(third.id)).toEqual(['finance.payment_schedule.cancel']);
    expect(await actions(second.id)).toEqual(['finance.payment_schedule.rebalance']);
    expect(await actions(first.id)).toEqual([]);
  });
});

describe('a plan and its booking', () => {
  it('concurrent changes of a plan and of its booking leave them consistent', async () => {
    const [bookingId, ...schedules] = await planned(owner);
    const calls = Array.from({ length: 5 }, (_, round) => [
      addItem(owner, bookingId, 1_000 * (round + 1)),
      ...schedules.map((schedule) => change(owner, schedule, { amountCents: 5_000 * (round + 2) })),
    ]);
    await Promise.all(calls.flat());
    expect(await deviation(app, bookingId)).toBe(0);
    const [booking] = await app.sql<{ total: number }>(
      'select total_cents::integer as total from bookings where id = $1',
      [bookingId],
    );
    expect(booking?.total).toBe(115_000);
  });
});

describe('an item that is reinstated', () => {
  const items = (bookingId: string) => `/v1/admin/bookings/${bookingId}/items`;
  const cancelItem = async (bookingId: string, itemId: string) => {
    const { status } = await owner.post(`${items(bookingId)}/${itemId}/cancellation`, { reason: 'Ill' });
    expect(status).toBe(200);
  };
  const reinstate = async (bookingId: string, itemId: string) => {
    const { status, text } = await owner.post(`${items(bookingId)}/${itemId}/reinstatement`, { reason: 'By mistake' });
    expect([status, text]).toEqual([200, text]);
    expect(await deviation(app, bookingId)).toBe(0);
  };

  it('the installments that its cancellation reduced are as before, with the money that was released', async () => {
    const [bookingId, first, second, third] = await planned(owner, { prices: [30_000] });
    const itemId = await addItem(owner, bookingId, 70_000);
    const terms = async () =>
      (await schedulesOf(owner, bookingId)).map(({ id, dueDate, amountCents, paidCents, status, waived }) => {
        return { id, dueDate, amountCents, paidCents, status, waived };
      });
    await pay(app, first.id, first.amountCents);
    await pay(app, second.id, 1_000);
    await change(owner, third, [{ status: 'cancelled' }, '?rebalance=none']);
    const before = await terms();
    expect(before).toHaveLength(4);
    await cancelItem(bookingId, itemId);
    expect(await terms()).not.toEqual(before);
    await reinstate(bookingId, itemId);
    expect(await terms()).toEqual(before);
    await cancelItem(bookingId, itemId);
    await reinstate(bookingId, itemId);
    expect(await terms()).toEqual(before);
  });

  it('what staff changed since stays, and the rest of the price is a further installment', async () => {
    const [bookingId, , , third] = await planned(owner, { prices: [30_000] });
    const itemId = await addItem(owner, bookingId, 70_000);
    const amendment = (await schedulesOf(owner, bookingId)).find(({ amountCents }) => amountCents === 70_000);
    await cancelItem(bookingId, itemId);
    await change(owner, third, [{ status: 'cancelled' }, '?rebalance=none']);
    await reinstate(bookingId, itemId);
    const now = await schedulesOf(owner, bookingId);
    expect(now.find(({ id }) => id === third.id)).toMatchObject({ waived: true });
    expect(now.find(({ id }) => id === amendment?.id)).toMatchObject({ amountCents: 70_000, status: 'pending' });
    expect(now.every(({ id }) => [amendment?.id, third.id].includes(id) || now.length === 4)).toBe(true);
  });
});
