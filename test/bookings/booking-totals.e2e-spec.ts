/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { addItem, BOOKINGS, insisting, itemBody, makeBooking, readBooking } from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function sumOf(bookingId: string): Promise<number> {
  const [row] = await app.sql<{ sum: string }>(
    `select coalesce(sum(quantity * unit_sell_cents), 0) as sum from booking_items
     where booking_id = $1 and status <> 'cancelled'`,
    [bookingId],
  );
  return Number(row?.sum);
}

describe('the total of a booking', () => {
  it('the total of a booking counts each of 50 concurrent item changes exactly once', async () => {
    const { id } = await makeBooking(owner);
    const items = [];
    for (let n = 0; n < 20; n += 1) items.push(await addItem(owner, id, { unitSellCents: 1000 + n }));
    const path = `${BOOKINGS}/${id}/items`;
    const before = await readBooking(owner, id);
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => insisting(() => owner.post(path, itemBody({ unitSellCents: 7 + n })))),
      ...items.slice(0, 15).map((item, n) => insisting(() => owner.patch(`${path}/${item.id}`, { quantity: 2 + n }))),
      ...items.slice(5).map((item) => insisting(() => owner.post(`${path}/${item.id}/cancellation`))),
    ]);
    expect(answers).toHaveLength(50);
    // A change of an item that is cancelled already is rejected.
    const rejected = answers.filter(({ status }) => status >= 300);
    expect(rejected.every(({ body }) => (body as { code: string }).code === 'booking_item_cancelled')).toBe(true);
    expect(rejected.length).toBeLessThanOrEqual(10);

    const after = await readBooking(owner, id);
    expect(after.totalCents).toBe(await sumOf(id));
    expect(after.version).toBe(before.version + 50 - rejected.length);
  });

  it('the total of a booking never becomes negative under concurrent discounts', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id, { unitSellCents: 1_000 });
    const discount = () => owner.post(`${BOOKINGS}/${id}/items`, itemBody({ type: 'discount', unitSellCents: -300 }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => insisting(discount)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array<number>(7).fill(422)]);
    expect((await readBooking(owner, id)).totalCents).toBe(100);
  });

  it('the total of every booking is the sum of its active items', async () => {
    const wrong = await app.sql(
      `select b.id from bookings b left join booking_items i on i.booking_id = b.id group by b.id
       having b.total_cents is distinct from case when count(i.id) > 0 then
         coalesce(sum(i.total_sell_cents) filter (where i.status <> 'cancelled'), 0) end`,
    );
    expect(wrong).toEqual([]);
  });
});
