/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, type Item, itemBody, makeBooking, type One, readBooking, readItem } from '../bookings/bookings.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode, TAX_CODES, type TaxCode, taxCodeAt } from './tax-codes.js';

let app: TestApp;
let owner: TestClient;
let standard: TaxCode;
let reduced: TaxCode;
let changing: TaxCode;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  standard = await taxCodeAt(owner, 1_900);
  reduced = await taxCodeAt(owner, 700, { kind: 'reduced' });
  changing = await newTaxCode(owner, {
    rates: [
      { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2020-06-30' },
      { rateBasisPoints: 1_600, validFrom: '2020-07-01', validTo: '2020-12-31' },
      { rateBasisPoints: 1_900, validFrom: '2021-01-01', validTo: '2034-12-31' },
      { rateBasisPoints: 2_100, validFrom: '2036-01-01' },
    ],
  });
});

type Answer = One<Item> & { code?: string; details?: object };
const add = (bookingId: string, over: object) =>
  owner.post<Answer>(`${BOOKINGS}/${bookingId}/items`, itemBody({ unitSellCents: 11_900, ...over }));
const patch = ({ bookingId, id }: Item, changes: object) =>
  owner.patch<Answer>(`${BOOKINGS}/${bookingId}/items/${id}`, changes);
const cancel = ({ bookingId, id }: Item) => owner.post<Answer>(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`);

async function added(over: object, bookingId?: string): Promise<Item> {
  const { status, body } = await add(bookingId ?? (await makeBooking(owner)).id, over);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.data;
}

describe('the tax of a new item with a tax code', () => {
  it('the tax is computed from the whole line, and what the item copied is shown', async () => {
    const { id: taxCodeId, code } = standard;
    expect(await added({ quantity: 3, unitSellCents: 10, taxCodeId })).toMatchObject({
      taxIncludedCents: 5,
      taxCodeId,
      taxCode: code,
      taxKind: 'standard',
      taxRateBasisPoints: 1_900,
      taxRateChanged: false,
      refundable: true,
    });
    const discount = { type: 'discount', unitSellCents: -10_000, taxCodeId };
    const { bookingId } = await added({ taxCodeId });
    expect(await added(discount, bookingId)).toMatchObject({ taxIncludedCents: -1_597 });
  });

  it('a tax that was sent must be that of the tax code', async () => {
    const { id: taxCodeId } = standard;
    const { id } = await makeBooking(owner);
    expect((await add(id, { taxCodeId, taxIncludedCents: 1_899 })).body).toMatchObject({
      code: 'totals_mismatch',
      details: { field: 'taxIncludedCents', expected: 1_900, actual: 1_899 },
    });
    expect((await add(id, { taxCodeId, taxIncludedCents: 1_900 })).status).toBe(201);
  });

  it.each([
    ['2020-06-30', 1_900, 1_900],
    ['2020-07-01', 1_600, 1_641],
    ['2020-12-31', 1_600, 1_641],
    ['2021-01-01', 1_900, 1_900],
    [null, 1_900, 1_900],
  ])('the rate on the service date %s is %d', async (serviceDate, taxRateBasisPoints, taxIncludedCents) => {
    const item = await added({ taxCodeId: changing.id, serviceDate });
    expect(item).toMatchObject({ taxRateBasisPoints, taxIncludedCents });
  });

  it('a service date without a rate is rejected', async () => {
    const { id } = await makeBooking(owner);
    const { status, body } = await add(id, { taxCodeId: changing.id, serviceDate: '2035-06-01' });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'tax_rate_missing', details: { taxCode: changing.code, day: '2035-06-01' } },
    });
  });

  it('an inactive tax code is rejected for new items, and kept by items that have it', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 1_000);
    const item = await added({ taxCodeId });
    await owner.patch(`${TAX_CODES}/${taxCodeId}`, { active: false });
    expect((await add(item.bookingId, { taxCodeId })).body).toMatchObject({ code: 'tax_code_inactive' });
    expect((await patch(item, { quantity: 2, serviceDate: '2027-01-01' })).status).toBe(200);
    const unknown = 'taxc_01k0dem000e000000000000999';
    expect((await add(item.bookingId, { taxCodeId: unknown })).body).toMatchObject({
      code: 'not_found',
      details: { field: 'taxCodeId' },
    });
  });

  it('an item under the margin scheme shows no tax', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900, { kind: 'margin_scheme', mention: 'Margin scheme' });
    expect(await added({ taxCodeId })).toMatchObject({ taxIncludedCents: 0, taxRateBasisPoints: 1_900 });
  });

  it('an item of a departure has the tax code of the departure, unless it or a tax is sent', async () => {
    const { id: departureId } = await newDeparture(app, { taxCodeId: reduced.id });
    expect(await added({ departureId })).toMatchObject({ taxCodeId: reduced.id, taxRateBasisPoints: 700 });
    expect(await added({ departureId, taxIncludedCents: 0 })).toMatchObject({ taxCodeId: null, taxIncludedCents: 0 });
    expect(await added({ departureId, taxCodeId: null })).toMatchObject({ taxCodeId: null });
    expect(await added({ departureId, taxCodeId: standard.id })).toMatchObject({ taxCodeId: standard.id });
  });

  it('the database rejects another tax than that of the rate', async () => {
    const { id } = await added({ taxCodeId: standard.id });
    const change = app.sql('update booking_items set tax_included_cents = 1899 where id = $1', [id]);
    await expect(change).rejects.toThrow('booking_items_coded_tax');
  });

  it.each([
    [1, 10_000, 1],
    [999_999_999_999_999, 1_900, 159_663_865_546_218],
    [9_007_199_254_740_991, 10_000, 4_503_599_627_370_496],
    [9_007_199_254_740_989, 1_777, 1_359_072_181_003_204],
  ])('the database computes the tax of %d at %d as the service does', async (unitSellCents, rate, taxIncludedCents) => {
    const { id: taxCodeId } = await taxCodeAt(owner, rate);
    expect(await added({ unitSellCents, taxCodeId })).toMatchObject({ taxIncludedCents });
  });
});

describe('the tax of a changed item', () => {
  it('a tax that was sent changes in proportion to a new quantity or price', async () => {
    const item = await added({ quantity: 2, taxIncludedCents: 3_800 });
    expect((await patch(item, { quantity: 4 })).body.data).toMatchObject({ taxIncludedCents: 7_600 });
    expect((await patch(item, { unitSellCents: 5_950 })).body.data).toMatchObject({ taxIncludedCents: 3_800 });
    const sent = { quantity: 1, taxIncludedCents: 1_000 };
    expect((await patch(item, sent)).body.data).toMatchObject({ taxIncludedCents: 1_000 });
    expect((await patch(item, { unitSellCents: 0 })).body.data).toMatchObject({ taxIncludedCents: 0 });
  });

  it('the tax of a tax code is recomputed when the quantity or price changes', async () => {
    const item = await added({ taxCodeId: standard.id });
    expect((await patch(item, { quantity: 3, unitSellCents: 10 })).body.data).toMatchObject({ taxIncludedCents: 5 });
    expect((await patch(item, { quantity: 1, taxIncludedCents: 1 })).body).toMatchObject({ code: 'totals_mismatch' });
  });

  it('an item gets another tax code, or none', async () => {
    const item = await added({ taxCodeId: standard.id });
    const other = (await patch(item, { taxCodeId: reduced.id })).body.data;
    expect(other).toMatchObject({ taxCodeId: reduced.id, taxIncludedCents: 779, taxRateBasisPoints: 700 });
    const none = (await patch(item, { taxCodeId: null })).body.data;
    expect(none).toMatchObject({ taxCodeId: null, taxCode: null, taxKind: null, taxIncludedCents: 779 });
  });

  it('a moved service date looks up the rate again', async () => {
    const item = await added({ taxCodeId: changing.id, serviceDate: '2020-01-01' });
    const moved = (await patch(item, { serviceDate: '2020-08-01' })).body.data;
    expect(moved).toMatchObject({ taxRateBasisPoints: 1_600, taxIncludedCents: 1_641, taxRateChanged: false });
    expect((await patch(item, { serviceDate: '2035-01-01' })).body).toMatchObject({ code: 'tax_rate_missing' });
  });
});

describe('the tax groups of a booking', () => {
  it('beside items with a tax code a discount or an adjustment needs one', async () => {
    const { bookingId } = await added({ taxCodeId: standard.id });
    for (const type of ['discount', 'adjustment']) {
      const { status, body } = await add(bookingId, { type, unitSellCents: -100 });
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'tax_code_required' } });
      expect((await add(bookingId, { type, unitSellCents: -100, taxCodeId: standard.id })).status).toBe(201);
    }
    expect((await add(bookingId, { type: 'fee', unitSellCents: 100 })).status).toBe(201);
  });

  it('no change may bring a tax code below 0', async () => {
    const tour = await added({ taxCodeId: standard.id });
    const { bookingId } = tour;
    const hotel = await added({ taxCodeId: reduced.id }, bookingId);
    const discount = { type: 'discount', unitSellCents: -11_901, taxCodeId: standard.id };
    const { status, body } = await add(bookingId, discount);
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'negative_total', details: { taxCode: standard.code, totalCents: -1, taxCents: 0 } },
    });

    const small = await added({ ...discount, unitSellCents: -10_000 }, bookingId);
    expect((await cancel(tour)).body).toMatchObject({ code: 'negative_total', details: { taxCode: standard.code } });
    expect((await patch(tour, { unitSellCents: 9_999 })).body).toMatchObject({ code: 'negative_total' });
    expect((await patch(tour, { taxCodeId: reduced.id })).body).toMatchObject({ code: 'negative_total' });
    expect((await readBooking(owner, bookingId)).totalCents).toBe(13_800);
    expect(await readItem(owner, tour)).toMatchObject({ totalSellCents: 11_900, version: 1 });

    for (const item of [hotel, small, tour]) expect((await cancel(item)).status).toBe(200);
  });

  it('a discount without tax may not leave more tax than price', async () => {
    const { bookingId } = await added({ taxIncludedCents: 1_900 });
    const discount = { type: 'discount', unitSellCents: -11_000 };
    expect((await add(bookingId, discount)).body).toMatchObject({
      code: 'negative_total',
      details: { taxCode: 'given', totalCents: 900, taxCents: 1_900 },
    });
    expect((await add(bookingId, { ...discount, taxIncludedCents: -1_750 })).status).toBe(201);
  });

  it('two parallel discounts of one tax code do not bring it below 0', async () => {
    const { bookingId } = await added({ taxCodeId: standard.id });
    await added({ taxCodeId: reduced.id }, bookingId);
    const discount = { type: 'discount', unitSellCents: -10_000, taxCodeId: standard.id };
    const answers = await Promise.all([add(bookingId, discount), add(bookingId, discount)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
  });
});
