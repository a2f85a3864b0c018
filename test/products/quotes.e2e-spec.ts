import { beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../action-ledger/reversals.js';
import { type ErrorBody, errorBody, newChannel } from '../distribution/channels.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { taxCodeAt } from '../taxes/tax-codes.js';
import { activeList, newPriceList, PRICE_LISTS } from './price-lists.js';
import { newPart, newProduct, PRODUCTS } from './products.js';

interface Line extends Record<string, unknown> {
  unitSellCents: number;
  explain: { source: string; priceListId: string | null; outcome: string }[];
}

interface Quote extends Record<string, unknown> {
  lines: Line[];
  totalCents: number;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const ask = <T = ErrorBody>(productId: string, body: object) =>
  owner.post<T>(`${PRODUCTS}/${productId}/quotes`, { currency: 'EUR', ...body });

async function quote(productId: string, body: object): Promise<Quote> {
  const answer = await ask<{ data: Quote }>(productId, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

/** A product with units for adults, children and infants. */
async function boatTour(terms: object = {}) {
  const { id: productId } = await newProduct(app, terms);
  const unit = async (body: object) => (await newPart(app, productId, 'units', body)).id;
  const adult = await unit({ type: 'adult', name: 'Adult', minAge: 13 });
  const child = await unit({ type: 'child', name: 'Child', minAge: 4, maxAge: 12, accompaniedBy: [adult] });
  const infant = await unit({ type: 'infant', name: 'Infant', maxAge: 3, seats: 0, accompaniedBy: [adult] });
  return { productId, adult, child, infant };
}

describe('quotes', () => {
  it('a quote of a departure has the prices, the tax, the seats and what is left', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
    const reduced = await taxCodeAt(owner, 700);
    const { productId, adult, child, infant } = await boatTour({ taxCodeId });
    await owner.patch(`${PRODUCTS}/${productId}/units/${child}`, { taxCodeId: reduced.id });
    const departure = await newDeparture(app, { productId, cutoff: { minutesBefore: 60 } });
    const list = await activeList(app, [
      { productId, unitId: adult, amountCents: 5_000 },
      { productId, unitId: child, amountCents: 2_140 },
      { productId, unitId: infant, amountCents: 0 },
    ]);
    const units = [
      { unitId: adult, quantity: 2, ages: [13] },
      { unitId: child, quantity: 1, ages: [12] },
      { unitId: infant, quantity: 1, ages: [0] },
    ];
    const line = { taxCodeId, taxRateBasisPoints: 1_900, priceSource: 'list', priceListId: list.id };
    const candidate = { source: 'list', priceListId: list.id, currency: 'EUR', outcome: 'applies' };
    const ofDeparture = { source: 'departure', priceListId: null, currency: 'EUR', amountCents: 5_900 };
    const notForUnit = { ...ofDeparture, outcome: 'not_for_unit' };
    expect(await quote(productId, { departureId: departure.id, units })).toEqual({
      ...{ productId, departureId: departure.id, serviceDate: '2127-05-12', optionId: null, channelId: null },
      currency: 'EUR',
      lines: [
        {
          ...{ ...line, unitId: adult, quantity: 2, people: 2, seats: 2 },
          ...{ unitSellCents: 5_000, totalSellCents: 10_000, taxIncludedCents: 1_597 },
          explain: [
            { ...candidate, amountCents: 5_000 },
            { ...ofDeparture, outcome: 'list_price_exists' },
          ],
        },
        {
          ...{ ...line, unitId: child, quantity: 1, people: 1, seats: 1, taxCodeId: reduced.id },
          ...{ taxRateBasisPoints: 700, unitSellCents: 2_140, totalSellCents: 2_140, taxIncludedCents: 140 },
          explain: [{ ...candidate, amountCents: 2_140 }, notForUnit],
        },
        {
          ...{ ...line, unitId: infant, quantity: 1, people: 1, seats: 0 },
          ...{ unitSellCents: 0, totalSellCents: 0, taxIncludedCents: 0 },
          explain: [{ ...candidate, amountCents: 0 }, notForUnit],
        },
      ],
      extras: [],
      ...{ totalCents: 12_140, taxIncludedCents: 1_737, seats: 3 },
      ...{ cutoffAt: '2127-05-12T05:00:00.000Z', salesState: 'open', unitsLeft: 20 },
    });
  });

  it('a price in another currency than the departure includes the same share of tax', async () => {
    const { productId, adult: unitId } = await boatTour();
    const { id: departureId } = await newDeparture(app, {
      ...{ productId, currency: 'CHF', priceCents: 10_000, taxIncludedCents: 1_597 },
    });
    await activeList(app, [{ productId, unitId, amountCents: 5_000 }]);
    expect(await quote(productId, { departureId, units: [{ unitId, quantity: 1 }] })).toMatchObject({
      ...{ totalCents: 5_000, taxIncludedCents: 799 },
    });
  });

  it('without a list an adult costs what the departure costs, with its tax, and a child has no price', async () => {
    const { productId, adult, child } = await boatTour();
    const { id: departureId } = await newDeparture(app, { productId, taxIncludedCents: 942 });
    const units = [{ unitId: adult, quantity: 3 }];
    const { lines, taxIncludedCents } = await quote(productId, { departureId, units });
    expect(lines).toMatchObject([
      { unitSellCents: 5_900, priceSource: 'departure', priceListId: null, taxCodeId: null },
    ]);
    expect(taxIncludedCents).toBe(2_826);
    const missing = await ask(productId, { departureId, units: [...units, { unitId: child, quantity: 1 }] });
    const details = { field: 'units.1.unitId', unitId: child };
    expect(missing.status).toBe(422);
    expect(missing.body).toEqual(
      errorBody(missing, { code: 'price_missing', error: 'The unit has no price', details }),
    );
    const other = await ask(productId, { departureId, units, currency: 'CHF' });
    expect([other.status, other.body.code]).toEqual([422, 'price_missing']);
  });

  it('the prices that a departure has for units precede price lists, for the option before all options', async () => {
    const { productId, adult, child } = await boatTour();
    const { id: optionId } = await newPart(app, productId, 'options', { name: 'Morning' });
    const { id: privateId } = await newPart(app, productId, 'options', { name: 'Private' });
    const { id: priceListId } = await activeList(app, [{ productId, unitId: adult, amountCents: 5_000 }]);
    const unitPrices = [
      { unitId: adult, amountCents: 4_200 },
      { unitId: adult, optionId: privateId, amountCents: 9_000 },
      { unitId: child, optionId: null, amountCents: 0 },
    ];
    const { id: departureId, ...departure } = await newDeparture(app, { productId, unitPrices });
    expect(departure.unitPrices).toEqual([{ ...unitPrices[0], optionId: null }, unitPrices[1], unitPrices[2]]);
    const units = [adult, child].map((unitId) => ({ unitId, quantity: 1 }));
    const ofDeparture = { priceSource: 'departure', priceListId: null };
    const { lines } = await quote(productId, { departureId, units });
    expect(lines).toMatchObject([
      { ...ofDeparture, unitSellCents: 4_200 },
      { ...ofDeparture, unitSellCents: 0 },
    ]);
    const candidate = { source: 'departure', priceListId: null, currency: 'EUR' };
    expect(lines[0]?.explain).toEqual([
      { ...candidate, amountCents: 4_200, outcome: 'applies' },
      { ...candidate, source: 'list', priceListId, amountCents: 5_000, outcome: 'unit_price_exists' },
      { ...candidate, amountCents: 5_900, outcome: 'unit_price_exists' },
    ]);
    const ofOption = await quote(productId, { departureId, optionId: privateId, units });
    expect(ofOption.lines[0]?.explain.map(({ outcome }) => outcome)).toEqual([
      ...['applies', 'general_option', 'unit_price_exists', 'unit_price_exists'],
    ]);

    const change = (prices: object[]) => owner.patch<ErrorBody>(`${DEPARTURES}/${departureId}`, { unitPrices: prices });
    const [price] = unitPrices;
    const wrong = await Promise.all([
      change([{ unitId: optionId, amountCents: 1 }]),
      change([{ ...price, optionId: adult }]),
      change([{ ...price }, { ...price }]),
    ]);
    expect(wrong.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'unit_mismatch'],
      [422, 'option_mismatch'],
      [400, 'invalid_request'],
    ]);
    expect(wrong[0]?.body.details).toEqual({ field: 'unitPrices.0.unitId' });
    expect((await change([])).status).toBe(200);
    expect((await quote(productId, { departureId, units: units.slice(0, 1) })).totalCents).toBe(5_000);
    await reversed(app, departureId, 'operations.departure.update');
    expect((await quote(productId, { departureId, units })).totalCents).toBe(4_200);
  });

  it('seasons meet at midnight: the last day has the price of its season and the next day that of the next one', async () => {
    const { productId, adult: unitId } = await boatTour();
    await activeList(app, [
      { productId, unitId, from: '2127-06-01', to: '2127-08-31', amountCents: 200 },
      { productId, unitId, from: '2127-09-01', to: null, amountCents: 100 },
    ]);
    const units = [{ unitId, quantity: 1 }];
    const onDay = async (serviceDate: string) => (await quote(productId, { serviceDate, units })).totalCents;
    expect([await onDay('2127-06-01'), await onDay('2127-08-31'), await onDay('2127-09-01')]).toEqual([200, 200, 100]);
    expect((await ask(productId, { serviceDate: '2127-05-31', units })).body.code).toBe('price_missing');
    // 21:30 UTC on August 31 is September 1 in Bucharest.
    const times = { startsAt: '2127-08-31T21:30:00Z', endsAt: '2127-09-01T02:00:00Z', currency: 'CHF' };
    const { id: departureId } = await newDeparture(app, { productId, ...times });
    expect(await quote(productId, { departureId, units })).toMatchObject({
      serviceDate: '2127-09-01',
      totalCents: 100,
    });
  });

  it('prices of a weekday and of an option precede general ones', async () => {
    const { productId, adult: unitId } = await boatTour();
    const { id: morning } = await newPart(app, productId, 'options', { name: 'Morning' });
    const { id: optionId } = await newPart(app, productId, 'options', { name: 'Private', maxUnits: 3 });
    await activeList(app, [
      { productId, unitId, amountCents: 100 },
      { productId, unitId, weekday: 7, amountCents: 200 },
      { productId, unitId, optionId, amountCents: 300 },
    ]);
    const units = [{ unitId, quantity: 1 }];
    // 2127-05-11 is a Sunday.
    const sunday = await quote(productId, { serviceDate: '2127-05-11', units });
    expect(sunday).toMatchObject({ optionId: morning, totalCents: 200 });
    expect((await quote(productId, { serviceDate: '2127-05-12', units })).totalCents).toBe(100);
    const { lines } = await quote(productId, { serviceDate: '2127-05-11', optionId, units });
    expect(lines[0]?.explain.map(({ outcome }) => outcome)).toEqual(['applies', 'general_option', 'general_option']);
    const many = await ask(productId, { serviceDate: '2127-05-11', optionId, units: [{ unitId, quantity: 4 }] });
    const details = { field: 'units', optionId, quantity: 4, minUnits: null, maxUnits: 3 };
    expect([many.status, many.body.code, many.body.details]).toEqual([422, 'option_quantity', details]);
    await owner.patch(`${PRODUCTS}/${productId}/options/${optionId}`, { active: false });
    const inactive = await ask(productId, { serviceDate: '2127-05-11', optionId, units });
    expect([inactive.status, inactive.body.code]).toEqual([409, 'option_inactive']);
  });

  it('a list counts while it is active, on its days of sale, and for its channel', async () => {
    const { productId, adult: unitId } = await boatTour();
    const { id: channelId } = await newChannel(app);
    const price = (amountCents: number) => [{ productId, unitId, amountCents }];
    await activeList(app, price(1));
    const today = app.day();
    const sale = await activeList(app, price(2), { soldFrom: today, soldTo: today, priority: 1 });
    await activeList(app, price(3), { soldFrom: app.day(1), priority: 2 });
    await activeList(app, price(4), { soldTo: app.day(-1), priority: 2 });
    await activeList(app, price(5), { channelId, priority: -1 });
    const draft = await newPriceList(app, { priority: 9 });
    await owner.put(`${PRICE_LISTS}/${draft.id}/prices`, { prices: price(6) });
    const costs = async (terms: object = {}) => {
      return quote(productId, { serviceDate: '2127-05-12', units: [{ unitId, quantity: 1 }], ...terms });
    };
    const { totalCents, lines } = await costs();
    expect(totalCents).toBe(2);
    const outcomes = lines[0]?.explain.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['applies', 'lower_priority', 'not_on_sale', 'not_on_sale', 'other_channel']);
    expect((await costs({ channelId })).totalCents).toBe(5);
    await owner.post(`${PRICE_LISTS}/${sale.id}/retirement`);
    expect((await costs()).totalCents).toBe(1);
    const body = { serviceDate: '2127-05-12', units: [{ unitId, quantity: 1 }] };
    const paused = await newChannel(app);
    expect((await owner.patch(`/v1/admin/distribution/channels/${paused.id}`, { status: 'inactive' })).status).toBe(
      200,
    );
    const inactive = await ask(productId, { ...body, channelId: paused.id });
    expect([inactive.status, inactive.body.code]).toEqual([409, 'channel_inactive']);
    const unknown = await ask(productId, { ...body, channelId: 'chan_00000000000000000000000000' });
    expect([unknown.status, unknown.body.details]).toEqual([404, { field: 'channelId' }]);
  });

  it('a quote writes nothing', async () => {
    const { productId, adult: unitId } = await boatTour();
    const { id: departureId, available } = await newDeparture(app, { productId });
    const count = async () =>
      (await app.sql<{ count: string }>('select count(*) from action_ledger_entries'))[0]?.count;
    const before = await count();
    await quote(productId, { departureId, units: [{ unitId, quantity: 5 }] });
    const after = await quote(productId, { departureId, units: [{ unitId, quantity: 5 }] });
    expect([await count(), after['unitsLeft']]).toEqual([before, available]);
  });

  it('a quote rejects quantities, ages and combinations that the product does not sell', async () => {
    const { productId, adult, child, infant } = await boatTour();
    await owner.patch(`${PRODUCTS}/${productId}/units/${adult}`, { minQuantity: 2, maxQuantity: 4 });
    const units = (...lines: [string, number, number[]?][]) =>
      lines.map(([unitId, quantity, ages]) => ({ unitId, quantity, ...(ages && { ages }) }));
    const rejected = async (lines: object[]) => {
      const { status, body } = await ask(productId, { serviceDate: '2127-05-12', units: lines });
      return [status, body.code, body.details];
    };
    const quantity = { field: 'units.0.quantity', unitId: adult, minQuantity: 2, maxQuantity: 4 };
    expect(await rejected(units([adult, 1]))).toEqual([422, 'unit_quantity', quantity]);
    expect(await rejected(units([adult, 5]))).toEqual([422, 'unit_quantity', quantity]);
    const alone = { field: 'units.0.unitId', unitId: child, accompaniedBy: [adult] };
    expect(await rejected(units([child, 1], [infant, 1]))).toEqual([422, 'not_accompanied', alone]);
    const tooOld = { field: 'units.1.ages', unitId: child, minAge: 4, maxAge: 12 };
    expect(await rejected(units([adult, 2], [child, 2, [12, 13]]))).toEqual([422, 'age_out_of_range', tooOld]);
    const tooYoung = { field: 'units.0.ages', unitId: adult, minAge: 13, maxAge: null };
    expect(await rejected(units([adult, 2, [12]]))).toEqual([422, 'age_out_of_range', tooYoung]);
    const issue = (path: string, code: string) =>
      expect.objectContaining({ issues: [expect.objectContaining({ path, code })] });
    const twice = issue('units.1.unitId', 'duplicate');
    expect(await rejected(units([adult, 2], [adult, 2]))).toEqual([400, 'invalid_request', twice]);
    const tooMany = issue('units.0.ages', 'too_many');
    expect(await rejected(units([adult, 2, [20, 20, 20]]))).toEqual([400, 'invalid_request', tooMany]);
    const foreign = units([(await boatTour()).adult, 1]);
    expect(await rejected(foreign)).toEqual([404, 'not_found', { field: 'units.0.unitId' }]);
  });

  it('a quote names a departure of the product or a day', async () => {
    const { productId, adult: unitId } = await boatTour();
    const { id: departureId } = await newDeparture(app);
    const units = [{ unitId, quantity: 1 }];
    const other = await ask(productId, { departureId, units });
    expect([other.status, other.body.details]).toEqual([404, { field: 'departureId' }]);
    for (const body of [{ units }, { departureId, serviceDate: '2127-05-12', units }]) {
      const { status, body: error } = await ask(productId, body);
      expect([status, error.details]).toMatchObject([400, { issues: [{ path: 'departureId', code: 'exactly_one' }] }]);
    }
    await owner.post(`${PRODUCTS}/${productId}/archival`);
    const archived = await ask(productId, { serviceDate: '2127-05-12', units });
    expect([archived.status, archived.body.code]).toEqual([409, 'product_archived']);
    expect((await ask('without-record', { serviceDate: '2127-05-12', units })).status).toBe(404);
  });
});
