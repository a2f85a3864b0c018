import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { MISCOUNTED_DEPARTURES } from '../../src/modules/distribution/index.js';
import { newKey } from '../connect/partners.js';
import { departureIn, newAllotment } from '../distribution/allotments/allotments.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { BOOKINGS, countersOf, must, type OctoBooking, order } from './orders.js';
import { newShop, type Shop } from './shop.js';

const RESELLERS = 8;
const KILLS = 5;
const CAPACITY = 60;
/** The first kill comes after this many answers. */
const ANSWERS = 30;
const CONTACT = { fullName: 'Ana Pop', emailAddress: 'ana@killed.example' };
/** A call is repeated when there was no answer, or when the process had too much to do. */
const BUSY = [429, 503];

type Verb = 'reserve' | 'confirm' | 'change' | 'cancel';

let app: TestApp;
let shop: Shop;
let token: string;
let other: string;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  shop = await newShop(app, {}, { departure: { capacity: CAPACITY } });
  const { productId, connection } = shop;
  await newAllotment(app, { productId, channelId: connection.channelId, defaultQuantity: 10 });
  other = (await departureIn(app, 31, { productId, priceCents: 6_000, capacity: CAPACITY })).id;
  token = await newKey(app, ['connect:octo:sell', 'connect:octo:browse'], connection.operatorId);
});
afterAll(endAll);

/** Sends a call to the process; null if there was no answer. */
async function send(url: string, method: string, path: string, body?: object): Promise<Response | null> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return sent.catch(() => null);
}

/** A reseller that sells, changes and mostly cancels again, until the process is killed. Notes each uuid before it uses it. */
async function sell(url: string, uuids: string[], answered: () => void): Promise<void> {
  const { adult, child } = shop;
  for (;;) {
    const body = order(shop, [adult, adult]);
    uuids.push(body.uuid);
    const path = `${BOOKINGS}/${body.uuid}`;
    const steps: Record<Verb, () => Promise<Response | null>> = {
      reserve: () => send(url, 'POST', BOOKINGS, body),
      confirm: () => send(url, 'POST', `${path}/confirm`, { contact: CONTACT }),
      change: () =>
        send(url, 'PATCH', path, { availabilityId: other, unitItems: [{ unitId: adult }, { unitId: child }] }),
      cancel: () => send(url, 'POST', `${path}/cancel`, {}),
    };
    for (const step of Object.values(steps)) {
      const answer = await step();
      if (answer === null) return;
      answered();
      if (answer.status >= 500 && !BUSY.includes(answer.status)) throw new Error(await answer.text());
    }
  }
}

/** The state of a booking for its reseller; null if its reservation never happened. */
async function stateOf(client: TestClient, uuid: string): Promise<OctoBooking | null> {
  const answer = await client.get<OctoBooking>(`${BOOKINGS}/${uuid}`);
  return answer.status === 400 ? null : must(answer);
}

it('a supplier that is killed while resellers reserve, confirm, change and cancel loses and doubles no seat', async () => {
  const uuids: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const service = await ServiceProcess.start({ JOBS: 'true' });
    let answers = 0;
    const selling = Array.from({ length: RESELLERS }, () => sell(service.url, uuids, () => (answers += 1)));
    // Each time at another step of the eight.
    while (answers < ANSWERS + 7 * round) await pause(5);
    await service.end('SIGKILL');
    await Promise.all(selling);
    expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  }

  const client = app.with(token);
  const [here, there] = [shop.departureId, other];
  const expected = new Map([here, there].map((id) => [id, { sold: 0, held: 0 }]));
  const states = new Set<string>();
  for (const uuid of uuids) {
    const booking = await stateOf(client, uuid);
    if (!booking) continue;
    states.add(booking.status);
    const place = expected.get(booking.availabilityId);
    if (place && booking.status === 'ON_HOLD') place.held += booking.unitItems.length;
    if (place && booking.status === 'CONFIRMED') place.sold += booking.unitItems.length;
  }
  expect([...states]).toEqual(expect.arrayContaining(['CANCELLED']));
  for (const [id, place] of expected) expect(await countersOf(app, id)).toMatchObject(place);

  // Each reseller repeats its last call; afterwards everything is cancelled, and every seat is free again.
  for (const uuid of uuids) {
    const booking = await stateOf(client, uuid);
    if (booking?.status === 'ON_HOLD') must(await client.post(`${BOOKINGS}/${uuid}/confirm`, { contact: CONTACT }));
    if (booking && booking.status !== 'CANCELLED') {
      expect(must(await client.post(`${BOOKINGS}/${uuid}/cancel`, {})).status).toBe('CANCELLED');
    }
  }
  const free = { sold: 0, held: 0, open: 10 };
  expect([await countersOf(app, here), await countersOf(app, there)]).toEqual([free, free]);
  expect(await app.sql(MISCOUNTED_DEPARTURES)).toEqual([]);
  const bookings = await app.sql<{ count: number }>(
    `select count(*)::int as count from octo_bookings where status = 'CONFIRMED' and booking_id is null`,
  );
  expect(bookings).toEqual([{ count: 0 }]);
  expect(uuids.length).toBeGreaterThan(KILLS * RESELLERS);
}, 300_000);
