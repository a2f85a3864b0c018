import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, insisting, itemBody, makeBooking, type One, readBooking } from '../../bookings/bookings.js';
import { newDeparture, read } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { type CallOff, callOffBody, callOffsOf, CUSTOMER, ended, itemsOf, pay } from './call-offs.js';

const SELLERS = 64;
const PRICE = 5_900;

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

interface Sale {
  bookingId: string;
  isSold: boolean;
}

/** Sells two seats of the departure to a booking that has paid for them. */
async function sell(departureId: string, bookingId: string): Promise<Sale> {
  const sent = itemBody({ departureId, quantity: 2, unitSellCents: PRICE });
  const answer = await insisting(() => owner.post<{ code?: string }>(`${BOOKINGS}/${bookingId}/items`, sent));
  if (answer.status === 201) return { bookingId, isSold: true };
  expect([answer.status, answer.body.code]).toEqual([409, 'departure_called_off']);
  return { bookingId, isSold: false };
}

describe('64 sellers while their departure is called off', () => {
  it.each([
    ['cancelled', false],
    ['moved', true],
  ])('each sale is either rejected or %s: no seat and no cent is wrong', async (_, moves) => {
    const { id } = await newDeparture(app, { capacity: 2 * SELLERS });
    const target = await newDeparture(app, { capacity: 2 * SELLERS });
    const bookingIds: string[] = [];
    for (let index = 0; index < SELLERS; index += 1) {
      const { id: bookingId } = await makeBooking(owner, CUSTOMER);
      await addItem(owner, bookingId, { type: 'service', unitSellCents: 100 });
      expect((await owner.post(`${BOOKINGS}/${bookingId}/confirmation`)).status).toBe(200);
      await pay(owner, bookingId, 2 * PRICE + 100);
      bookingIds.push(bookingId);
    }

    const treatment = moves ? { action: 'move', targetDepartureId: target.id } : { action: 'cancel', settle: 'refund' };
    const before = await Promise.all(bookingIds.slice(0, 8).map((bookingId) => sell(id, bookingId)));
    const competing = bookingIds.slice(8, -8).map((bookingId) => sell(id, bookingId));
    const { status, body } = await insisting(() =>
      owner.post<One<CallOff>>(callOffsOf(id), callOffBody({ default: treatment })),
    );
    expect(status).toBe(202);
    const after = await Promise.all(bookingIds.slice(-8).map((bookingId) => sell(id, bookingId)));
    const sales = [...before, ...(await Promise.all(competing)), ...after];
    const report = await ended(owner, body.data);
    expect([before.filter(({ isSold }) => isSold).length, after.filter(({ isSold }) => isSold).length]).toEqual([8, 0]);

    const sold = sales.filter(({ isSold }) => isSold).map(({ bookingId }) => bookingId);
    const items = await itemsOf(owner, report);
    expect(items.map(({ bookingId }) => bookingId).sort()).toEqual(sold.sort());
    expect(report).toMatchObject({ status: 'completed', total: sold.length, done: sold.length });
    expect(await read(app, id)).toMatchObject({ status: 'cancelled', sold: 0, held: 0, guaranteedOpen: 0 });
    expect(await read(app, target.id)).toMatchObject({ sold: moves ? 2 * sold.length : 0 });
    const [money] = await app.sql<{ received: number; refunds: number; unapplied: number }>(
      `select sum(amount_cents) filter (where direction = 'in')::int as received,
         coalesce(sum(amount_cents) filter (where kind = 'refund'), 0)::int as refunds,
         sum(unapplied_cents) filter (where direction = 'in')::int as unapplied
       from payments where booking_id = any($1)`,
      [bookingIds],
    );
    const received = SELLERS * (2 * PRICE + 100);
    const unsold = (SELLERS - sold.length) * 2 * PRICE;
    // A whole booking is cancelled with its service, because no other unit of it is live.
    const refunds = moves ? 0 : sold.length * (2 * PRICE + 100);
    expect(money).toEqual({ received, refunds, unapplied: unsold });
    const [mails] = await app.sql(
      `select count(distinct message.id)::int as mails from call_off_items item
       join notification_messages message on message.id = item.message_id where item.call_off_id = $1`,
      [report.id],
    );
    expect(mails).toEqual({ mails: sold.length });
    for (const bookingId of sold.slice(0, 3)) {
      expect(await readBooking(owner, bookingId)).toMatchObject({ status: moves ? 'confirmed' : 'cancelled' });
    }
  });
});
