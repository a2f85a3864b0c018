import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  BOOKINGS,
  entriesAbout,
  eventsOf,
  invalid,
  type Item,
  itemBody,
  makeBooking,
  type One,
  type Page,
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
const cancel = ({ bookingId, id }: Item, body?: object) =>
  owner.post<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`, body);
const newItem = async (over: object = {}) => addItem(owner, (await makeBooking(owner)).id, over);
const totalOf = async ({ bookingId }: Item) => (await readBooking(owner, bookingId)).totalCents;

describe('POST .../items', () => {
  it('a new item is answered with 201, all its members, Location and ETag, and is added to the total', async () => {
    const booking = await makeBooking(owner, { startDate: '2027-06-01' });
    const sent = {
      type: 'unit',
      title: 'City tour',
      quantity: 2,
      unitSellCents: 5_900,
      taxIncludedCents: 1_884,
      costCents: 7_000,
      costCurrency: 'EUR',
      pricingTreatment: 'standard',
      serviceDate: '2027-05-12',
    };
    const { status, body, headers } = await add(booking.id, sent);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^bkit_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      bookingId: booking.id,
      ...sent,
      status: 'confirmed',
      currency: 'EUR',
      totalSellCents: 11_800,
      taxCodeId: null,
      taxCode: null,
      taxKind: null,
      taxRateBasisPoints: null,
      taxRateChanged: false,
      earlierRateCents: 0,
      earlierRateTaxCents: 0,
      refundable: true,
      supplierStatus: 'none',
      departureId: null,
      allotmentId: null,
      ...{ productId: null, optionId: null, unitId: null, extraId: null, seatsPerUnit: 1, peoplePerUnit: 1 },
      ...{
        priceSource: 'manual',
        listUnitSellCents: null,
        pickupFacilityId: null,
        pickupNote: null,
        priceListId: null,
        priceListVersion: null,
      },
      cancelledAt: null,
      cancelReason: null,
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(headers['location']).toBe(`${BOOKINGS}/${booking.id}/items/${body.data.id}`);
    expect(headers['etag']).toBe('"1"');
    const read = await readBooking(owner, booking.id);
    expect(read).toMatchObject({
      totalCents: 11_800,
      departureDate: '2027-05-12',
      startDate: '2027-06-01',
      version: 2,
    });
  });

  it('a new item has default values', async () => {
    const defaults = { quantity: 1, taxIncludedCents: 0, costCents: null, costCurrency: null, serviceDate: null };
    expect(await newItem()).toMatchObject({ ...defaults, pricingTreatment: 'standard', status: 'confirmed' });
  });

  it.each([
    ['unitSellCents', { unitSellCents: -1 }, 'sign_of_type'],
    ['unitSellCents', { type: 'discount', unitSellCents: 1 }, 'sign_of_type'],
    ['unitSellCents', { unitSellCents: 9_007_199_254_740_991, quantity: 2 }, 'amount_too_large'],
    ['taxIncludedCents', { taxIncludedCents: 10_001 }, 'tax_beyond_total'],
    ['taxIncludedCents', { taxIncludedCents: -1 }, 'tax_beyond_total'],
    ['taxIncludedCents', { type: 'discount', unitSellCents: -5, taxIncludedCents: 1 }, 'tax_beyond_total'],
    ['costCurrency', { costCents: 1 }, 'cost_incomplete'],
    ['costCents', { costCurrency: 'EUR' }, 'cost_incomplete'],
    ['allotmentId', { allotmentId: 'alot_01k0dem000e000000000000001' }, 'departure_missing'],
    ['type', { type: 'flight' }, 'unknown_value'],
  ])(
    'a new item is rejected at %s for %j with 400 and the code %s, and nothing is added',
    async (field, over, code) => {
      const { id } = await makeBooking(owner);
      const { status, body } = await add(id, over);
      expect([status, body]).toEqual([400, invalid(field, code)]);
      expect((await readBooking(owner, id)).totalCents).toBeNull();
    },
  );

  it('a discount reduces the total and has a share of the tax; an adjustment increases or reduces it', async () => {
    const item = await newItem({ unitSellCents: 10_000, taxIncludedCents: 1_600 });
    await addItem(owner, item.bookingId, { type: 'discount', unitSellCents: -1_000, taxIncludedCents: -160 });
    expect(await totalOf(item)).toBe(9_000);
    await addItem(owner, item.bookingId, { type: 'adjustment', unitSellCents: -500 });
    await addItem(owner, item.bookingId, { type: 'adjustment', unitSellCents: 1 });
    expect(await totalOf(item)).toBe(8_501);
  });

  it('an item that makes the total negative is rejected with 422 negative_total, a total of 0 is allowed', async () => {
    const item = await newItem({ unitSellCents: 100 });
    const { status, body } = await add(item.bookingId, { type: 'discount', unitSellCents: -101 });
    expect([status, body]).toEqual([422, problem('negative_total', { field: 'unitSellCents', totalCents: -1 })]);
    expect((await add(item.bookingId, { type: 'discount', unitSellCents: -100 })).status).toBe(201);
    expect(await totalOf(item)).toBe(0);
  });

  it('an item that makes the total exceed 2^53-1 is rejected with 400', async () => {
    const item = await newItem({ unitSellCents: Number.MAX_SAFE_INTEGER });
    expect((await add(item.bookingId, { unitSellCents: 1 })).body).toEqual(
      invalid('unitSellCents', 'amount_too_large'),
    );
    expect(await totalOf(item)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(['cancelled', 'fulfilled'])('a new item with the status %s is rejected with 422', async (status) => {
    const answer = await add((await makeBooking(owner)).id, { status });
    expect([answer.status, answer.body]).toEqual([422, problem('invalid_initial_status', { field: 'status' })]);
  });

  it('the 501st active item is rejected with 409 item_limit_reached', async () => {
    const { id } = await makeBooking(owner);
    await app.sql(
      `with added as (
         insert into booking_items select 'bkit_limit' || n || $1, $1, 'EUR', 'unit', 'Seat', 'confirmed', 1, 1, 1, 0,
           null, null, 'standard', null, null, null, 1, now(), now() from generate_series(1, 500) n returning 1)
       update bookings set total_cents = 500 where id = $1`,
      [id],
    );
    const { status, body } = await add(id);
    expect([status, body]).toEqual([409, problem('item_limit_reached', { limit: 500 })]);
  });

  it('a new item of an unknown booking is 404', async () => {
    const { status, body } = await add('book_01k0dem000e000000000009999');
    expect([status, body]).toEqual([404, problem('not_found')]);
  });

  it('a new item has a ledger entry and an event', async () => {
    const item = await newItem({ title: 'City tour' });
    const [entry, ...more] = await entriesAbout(owner, item.id);
    expect(more).toEqual([]);
    const after = { id: item.id, bookingId: item.bookingId, totalSellCents: 10_000, title: 'City tour' };
    expect(entry).toMatchObject({ action: 'bookings.booking_item.create', before: null, after });
    const [, published] = await eventsOf(app, item.bookingId, 2);
    expect(published).toMatchObject({ event: 'booking_item.created', data: { bookingItemId: item.id, version: 1 } });
  });
});

describe('GET .../items', () => {
  it('items are listed oldest first, cancelled ones included, and can be filtered by status', async () => {
    const first = await newItem({ title: 'First' });
    app.travel({ ms: 2 });
    const second = await addItem(owner, first.bookingId, { title: 'Second' });
    const cancelled = (await cancel(first)).body.data;
    const list = async (query: string) =>
      (await owner.get<Page<Item>>(`${BOOKINGS}/${first.bookingId}/items${query}`)).body;
    expect(await list('')).toEqual({ data: [cancelled, second], total: 2, limit: 50, offset: 0 });
    expect(await list('?status=cancelled')).toMatchObject({ data: [cancelled], total: 1 });
    expect(await list('?limit=1&offset=1')).toEqual({ data: [second], total: 2, limit: 1, offset: 1 });
    expect(await list('?offset=9')).toMatchObject({ data: [], total: 2 });
  });

  it('the item list is empty for a booking without items, and 404 for an unknown booking', async () => {
    const { id } = await makeBooking(owner);
    expect((await owner.get<Page<Item>>(`${BOOKINGS}/${id}/items`)).body).toMatchObject({ data: [], total: 0 });
    const { status, body } = await owner.get(`${BOOKINGS}/book_01k0dem000e000000000009999/items`);
    expect([status, body]).toEqual([404, problem('not_found')]);
  });

  it('an item below the path of another booking is 404, with any method', async () => {
    const [item, other] = [await newItem(), await makeBooking(owner)];
    const path = `${BOOKINGS}/${other.id}/items/${item.id}`;
    const answers = [
      await owner.get(path),
      await owner.patch(path, { title: 'x' }),
      await owner.post(`${path}/cancellation`),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([404, problem('not_found')]);
    expect(await readItem(owner, item)).toEqual(item);
  });
});
