import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  BOOKINGS,
  entriesAbout,
  eventsOf,
  insisting,
  invalid,
  type Item,
  itemBody,
  makeBooking,
  type One,
  problem,
  readBooking,
  readItem,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const add = (bookingId: string, over: object = {}) =>
  owner.post<One<Item>>(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
const patch = ({ bookingId, id }: Item, changes: object, headers: Record<string, string> = {}) =>
  owner.patch<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}`, changes, { headers });
const cancel = ({ bookingId, id }: Item, body?: object) =>
  owner.post<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`, body);
const newItem = async (over: object = {}) => addItem(owner, (await makeBooking(owner)).id, over);
const totalOf = async ({ bookingId }: Item) => (await readBooking(owner, bookingId)).totalCents;

/** The response to a change that must not change anything. */
async function errorOf(item: Item, changes: object): Promise<{ status: number; body: unknown }> {
  const before = [await readItem(owner, item), await readBooking(owner, item.bookingId)];
  const { status, body } = await patch(item, changes);
  expect([await readItem(owner, item), await readBooking(owner, item.bookingId)]).toEqual(before);
  return { status, body };
}

describe('PATCH .../items/{itemId}', () => {
  it.each([
    [{ title: 'Other' }, {}],
    [{ type: 'extra' }, {}],
    [{ quantity: 3 }, { totalSellCents: 30_000, taxIncludedCents: 2_400 }],
    [{ unitSellCents: 1_600 }, { totalSellCents: 3_200, taxIncludedCents: 256 }],
    [{ taxIncludedCents: 0 }, {}],
    [{ serviceDate: '2027-01-01' }, {}],
    [{ pricingTreatment: 'pass_through' }, {}],
    [{ costCents: 5 }, {}],
    [{ costCents: null, costCurrency: null }, {}],
  ])('the body %j changes only its fields, updatedAt and version of an item', async (changes, consequences) => {
    const before = await newItem({ quantity: 2, taxIncludedCents: 1_600, costCents: 1, costCurrency: 'USD' });
    app.travel({ ms: 5 });
    const { status, body, headers } = await patch(before, changes);
    expect(status).toBe(200);
    const changed = { ...changes, ...consequences, version: 2, updatedAt: expect.any(String) };
    expect(body.data).toEqual({ ...before, ...changed });
    expect(headers['etag']).toBe('"2"');
    expect(await totalOf(before)).toBe(body.data.totalSellCents);
  });

  it.each([
    [{ unitSellCents: 100, taxIncludedCents: 101 }, 'taxIncludedCents', 'tax_beyond_total'],
    [{ type: 'discount' }, 'unitSellCents', 'sign_of_type'],
    [{ costCents: 5 }, 'costCurrency', 'cost_incomplete'],
    [{ status: 'cancelled' }, 'status', 'unknown_member'],
  ])(
    'changing an item to %j is rejected with 400 at %s with the code %s, and nothing is changed',
    async (changes, field, code) => {
      const answer = { status: 400, body: invalid(field, code) };
      expect(await errorOf(await newItem({ taxIncludedCents: 1_600 }), changes)).toEqual(answer);
    },
  );

  it('changing an item to a negative total is rejected with 422 negative_total', async () => {
    const item = await newItem({ unitSellCents: 100 });
    await addItem(owner, item.bookingId, { type: 'discount', unitSellCents: -60 });
    const answer = { status: 422, body: problem('negative_total', { field: 'unitSellCents', totalCents: -10 }) };
    expect(await errorOf(item, { unitSellCents: 50 })).toEqual(answer);
  });

  it('changing a cancelled item is rejected with 409 booking_item_cancelled', async () => {
    const item = await newItem();
    await cancel(item);
    expect(await errorOf(item, { title: 'x' })).toEqual({ status: 409, body: problem('booking_item_cancelled') });
  });

  it('changing an item honours the If-Match of the item, not of its booking', async () => {
    const item = await newItem();
    await addItem(owner, item.bookingId);
    expect((await patch(item, { title: 'x' }, { 'If-Match': '"1"' })).status).toBe(200);
    const stale = await patch(item, { title: 'y' }, { 'If-Match': '"1"' });
    expect([stale.status, stale.body]).toEqual([412, problem('precondition_failed', { currentVersion: 2 })]);
  });

  it('a changed item has a ledger entry with before and after, and an event', async () => {
    const item = await newItem();
    await patch(item, { quantity: 2 });
    const entries = await entriesAbout(owner, item.id);
    const [before, after] = [
      { quantity: 1, totalSellCents: 10_000 },
      { quantity: 2, totalSellCents: 20_000 },
    ];
    expect(entries.at(-1)).toMatchObject({ action: 'bookings.booking_item.update', before, after });
    expect((await eventsOf(app, item.bookingId, 3)).at(-1)?.event).toBe('booking_item.updated');
  });
});

describe('POST .../items/{itemId}/cancellation', () => {
  it('cancelling an item, with or without a reason, subtracts it from the total', async () => {
    const item = await newItem({ serviceDate: '2027-01-01' });
    const other = await addItem(owner, item.bookingId, { unitSellCents: 1 });
    const { status, body } = await cancel(item, { reason: 'One less' });
    expect(status).toBe(200);
    const cancelled = { status: 'cancelled', cancelReason: 'One less', version: 2 };
    expect(body.data).toMatchObject({ ...cancelled, cancelledAt: expect.stringMatching(/Z$/) });
    expect(await readBooking(owner, item.bookingId)).toMatchObject({ totalCents: 1, departureDate: null });
    for (const nothing of [undefined, {}]) {
      const third = await addItem(owner, item.bookingId);
      expect((await cancel(third, nothing)).body.data).toMatchObject({ status: 'cancelled', cancelReason: null });
    }
    await cancel(other);
    expect(await totalOf(item)).toBe(0);
    expect((await entriesAbout(owner, item.id)).at(-1)).toMatchObject({
      action: 'bookings.booking_item.cancel',
      reason: 'One less',
      before: { status: 'confirmed' },
      after: { status: 'cancelled' },
    });
  });

  it('concurrent cancellations of an item cancel once, the others are 409 invalid_transition', async () => {
    const item = await newItem();
    const answers = await Promise.all(Array.from({ length: 8 }, () => insisting(() => cancel(item))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const details = { from: 'cancelled', to: 'cancelled', allowed: [] };
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(problem('invalid_transition', details));
    expect(await totalOf(item)).toBe(0);
  });

  it('cancelling an item is rejected with 422 negative_total if a discount would remain', async () => {
    const item = await newItem();
    await addItem(owner, item.bookingId, { type: 'discount', unitSellCents: -1 });
    const { status, body } = await cancel(item);
    expect([status, body]).toEqual([422, problem('negative_total', { field: 'unitSellCents', totalCents: -1 })]);
  });
});

describe('the items of a booking that is completed or cancelled', () => {
  it.each(['completed', 'cancelled'])(
    'the items of a booking that is %s cannot be changed: 409 booking_closed',
    async (closed) => {
      const item = await newItem();
      if (closed === 'cancelled') await owner.post(`${BOOKINGS}/${item.bookingId}/cancellation`, { reason: 'Ill' });
      else
        await app.sql(`update bookings set status = $2, confirmed_at = now() where id = $1`, [item.bookingId, closed]);
      const answers = [await add(item.bookingId), await patch(item, { title: 'x' }), await cancel(item)];
      for (const { status, body } of answers) {
        expect([status, body]).toEqual([409, problem('booking_closed', { status: closed })]);
      }
    },
  );
});
