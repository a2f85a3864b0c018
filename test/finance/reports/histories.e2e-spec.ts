import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, makeBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const today = () => app.day();

const schedulesOf = (bookingId: string) =>
  app.sql(
    `select history.version, effective_on::text as day, history.amount_cents::int as cents, cancelled, history.waived
     from payment_schedule_history history join payment_schedules schedule on schedule.id = history.schedule_id
     where schedule.booking_id = $1 order by schedule.position, history.version`,
    [bookingId],
  );

const itemsOf = (bookingId: string) =>
  app.sql(
    `select history.version, effective_on::text as day, history.total_sell_cents::int as cents, cancelled
     from booking_item_history history join booking_items item on item.id = history.item_id
     where item.booking_id = $1 order by item.created_at, history.version`,
    [bookingId],
  );

const statusesOf = (bookingId: string) =>
  app.sql(
    `select version, effective_on::text as day, status from booking_status_history where booking_id = $1 order by version`,
    [bookingId],
  );

describe('the histories of a booking', () => {
  it('each change of an installment, an item or a status is kept with the day of the clock', async () => {
    const first = today();
    const { booking, item } = await confirmedBooking(owner, { item: { unitSellCents: 10_000 } });
    app.travel({ days: 3 });
    const second = today();
    await owner.patch(`${BOOKINGS}/${booking.id}/items/${item.id}`, { unitSellCents: 7_000 });
    app.travel({ days: 2 });
    const third = today();
    await owner.patch(`${BOOKINGS}/${booking.id}/items/${item.id}`, { title: 'Window seat' });
    const { status } = await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' });
    expect(status).toBe(200);

    expect(await schedulesOf(booking.id)).toEqual([
      { version: 1, day: first, cents: 3_000, cancelled: false, waived: false },
      { version: 2, day: third, cents: 3_000, cancelled: true, waived: false },
      { version: 1, day: first, cents: 7_000, cancelled: false, waived: false },
      { version: 2, day: second, cents: 4_000, cancelled: false, waived: false },
      { version: 3, day: third, cents: 4_000, cancelled: true, waived: false },
    ]);
    expect(await itemsOf(booking.id)).toEqual([
      { version: 1, day: first, cents: 10_000, cancelled: false },
      { version: 2, day: second, cents: 7_000, cancelled: false },
      { version: 3, day: third, cents: 7_000, cancelled: true },
    ]);
    expect(await statusesOf(booking.id)).toEqual([
      { version: 1, day: first, status: 'draft' },
      { version: 2, day: first, status: 'confirmed' },
      { version: 3, day: third, status: 'cancelled' },
    ]);
    const days = await app.sql('select confirmed_on::text, cancelled_on::text from bookings where id = $1', [
      booking.id,
    ]);
    expect(days).toEqual([{ confirmed_on: first, cancelled_on: third }]);
    app.travel({ days: -5 });
  });

  it('a change that is rolled back leaves no version', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id, { unitSellCents: 5_000 });
    const { status } = await owner.post(`${BOOKINGS}/${id}/items`, {
      type: 'discount',
      title: 'Too much',
      unitSellCents: -6_000,
    });
    expect(status).toBe(422);
    expect(await itemsOf(id)).toEqual([{ version: 1, day: today(), cents: 5_000, cancelled: false }]);
  });

  it('the histories cannot be changed or deleted', async () => {
    for (const table of ['payment_schedule_history', 'booking_item_history', 'booking_status_history']) {
      await expect(app.sql(`update ${table} set effective_on = effective_on - 1`)).rejects.toThrow();
      await expect(app.sql(`delete from ${table}`)).rejects.toThrow();
    }
  });
});
