import { beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { MISCOUNTED_DEPARTURES } from '../../src/modules/distribution/index.js';
import { newAllotment } from '../distribution/allotments/allotments.js';
import { makeBooking } from '../bookings/bookings.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { newConnection } from './connections.js';
import { newKey } from '../connect/partners.js';
import { BOOKINGS, countersOf, order, type OctoBooking } from './orders.js';
import { newShop } from './shop.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Repeats a call that came while the process had too much to do. */
async function untilServed<T>(call: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await call();
    if ((answer.status !== 429 && answer.status !== 503) || attempt === 40) return answer;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

it('64 resellers on a guaranteed slot, a cap and the pool, and staff, sell and hold exactly 50 seats', async () => {
  const shop = await newShop(app, {}, { departure: { capacity: 50 } });
  const { productId, adult, departureId } = shop;
  const capped = await newConnection(app, {});
  const only = await newConnection(app, { poolPolicy: 'allotment_only' });
  await newAllotment(app, { productId, channelId: capped.channelId, type: 'cap', defaultQuantity: 8 });
  await newAllotment(app, { productId, channelId: only.channelId, defaultQuantity: 10 });
  const scopes = ['connect:octo:sell'];
  const clients = [
    shop.reseller,
    app.with(await newKey(app, scopes, capped.operatorId)),
    app.with(await newKey(app, scopes, only.operatorId)),
  ];
  const { id: bookingId } = await makeBooking(app.as('owner'), { currency: 'EUR' });
  const staff = Array.from({ length: 10 }, () =>
    app
      .as('owner')
      .post(`/v1/admin/bookings/${bookingId}/items`, { departureId, units: [{ unitId: adult, quantity: 1 }] }),
  );
  const resellers = Array.from({ length: 64 }, async (_, index) => {
    const client = clients[index % 3] ?? shop.reseller;
    const body = order(shop, index % 4 === 0 ? [adult, adult] : [adult], { uuid: randomUUID() });
    const answer = await untilServed(() => client.post<OctoBooking>(BOOKINGS, body));
    if (answer.status === 200 && index % 5 === 0) {
      await untilServed(() => client.post(`${BOOKINGS}/${body.uuid}/cancel`, {}));
    }
    return answer.status;
  });
  const statuses = await Promise.all(resellers);
  await Promise.all(staff);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  // What cancellations released at the end is free for the pool and for the guaranteed slot.
  for (const client of [shop.reseller, clients[2] ?? shop.reseller]) {
    let isFree = true;
    for (let attempt = 0; isFree && attempt <= 50; attempt += 1) {
      isFree = (await untilServed(() => client.post<OctoBooking>(BOOKINGS, order(shop, [adult])))).status === 200;
    }
  }
  const { sold = 0, held = 0, open = 0 } = (await countersOf(app, departureId)) ?? {};
  expect([sold + held, open]).toEqual([50, 0]);
  expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  const [slots] = await app.sql<{ held: number }>(
    `select coalesce(sum(held), 0)::int as held from allotment_slots where departure_id = $1`,
    [departureId],
  );
  const [units] = await app.sql<{ held: number }>(
    `select coalesce(sum(unit.seats), 0)::int as held from octo_unit_items unit
     join octo_bookings octo on octo.id = unit.octo_booking_id
     where octo.departure_id = $1 and octo.status = 'ON_HOLD' and unit.allotment_id is not null`,
    [departureId],
  );
  expect(slots).toEqual(units);
});
