import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, type Item, makeBooking, readBooking, readItem, staffWith } from '../bookings/bookings.js';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { poolOf } from '../distribution/allotments/allotments.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { taxCodeAt } from '../taxes/tax-codes.js';
import { activeList } from './price-lists.js';
import { newPart, newProduct, PRODUCTS } from './products.js';

interface Sold extends Item {
  extraId: string | null;
  quantity: number;
}

interface Added {
  items: Sold[];
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const EUR = (amountCents: number) => [{ currency: 'EUR', amountCents }];
const LUNCH = { name: 'Lunch', kind: 'meal', pricing: 'per_person', prices: EUR(1_500) };
const FEE = { name: 'Park fee', kind: 'service', pricing: 'per_booking', prices: EUR(700), required: true };

/** A product with adults and families of four, and a departure on which an adult costs 50.00 EUR. */
async function tour(terms: object = {}) {
  const { id: productId } = await newProduct(app, terms);
  const { id: adult } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
  const { id: family } = await newPart(app, productId, 'units', { type: 'family', name: 'Family', paxCount: 4 });
  await activeList(app, [
    { productId, unitId: adult, amountCents: 5_000 },
    { productId, unitId: family, amountCents: 12_000 },
  ]);
  const { id: departureId } = await newDeparture(app, { productId });
  return { productId, departureId, adult, family };
}

const newExtra = async (productId: string, body: object) => (await newPart(app, productId, 'extras', body)).id;

const ask = <T = ErrorBody>(productId: string, body: object) =>
  owner.post<T>(`${PRODUCTS}/${productId}/quotes`, { currency: 'EUR', ...body });

const add = <T = ErrorBody>(bookingId: string, body: object, client = owner) =>
  client.post<T>(`${BOOKINGS}/${bookingId}/items`, body);

async function sell(body: object, bookingId?: string): Promise<Sold[]> {
  const id = bookingId ?? (await makeBooking(owner)).id;
  const { status, body: answer, text } = await add<Added>(id, body);
  expect([status, text]).toEqual([201, text]);
  return answer.items;
}

const refusal = ({ status, body }: { status: number; body: ErrorBody }) => [status, body.code, body.details];

describe('extras of products', () => {
  it('an extra is created, listed, changed and deleted like a unit', async () => {
    const { productId } = await tour();
    const { id: optionId } = await newPart(app, productId, 'options', { name: 'Morning' });
    const path = `${PRODUCTS}/${productId}/extras`;
    const texts = [{ locale: 'de', title: 'Mittagessen' }];
    const made = await owner.post<{ data: { id: string } }>(path, { ...LUNCH, texts, optionIds: [optionId] });
    const { id } = made.body.data;
    const expected = {
      ...{ ...LUNCH, id, productId, texts: [{ ...texts[0], description: null }], optionIds: [optionId] },
      ...{ taxCodeId: null, required: false, minQuantity: null, maxQuantity: null, position: 1, active: true },
      ...{ version: 1, createdAt: expect.any(String), updatedAt: expect.any(String) },
    };
    expect([made.status, made.body.data]).toEqual([201, expected]);
    expect((await owner.get(`${path}?kind=meal&active=true`)).body).toMatchObject({ data: [expected], total: 1 });
    expect((await owner.get(`${path}?kind=insurance`)).body).toMatchObject({ data: [], total: 0 });
    expect((await owner.get(`${path}/${id}`)).body).toEqual({ data: expected });
    const inUse = await owner.delete<ErrorBody>(`${PRODUCTS}/${productId}/options/${optionId}`);
    expect(refusal(inUse)).toEqual([409, 'option_in_use', { extraIds: [id] }]);
    const changed = await owner.patch<{ data: object }>(`${path}/${id}`, { optionIds: null, maxQuantity: 5 });
    expect(changed.body.data).toMatchObject({ optionIds: null, maxQuantity: 5, version: 2 });
    const deleted = await owner.delete(`${path}/${id}`);
    expect([deleted.status, (await owner.get(`${path}/${id}`)).status]).toEqual([200, 404]);
  });

  it.each([
    [{ minQuantity: 3, maxQuantity: 2 }, 'maxQuantity'],
    [{ prices: [...EUR(1), ...EUR(2)] }, 'prices.1.currency'],
    [{ texts: [{ locale: 'de' }, { locale: 'de' }] }, 'texts.1.locale'],
  ])('an extra with %j is rejected at %s', async (terms, path) => {
    const { id } = await newProduct(app);
    const answer = await owner.post<ErrorBody>(`${PRODUCTS}/${id}/extras`, { ...LUNCH, ...terms });
    expect([answer.status, answer.body.details]).toMatchObject([400, { issues: [{ path }] }]);
    const foreign = await owner.post<ErrorBody>(`${PRODUCTS}/${id}/extras`, { ...LUNCH, optionIds: ['popt_x'] });
    expect(refusal(foreign)).toEqual([404, 'not_found', { field: 'optionIds.0' }]);
  });
});

describe('quotes and sales with extras', () => {
  it('a quote and a sale have the same named and required extras, with the same figures', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
    const reduced = await taxCodeAt(owner, 700);
    const { productId, departureId, adult, family } = await tour({ taxCodeId });
    const lunch = await newExtra(productId, { ...LUNCH, taxCodeId: reduced.id });
    const texts = [{ locale: 'de', title: 'Parkgebühr' }];
    const fee = await newExtra(productId, { ...FEE, texts });
    const insurance = await newExtra(productId, {
      ...{ name: 'Insurance', kind: 'insurance', pricing: 'per_person', prices: EUR(0), required: true },
    });
    const ticket = await newExtra(productId, {
      ...{ name: 'Ticket', kind: 'service', pricing: 'per_unit_quantity', prices: EUR(100), required: true },
    });
    await newExtra(productId, { ...LUNCH, name: 'Dinner' });
    await newExtra(productId, { ...FEE, active: false });
    const units = [
      { unitId: adult, quantity: 2 },
      { unitId: family, quantity: 1 },
    ];
    const sale = { departureId, units, extras: [{ extraId: lunch, quantity: 5 }] };
    const quoted = await ask<{ data: { extras: object[]; totalCents: number; taxIncludedCents: number } }>(
      productId,
      sale,
    );
    const { extras, totalCents, taxIncludedCents } = quoted.body.data;
    expect(extras).toEqual([
      {
        ...{ extraId: lunch, title: 'Lunch', required: false, quantity: 5, unitSellCents: 1_500 },
        ...{ totalSellCents: 7_500, taxCodeId: reduced.id, taxRateBasisPoints: 700, taxIncludedCents: 491 },
      },
      {
        ...{ extraId: fee, title: 'Park fee', required: true, quantity: 1, unitSellCents: 700, totalSellCents: 700 },
        ...{ taxCodeId, taxRateBasisPoints: 1_900, taxIncludedCents: 112 },
      },
      expect.objectContaining({ extraId: insurance, quantity: 6, totalSellCents: 0 }),
      expect.objectContaining({ extraId: ticket, quantity: 3, totalSellCents: 300 }),
    ]);
    expect(totalCents).toBe(10_000 + 12_000 + 7_500 + 700 + 300);

    const before = await poolOf(app, departureId);
    const booking = await makeBooking(owner, { customerLanguage: 'de' });
    const items = (await sell(sale, booking.id)).slice(units.length);
    const figures = ['extraId', 'quantity', 'unitSellCents', 'totalSellCents', 'taxCodeId', 'taxIncludedCents'];
    const of = (rows: object[]) => rows.map((row) => figures.map((name) => Reflect.get(row, name)));
    expect(of(items)).toEqual(of(extras));
    expect(items[1]).toMatchObject({
      ...{ type: 'extra', title: 'Parkgebühr', productId, departureId, unitId: null, priceSource: 'extra' },
      ...{ seatsPerUnit: 0, peoplePerUnit: 0, listUnitSellCents: 700, serviceDate: '2127-05-12' },
    });
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents });
    expect(items.reduce((sum, { taxIncludedCents: tax }) => sum + Number(tax), 3_513)).toBe(taxIncludedCents);
    expect((await poolOf(app, departureId)).available).toBe((before.available ?? 0) - 3);

    const again = await sell({ departureId, units: units.slice(0, 1) }, booking.id);
    expect(again.map(({ extraId, quantity }) => [extraId, quantity])).toEqual([
      [null, 2],
      [insurance, 2],
      [ticket, 2],
    ]);
    const inUse = await owner.delete<ErrorBody>(`${PRODUCTS}/${productId}/extras/${lunch}`);
    expect([inUse.status, inUse.body.code]).toEqual([409, 'extra_in_use']);
  });

  it('an extra is sold with its options only, required ones too', async () => {
    const { productId, departureId, adult } = await tour();
    await newPart(app, productId, 'options', { name: 'Morning' });
    const { id: optionId } = await newPart(app, productId, 'options', { name: 'Private' });
    const fee = await newExtra(productId, { ...FEE, optionIds: [optionId] });
    const lunch = await newExtra(productId, { ...LUNCH, optionIds: [optionId] });
    const sale = { departureId, units: [{ unitId: adult, quantity: 1 }] };
    expect((await sell(sale)).map(({ extraId }) => extraId)).toEqual([null]);
    expect((await sell({ ...sale, optionId })).map(({ extraId }) => extraId)).toEqual([null, fee]);
    const extras = [{ extraId: lunch, quantity: 1 }];
    const mismatch = await ask(productId, { ...sale, extras });
    expect(refusal(mismatch)).toMatchObject([
      422,
      'option_mismatch',
      { field: 'extras.0.extraId', extraId: lunch, optionIds: [optionId] },
    ]);
  });

  it('an extra is sold within its bounds, and never for more people than there are', async () => {
    const { productId, departureId, adult, family } = await tour();
    const lunch = await newExtra(productId, { ...LUNCH, minQuantity: 2 });
    const bike = await newExtra(productId, { ...LUNCH, name: 'Bike', pricing: 'per_booking', maxQuantity: 3 });
    const ticket = await newExtra(productId, { ...LUNCH, name: 'Ticket', pricing: 'per_unit_quantity' });
    const units = [
      { unitId: adult, quantity: 1 },
      { unitId: family, quantity: 1 },
    ];
    const limits = async (extraId: string, quantity: number) => {
      const answer = await ask(productId, { departureId, units, extras: [{ extraId, quantity }] });
      const { minQuantity, maxQuantity } = answer.body.details ?? {};
      return answer.status === 200 ? 200 : [answer.body.code, minQuantity, maxQuantity];
    };
    expect([await limits(lunch, 1), await limits(lunch, 5), await limits(lunch, 6)]).toEqual([
      ['extra_quantity', 2, 5],
      200,
      ['extra_quantity', 2, 5],
    ]);
    expect([await limits(bike, 3), await limits(bike, 4)]).toEqual([200, ['extra_quantity', 1, 3]]);
    expect([await limits(ticket, 2), await limits(ticket, 3)]).toEqual([200, ['extra_quantity', 1, 2]]);

    await owner.patch(`${PRODUCTS}/${productId}/extras/${lunch}`, { required: true, maxQuantity: 4 });
    const few = await ask(productId, { departureId, units, extras: [] });
    expect(few.status).toBe(422);
    expect(few.body).toEqual(
      errorBody(few, {
        ...{ code: 'extra_quantity', error: 'The extra is not sold in this quantity' },
        details: { field: 'units', extraId: lunch, minQuantity: 5, maxQuantity: 4 },
      }),
    );
  });

  it.each<[string, (extraId: string) => object[], [number, string, object]]>([
    ['an unknown extra', () => [{ extraId: 'pxtr_x', quantity: 1 }], [404, 'not_found', { field: 'extras.0.extraId' }]],
    [
      'an extra that is named twice',
      (extraId) => [1, 1].map((quantity) => ({ extraId, quantity })),
      [400, 'invalid_request', { issues: [{ path: 'extras.1.extraId' }] }],
    ],
  ])('%s is rejected', async (_title, extras, expected) => {
    const { productId, departureId, adult } = await tour();
    const lunch = await newExtra(productId, LUNCH);
    const sale = { departureId, units: [{ unitId: adult, quantity: 1 }], extras: extras(lunch) };
    expect(refusal(await ask(productId, sale))).toMatchObject(expected);
    expect(refusal(await add((await makeBooking(owner)).id, sale))).toMatchObject(expected);
  });

  it('an inactive extra and one without a price in the currency are not sold, and a required one prevents the sale', async () => {
    const { productId, departureId, adult } = await tour();
    const extraId = await newExtra(productId, { ...LUNCH, prices: [], active: false });
    const sale = { departureId, units: [{ unitId: adult, quantity: 1 }], extras: [{ extraId, quantity: 1 }] };
    expect(refusal(await ask(productId, sale))).toEqual([
      ...[409, 'extra_inactive', { field: 'extras.0.extraId', extraId }],
    ]);
    await owner.patch(`${PRODUCTS}/${productId}/extras/${extraId}`, { active: true });
    const missing = await ask(productId, sale);
    expect(refusal(missing)).toEqual([422, 'price_missing', { field: 'extras.0.extraId', extraId }]);
    await owner.patch(`${PRODUCTS}/${productId}/extras/${extraId}`, { required: true });
    const { extras: _, ...withoutExtras } = sale;
    const required = await add((await makeBooking(owner)).id, withoutExtras);
    expect(refusal(required)).toEqual([422, 'price_missing', { field: 'units', extraId }]);
  });

  it('a typed price that differs needs the override, and all items are sold or none', async () => {
    const { productId, departureId, adult } = await tour();
    const extraId = await newExtra(productId, LUNCH);
    const units = [{ unitId: adult, quantity: 1 }];
    const booking = await makeBooking(owner);
    const sale = (unitSellCents: number) => ({
      departureId,
      units,
      extras: [{ extraId, quantity: 1, unitSellCents }],
    });
    const differs = await add(booking.id, sale(1_000));
    expect(refusal(differs)).toEqual([
      422,
      'price_differs',
      { field: 'extras.0.unitSellCents', extraId, expected: 1_500, actual: 1_000 },
    ]);
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: null });
    const override = { override: ['price'], overrideReason: 'Regular guest' };
    const clerk = await staffWith(app, 'bookings:read', 'bookings:write');
    expect((await add(booking.id, { ...sale(1_000), ...override }, clerk)).status).toBe(403);
    const [, item] = await sell({ ...sale(1_000), ...override }, booking.id);
    expect(item).toMatchObject({ unitSellCents: 1_000, listUnitSellCents: 1_500, priceSource: 'manual' });
    expect((await sell(sale(1_500)))[1]).toMatchObject({ unitSellCents: 1_500, priceSource: 'extra' });
    const alone = await add(booking.id, { ...itemOf(), extras: [] });
    expect(refusal(alone)).toMatchObject([400, 'invalid_request', { issues: [{ path: 'extras' }] }]);
  });

  it('an extra for the whole booking is not sold beyond its limit by a further sale, and a required one is sold once', async () => {
    const { productId, departureId, adult } = await tour();
    const fee = await newExtra(productId, { ...FEE, maxQuantity: 5 });
    const bike = await newExtra(productId, { ...LUNCH, name: 'Bike', pricing: 'per_booking', maxQuantity: 3 });
    const booking = await makeBooking(owner);
    const sale = (extras: object[]) => ({ departureId, units: [{ unitId: adult, quantity: 1 }], extras });
    await sell(sale([{ extraId: bike, quantity: 2 }]), booking.id);
    const again = await add(booking.id, sale([{ extraId: fee, quantity: 1 }]));
    expect(bounded(again)).toEqual([422, 'extra_quantity', 'extras.0.quantity', 1, 0]);
    const more = await add(booking.id, sale([{ extraId: bike, quantity: 2 }]));
    expect(bounded(more)).toEqual([422, 'extra_quantity', 'extras.0.quantity', 1, 1]);
    const last = await sell(sale([{ extraId: bike, quantity: 1 }]), booking.id);
    expect(last.map(({ extraId }) => extraId)).toEqual([null, bike]);
  });

  it('the quantity of an extra changes within its bounds, and a required one stays that of the units', async () => {
    const { productId, departureId, adult } = await tour();
    const lunch = await newExtra(productId, { ...LUNCH, minQuantity: 2, maxQuantity: 3 });
    await newExtra(productId, { ...LUNCH, name: 'Insurance', required: true });
    const booking = await makeBooking(owner);
    const units = [{ unitId: adult, quantity: 4 }];
    const extras = [{ extraId: lunch, quantity: 3 }];
    const ids = (await sell({ departureId, units, extras }, booking.id)).map(({ id }) => id);
    const [adults = '', lunches = '', insurances = ''] = ids;
    const change = async (id: string, quantity: number) =>
      bounded(await owner.patch<ErrorBody>(`${BOOKINGS}/${booking.id}/items/${id}`, { quantity }));
    expect(await change(lunches, 4)).toEqual([422, 'extra_quantity', 'quantity', 2, 3]);
    expect(await change(lunches, 1)).toEqual([422, 'extra_quantity', 'quantity', 2, 3]);
    expect(await change(lunches, 2)).toEqual([200]);
    expect(await change(insurances, 3)).toEqual([422, 'extra_quantity', 'quantity', 4, 4]);
    expect([await change(adults, 2), await change(insurances, 2)]).toEqual([[200], [200]]);
  });

  it('the item of an extra follows its departure, is cancelled with the booking, and sells more at the price of today', async () => {
    const { productId, departureId, adult } = await tour();
    const extraId = await newExtra(productId, { ...LUNCH, maxQuantity: 10 });
    const booking = await makeBooking(owner);
    const units = [{ unitId: adult, quantity: 3 }];
    const [, item] = await sell({ departureId, units, extras: [{ extraId, quantity: 1 }] }, booking.id);
    if (!item) throw new Error('The extra has no item');
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    expect((await owner.patch(path, { quantity: 2 })).body).toMatchObject({
      data: { totalSellCents: 3_000, priceSource: 'extra' },
    });
    await owner.patch(`${PRODUCTS}/${productId}/extras/${extraId}`, { prices: EUR(1_800) });
    const dearer = await owner.patch<ErrorBody>(path, { quantity: 3 });
    expect([dearer.status, dearer.body.code]).toEqual([422, 'price_differs']);
    const other = await newDeparture(app, { startsAt: '2127-06-01T06:00:00Z', endsAt: '2127-06-01T15:00:00Z' });
    const elsewhere = await owner.patch<ErrorBody>(path, { departureId: other.id });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'product_mismatch']);
    const later = await newDeparture(app, {
      ...{ productId, startsAt: '2127-06-01T06:00:00Z', endsAt: '2127-06-01T15:00:00Z' },
    });
    expect((await owner.patch(path, { departureId: later.id })).body).toMatchObject({
      data: { serviceDate: '2127-06-01', unitSellCents: 1_500, extraId },
    });
    expect((await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    expect(await readItem(owner, item)).toMatchObject({ status: 'cancelled' });
  });
});

/** The code of an answer with the bounds that it names. */
function bounded({ status, body }: { status: number; body: ErrorBody }): unknown[] {
  const { field, minQuantity, maxQuantity } = body.details ?? {};
  return status < 300 ? [status] : [status, body.code, field, minQuantity, maxQuantity];
}

const itemOf = () => ({ type: 'extra', title: 'Lunch', unitSellCents: 1_500 });
