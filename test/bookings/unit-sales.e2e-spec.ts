import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { blocked, entryOf, reversed } from '../action-ledger/reversals.js';
import { newAllotment, poolOf as unitsLeft } from '../distribution/allotments/allotments.js';
import { until } from '../platform/locked-table.js';
import { newDeparture, DEPARTURES } from '../operations/departures.js';
import { activeList, PRICE_LISTS } from '../products/price-lists.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { taxCodeAt } from '../taxes/tax-codes.js';
import { BOOKINGS, invalid, type Item, itemBody, makeBooking, readBooking, readItem, staffWith } from './bookings.js';

interface Added {
  data: Item;
  items: (Item & { quantity: number; unitSellCents: number; taxIncludedCents: number; priceSource: string })[];
  warnings: { code: string; bookingItemId: string }[];
}

interface Traveler {
  id: string;
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** A product with units for adults, children, infants without a seat, and families of four, with a departure and a list. */
async function boatTour({ product = {}, departure = {} }: { product?: object; departure?: object } = {}) {
  const { id: productId } = await newProduct(app, product);
  const unit = async (body: object) => (await newPart(app, productId, 'units', body)).id;
  const adult = await unit({ type: 'adult', name: 'Adult', minAge: 13, costCents: 2_100, costCurrency: 'EUR' });
  const child = await unit({ type: 'child', name: 'Child', minAge: 4, maxAge: 12, accompaniedBy: [adult] });
  const infant = await unit({ type: 'infant', name: 'Infant', maxAge: 3, seats: 0, accompaniedBy: [adult] });
  const family = await unit({ type: 'family', name: 'Family', paxCount: 4, seats: 4, maxQuantity: 2 });
  const list = await activeList(app, [
    { productId, unitId: adult, amountCents: 5_000 },
    { productId, unitId: child, amountCents: 2_500 },
    { productId, unitId: infant, amountCents: 0 },
    { productId, unitId: family, amountCents: 12_000 },
  ]);
  const { id: departureId } = await newDeparture(app, { productId, ...departure });
  return { productId, departureId, list, adult, child, infant, family };
}

/** Status, code and details of a rejected request. */
const refusal = ({ status, body }: { status: number; body: object }) => [
  status,
  Reflect.get(body, 'code'),
  Reflect.get(body, 'details') ?? {},
];

/** The units left in the pool. */
const poolOf = async (departureId: string) => (await unitsLeft(app, departureId)).available;

const add = <T = Added>(bookingId: string, body: object, client = owner) =>
  client.post<T>(`${BOOKINGS}/${bookingId}/items`, body);

async function sell(bookingId: string, body: object, client = owner): Promise<Added> {
  const { status, body: answer, text } = await add(bookingId, body, client);
  expect([status, text]).toEqual([201, text]);
  return answer;
}

async function newTraveler(bookingId: string, body: object): Promise<string> {
  return (await owner.post<{ data: Traveler }>(`${BOOKINGS}/${bookingId}/travelers`, body)).body.data.id;
}

describe('items sold by units', () => {
  it('each unit becomes an item with the prices of the list, and takes its seats', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
    const tour = await boatTour({ product: { taxCodeId } });
    const { departureId, productId, list, adult, child, infant, family } = tour;
    const booking = await makeBooking(owner);
    const before = await poolOf(departureId);
    const units = [
      { unitId: adult, quantity: 2 },
      { unitId: child, quantity: 1 },
      { unitId: infant, quantity: 1 },
      { unitId: family, quantity: 1 },
    ];
    const { data, items } = await sell(booking.id, { departureId, units });
    const listed = { type: 'unit', productId, departureId, optionId: null, priceSource: 'list', taxCodeId };
    expect(items).toMatchObject([
      { ...listed, unitId: adult, quantity: 2, unitSellCents: 5_000, totalSellCents: 10_000, taxIncludedCents: 1_597 },
      { ...listed, unitId: child, quantity: 1, unitSellCents: 2_500, seatsPerUnit: 1, peoplePerUnit: 1 },
      { ...listed, unitId: infant, unitSellCents: 0, seatsPerUnit: 0, peoplePerUnit: 1 },
      { ...listed, unitId: family, unitSellCents: 12_000, seatsPerUnit: 4, peoplePerUnit: 4 },
    ]);
    const { version } = (await owner.get<{ data: { version: number } }>(`${PRICE_LISTS}/${list.id}`)).body.data;
    expect(items.map((item) => [item['priceListId'], item['priceListVersion'], item['listUnitSellCents']])).toEqual(
      [5_000, 2_500, 0, 12_000].map((cents) => [list.id, version, cents]),
    );
    expect(items[0]).toMatchObject({ costCents: 4_200, costCurrency: 'EUR' });
    expect(data).toEqual(items[0]);
    expect(await poolOf(departureId)).toBe((before ?? 0) - 7);
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: 24_500 });
  });

  it('a quote and a sale of the same day have the same figures', async () => {
    const { id: taxCodeId } = await taxCodeAt(owner, 700);
    const { productId, departureId, adult, child } = await boatTour({ product: { taxCodeId } });
    const units = [
      { unitId: adult, quantity: 3 },
      { unitId: child, quantity: 3 },
    ];
    const quoted = await owner.post<{ data: { lines: object[] } }>(`${PRODUCTS}/${productId}/quotes`, {
      currency: 'EUR',
      departureId,
      units,
    });
    const figures = ['unitId', 'quantity', 'unitSellCents', 'totalSellCents', 'taxIncludedCents', 'priceSource'];
    const of = (rows: object[]) => rows.map((row) => figures.map((name) => Reflect.get(row, name)));
    const { items } = await sell((await makeBooking(owner)).id, { departureId, units });
    expect(of(items)).toEqual(of(quoted.body.data.lines));
  });

  it('a unit without a list has the price and the share of tax of the departure', async () => {
    const { id: productId } = await newProduct(app);
    const { id: unitId } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
    const terms = { productId, priceCents: 3_000, taxIncludedCents: 500 };
    const { id: departureId } = await newDeparture(app, terms);
    const { items } = await sell((await makeBooking(owner)).id, { departureId, units: [{ unitId, quantity: 2 }] });
    expect(items).toMatchObject([
      { priceSource: 'departure', unitSellCents: 3_000, taxIncludedCents: 1_000, priceListId: null },
    ]);
  });

  it('a unit is sold at the price that the departure has for it, not at that of the list', async () => {
    const { departureId, adult, child } = await boatTour();
    const unitPrices = [{ unitId: adult, amountCents: 4_100 }];
    expect((await owner.patch(`${DEPARTURES}/${departureId}`, { unitPrices })).status).toBe(200);
    const units = [adult, child].map((unitId) => ({ unitId, quantity: 1 }));
    const { items } = await sell((await makeBooking(owner)).id, { departureId, units });
    expect(items).toMatchObject([
      { priceSource: 'departure', unitSellCents: 4_100, listUnitSellCents: 4_100, priceListId: null },
      { priceSource: 'list', unitSellCents: 2_500 },
    ]);
  });

  it('the title is that of the product in the language of the booking', async () => {
    const texts = [{ locale: 'de', title: 'Donaudelta mit dem Boot' }];
    const { departureId, adult } = await boatTour({ product: { name: 'Delta by boat', texts } });
    const units = [{ unitId: adult, quantity: 1 }];
    const titles = await Promise.all(
      [{ customerLanguage: 'de-AT' }, { customerLanguage: 'fr' }, {}].map(async (terms) => {
        const booking = await makeBooking(owner, terms);
        return (await sell(booking.id, { departureId, units })).data['title'];
      }),
    );
    expect(titles).toEqual(['Donaudelta mit dem Boot: Adult', 'Delta by boat: Adult', 'Delta by boat: Adult']);
  });

  it('a traveler with another age than that of the unit, or a passport that expires before the end, has a warning', async () => {
    const { departureId, adult, child } = await boatTour();
    const booking = await makeBooking(owner);
    const person = { lastName: 'Pop', birthDate: '1984-03-09' };
    const passport = { type: 'passport', number: 'XR054321', issuingCountry: 'RO', expiresOn: '2127-05-11' };
    const travelerId = await newTraveler(booking.id, { ...person, document: passport });
    const path = `${BOOKINGS}/${booking.id}/travelers`;
    const warnings = async () =>
      (await owner.get<{ data: object[] }>(path)).body.data.map((one) => Reflect.get(one, 'warnings'));
    expect(await warnings()).toEqual([[]]);
    const units = [adult, child].map((unitId) => ({ unitId, quantity: 1 }));
    const { items } = await sell(booking.id, { departureId, units });
    const ofChild = `${BOOKINGS}/${booking.id}/items/${items[1]?.id}/travelers`;
    const seats = await owner.put(ofChild, { travelerIds: [travelerId] });
    expect(seats.status).toBe(200);
    expect(await warnings()).toEqual([['age_out_of_range', 'document_expired']]);
    const later = { document: { ...passport, expiresOn: '2127-05-12' } };
    expect((await owner.patch(`${path}/${travelerId}`, later)).status).toBe(200);
    expect(await warnings()).toEqual([['age_out_of_range']]);
    const unborn = await owner.patch(`${path}/${travelerId}`, { birthDate: '2127-01-01' });
    expect([unborn.status, unborn.body]).toEqual([400, invalid('birthDate', 'in_the_future')]);
  });

  it('travelers get the seats of their item, and their ages on the day of service count', async () => {
    const { departureId, adult, child } = await boatTour();
    const booking = await makeBooking(owner);
    // The departure is on 2127-05-12, and the API accepts no birth in the future.
    const bornLater = async (day: string) => {
      const id = await newTraveler(booking.id, { lastName: 'Pop' });
      await app.sql('update booking_travelers set birth_date = $2 where id = $1', [id, day]);
      return id;
    };
    const [parent, twelve, thirteen, unknown] = await Promise.all([
      bornLater('2090-01-01'),
      bornLater('2114-05-13'),
      bornLater('2114-05-12'),
      newTraveler(booking.id, { lastName: 'Pop' }),
    ]);
    const sale = (travelerId?: string) => ({
      departureId,
      units: [
        { unitId: adult, quantity: 1, travelerIds: [parent] },
        { unitId: child, quantity: 1, travelerIds: [travelerId] },
      ],
    });
    expect(refusal(await add(booking.id, sale(thirteen)))).toMatchObject([
      422,
      'age_out_of_range',
      { field: 'units.1.travelerIds' },
    ]);
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: null });

    const { items, warnings } = await sell(booking.id, sale(twelve));
    expect(warnings).toEqual([]);
    const seats = await Promise.all(
      items.map(async ({ id }) => (await owner.get(`${BOOKINGS}/${booking.id}/items/${id}/travelers`)).body),
    );
    expect(seats).toMatchObject([
      { data: { people: 1, seats: [{ seat: 1, travelerId: parent }] } },
      { data: { people: 1, seats: [{ seat: 1, travelerId: twelve }] } },
    ]);
    const other = await sell(booking.id, sale(unknown));
    expect(other.warnings).toEqual([{ code: 'age_unknown', bookingItemId: other.items[1]?.id }]);
  });

  it.each<[string, (tour: Awaited<ReturnType<typeof boatTour>>) => object, [number, string, object?]]>([
    [
      'a unit without the adult',
      ({ child }) => ({ units: [{ unitId: child, quantity: 1 }] }),
      [422, 'not_accompanied'],
    ],
    [
      'more families than allowed',
      ({ family }) => ({ units: [{ unitId: family, quantity: 3 }] }),
      [422, 'unit_quantity'],
    ],
    [
      'an unknown unit',
      ({ adult }) => ({ units: [{ unitId: adult.replace(/.{4}$/, '0000'), quantity: 1 }] }),
      [404, 'not_found', { field: 'units.0.unitId' }],
    ],
    [
      'a stale price',
      ({ adult }) => ({ units: [{ unitId: adult, quantity: 1, unitSellCents: 4_999 }] }),
      [422, 'price_differs', { field: 'units.0.unitSellCents', expected: 5_000, actual: 4_999 }],
    ],
    [
      'a traveler of another booking',
      ({ adult }) => ({ units: [{ unitId: adult, quantity: 1, travelerIds: ['trav_01k0dem000e000000000000001'] }] }),
      [404, 'not_found', { field: 'units.0.travelerIds.0' }],
    ],
    [
      'members that follow from the units',
      ({ adult }) => ({ quantity: 2, costCents: 5, costCurrency: 'EUR', units: [{ unitId: adult, quantity: 1 }] }),
      [400, 'invalid_request', { fields: { quantity: [expect.any(String)], costCents: [expect.any(String)] } }],
    ],
    [
      'an option without units',
      () => ({ ...itemBody(), optionId: 'popt_01k0dem000e000000000000001' }),
      [400, 'invalid_request', { fields: { optionId: [expect.any(String)] } }],
    ],
  ])('%s is rejected, and nothing is sold', async (_, bodyOf, [status, code, details = {}]) => {
    const tour = await boatTour();
    const booking = await makeBooking(owner);
    const pool = await poolOf(tour.departureId);
    const answer = await add(booking.id, { departureId: tour.departureId, ...bodyOf(tour) });
    expect(refusal(answer)).toMatchObject([status, code, details]);
    expect(await poolOf(tour.departureId)).toBe(pool);
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: null });
  });

  it('without units, the kind, the title and the price are required', async () => {
    const { id } = await makeBooking(owner);
    const [status, code, details] = refusal(await add(id, { quantity: 1 }));
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(Object.keys((details as { fields: object }).fields)).toEqual(['type', 'title', 'unitSellCents']);
  });

  it('all units are sold or none', async () => {
    const { departureId, adult, family } = await boatTour({ departure: { capacity: 6 } });
    const { id } = await makeBooking(owner);
    const units = [
      { unitId: adult, quantity: 3 },
      { unitId: family, quantity: 1 },
    ];
    expect(refusal(await add(id, { departureId, units }))).toMatchObject([409, 'capacity_exceeded', { available: 3 }]);
    expect(await poolOf(departureId)).toBe(6);
  });

  it('ten parallel sales of families never exceed the capacity', async () => {
    const { departureId, family, infant, adult } = await boatTour({ departure: { capacity: 14 } });
    const bookings = await Promise.all(Array.from({ length: 10 }, () => makeBooking(owner)));
    const units = [
      { unitId: family, quantity: 1 },
      { unitId: adult, quantity: 1 },
      { unitId: infant, quantity: 1 },
    ];
    const answers = await Promise.all(bookings.map(({ id }) => add(id, { departureId, units })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(await poolOf(departureId)).toBe(4);
    const { status, body } = await owner.get<{ data: { conserved: boolean } }>('/v1/admin/finance/integrity');
    expect([status, body.data.conserved]).toEqual([200, true]);
  });

  it('an infant needs open sales, although it takes no seat', async () => {
    const { departureId, productId, adult } = await boatTour({ departure: { capacity: 1 } });
    const booking = await makeBooking(owner);
    await sell(booking.id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    const alone = (await newPart(app, productId, 'units', { type: 'other', name: 'Lap child', seats: 0 })).id;
    await activeList(app, [{ productId, unitId: alone, amountCents: 0 }]);
    const lap = { departureId, units: [{ unitId: alone, quantity: 1 }] };
    await sell(booking.id, lap);
    await owner.post(`${DEPARTURES}/${departureId}/sales-closing`);
    expect(refusal(await add(booking.id, lap))).toMatchObject([409, 'sales_closed', {}]);
  });
});

describe('the price of a sold unit', () => {
  it('a typed price needs the override, its scope and a reason, which the ledger keeps', async () => {
    const { departureId, adult } = await boatTour();
    const clerk = await staffWith(app, 'bookings:read', 'bookings:write');
    const booking = await makeBooking(owner);
    const body = { departureId, units: [{ unitId: adult, quantity: 1, unitSellCents: 4_000 }] };
    const free = { ...body, override: ['price'], overrideReason: 'A regular guest' };
    expect(refusal(await add(booking.id, body))).toMatchObject([422, 'price_differs', {}]);
    expect(refusal(await add(booking.id, { ...body, override: ['price'] }))).toMatchObject([
      400,
      'invalid_request',
      {},
    ]);
    expect((await add(booking.id, free, clerk)).status).toBe(403);
    const { data } = await sell(booking.id, free);
    expect(data).toMatchObject({ unitSellCents: 4_000, listUnitSellCents: 5_000, priceSource: 'manual' });
    expect(await entryOf(app, data.id, 'bookings.booking_item.create')).toMatchObject({ reason: 'A regular guest' });
  });

  it('a unit without any price is sold at a typed one', async () => {
    const { productId, departureId } = await boatTour();
    const { id: unitId } = await newPart(app, productId, 'units', { type: 'senior', name: 'Senior' });
    const { id } = await makeBooking(owner);
    const priced = { departureId, units: [{ unitId, quantity: 1, unitSellCents: 4_000 }] };
    expect(refusal(await add(id, priced))).toMatchObject([422, 'price_missing', { field: 'units.0.unitId' }]);
    const { data } = await sell(id, { ...priced, override: ['price'], overrideReason: 'Agreed by telephone' });
    expect(data).toMatchObject({ listUnitSellCents: null, priceListId: null, priceSource: 'manual' });
  });

  it('an item keeps its price when its list is retired, and stays within the quantity of its unit', async () => {
    const { departureId, list, family } = await boatTour();
    const booking = await makeBooking(owner);
    const { data: item } = await sell(booking.id, { departureId, units: [{ unitId: family, quantity: 1 }] });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    const pool = await poolOf(departureId);
    const { body } = await owner.patch<{ data: Item }>(path, { quantity: 2 });
    expect(body.data).toMatchObject({ unitSellCents: 12_000, totalSellCents: 24_000, priceSource: 'list' });
    expect(await poolOf(departureId)).toBe((pool ?? 0) - 4);
    expect((await owner.post(`${PRICE_LISTS}/${list.id}/retirement`)).status).toBe(200);
    expect(await readItem(owner, item)).toMatchObject({ unitSellCents: 12_000, priceSource: 'list' });
    expect(refusal(await owner.patch(path, { quantity: 3 }))).toMatchObject([
      422,
      'unit_quantity',
      { field: 'quantity' },
    ]);
  });

  it('a changed price needs the override, and its reversal restores the one of the list', async () => {
    const { departureId, adult } = await boatTour();
    const booking = await makeBooking(owner);
    const { data: item } = await sell(booking.id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    expect(refusal(await owner.patch(path, { unitSellCents: 1 }))).toMatchObject([
      422,
      'price_differs',
      { expected: 5_000, actual: 1 },
    ]);
    const free = { override: ['price'], overrideReason: 'Goodwill' };
    const changed = await owner.patch<{ data: Item }>(path, { unitSellCents: 4_500, ...free });
    expect(changed.body.data).toMatchObject({ unitSellCents: 4_500, priceSource: 'manual' });
    const renamed = await owner.patch(path, { title: 'Boat' });
    expect(renamed.status).toBe(200);
    const back = await owner.patch<{ data: Item }>(path, { unitSellCents: 5_000 });
    expect(back.body.data).toMatchObject({ unitSellCents: 5_000, priceSource: 'list' });

    await owner.patch(path, { unitSellCents: 4_500, ...free });
    await reversed(app, item.id, 'bookings.booking_item.update');
    expect(await readItem(owner, item)).toMatchObject({ unitSellCents: 5_000, priceSource: 'list' });
  });

  it('a unit moves to a departure of its product only, and keeps its price', async () => {
    const { departureId, productId, adult } = await boatTour();
    const next = await newDeparture(app, { productId, priceCents: 7_700 });
    const other = await newDeparture(app);
    const booking = await makeBooking(owner);
    const { data: item } = await sell(booking.id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    expect(refusal(await owner.patch(path, { departureId: other.id }))).toMatchObject([
      422,
      'product_mismatch',
      { field: 'departureId' },
    ]);
    const { body } = await owner.patch<{ data: Item }>(path, { departureId: next.id });
    expect(body.data).toMatchObject({ departureId: next.id, unitSellCents: 5_000, priceSource: 'list' });
  });

  it('a unit moves only to departures that sell its option, except by a reversal', async () => {
    const { productId, departureId, adult } = await boatTour();
    const option = async (name: string) => (await newPart(app, productId, 'options', { name })).id;
    const [morning, privately] = [await option('Morning'), await option('Private')];
    const { id: same } = await newDeparture(app, { productId, optionId: morning });
    const { id: other } = await newDeparture(app, { productId, optionId: privately });
    const booking = await makeBooking(owner);
    const { data: item } = await sell(booking.id, { departureId: same, units: [{ unitId: adult, quantity: 1 }] });
    const move = (id: string) => owner.patch<object>(`${BOOKINGS}/${booking.id}/items/${item.id}`, { departureId: id });
    const narrow = (id: string, optionId: string) => owner.patch<object>(`${DEPARTURES}/${id}`, { optionId });

    const mismatch = { field: 'departureId', expected: morning, actual: privately };
    expect(refusal(await move(other))).toEqual([422, 'option_mismatch', mismatch]);
    expect((await move(departureId)).status).toBe(200);
    const inUse = { sold: 1, held: 0, optionIds: [morning] };
    expect(refusal(await narrow(departureId, privately))).toEqual([409, 'departure_in_use', inUse]);
    expect((await narrow(departureId, morning)).status).toBe(200);
    expect((await narrow(same, privately)).status).toBe(200);
    await reversed(app, item.id, 'bookings.booking_item.update');
    expect(await readItem(owner, item)).toMatchObject({ departureId: same, optionId: morning });
  });

  it('of a sale and another option for its departure at the same time, one is rejected', async () => {
    const { productId, adult } = await boatTour();
    const option = async (name: string) => (await newPart(app, productId, 'options', { name })).id;
    const [morning, privately] = [await option('Morning'), await option('Private')];
    const booking = await makeBooking(owner);
    for (let round = 0; round < 4; round += 1) {
      const { id: departureId } = await newDeparture(app, { productId });
      const [sale, narrowed] = await Promise.all([
        add<object>(booking.id, { departureId, optionId: morning, units: [{ unitId: adult, quantity: 1 }] }),
        owner.patch(`${DEPARTURES}/${departureId}`, { optionId: privately }),
      ]);
      const outcomes = [
        [201, 409],
        [422, 200],
      ];
      expect(outcomes).toContainEqual([sale.status, narrowed.status]);
    }
  });

  it('a seat without a unit needs the override if the product is sold by units', async () => {
    const { departureId } = await boatTour({ departure: { priceCents: 5_900 } });
    const { id: plain } = await newDeparture(app, { priceCents: 5_900 });
    const booking = await makeBooking(owner);
    const seat = (departure: string, cents: number, more: object = {}) =>
      add(booking.id, { ...itemBody({ departureId: departure, unitSellCents: cents }), ...more });
    expect(await seat(departureId, 5_900)).toMatchObject({
      status: 422,
      body: {
        ...{ code: 'price_differs', error: 'The product is sold by units: send units, or override the price' },
        details: { field: 'units', actual: 5_900 },
      },
    });
    const free = { override: ['price'], overrideReason: 'Group' };
    const sold = await Promise.all([seat(departureId, 5_900, free), seat(plain, 5_900), seat(plain, 5_800)]);
    expect(sold.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(sold.map(({ body }) => body.data['priceSource'])).toEqual(['departure', 'departure', 'manual']);
    const seats = `${BOOKINGS}/${booking.id}/items/${sold[0]?.body.data.id}`;
    expect(refusal(await owner.patch<object>(seats, { quantity: 9 }))).toMatchObject([
      ...[422, 'price_differs', { field: 'override' }],
    ]);
    await app.sql('update booking_items set product_id = null where id = $1', [sold[0]?.body.data.id]);
    expect(refusal(await owner.patch<object>(seats, { unitSellCents: 1 }))).toMatchObject([422, 'price_differs', {}]);
    const typed = await add(booking.id, itemBody({ unitSellCents: 1 }));
    const path = `${BOOKINGS}/${booking.id}/items/${typed.body.data.id}`;
    expect(refusal(await owner.patch(path, { departureId }))).toMatchObject([422, 'price_differs', { actual: 1 }]);
  });

  it('more of a unit are sold at the price of today only, or with the override', async () => {
    const { departureId, productId, adult } = await boatTour();
    const booking = await makeBooking(owner);
    const { data: item } = await sell(booking.id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    await activeList(app, [{ productId, unitId: adult, amountCents: 9_000 }], { priority: 9 });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    expect(refusal(await owner.patch(path, { quantity: 2 }))).toMatchObject([
      422,
      'price_differs',
      { expected: 9_000, actual: 5_000 },
    ]);
    const free = { override: ['price'], overrideReason: 'Agreed before the season' };
    const { body } = await owner.patch<{ data: Item }>(path, { quantity: 2, ...free });
    expect(body.data).toMatchObject({ totalSellCents: 10_000, costCents: 4_200 });
    expect((await owner.patch(path, { quantity: 1 })).status).toBe(200);
  });

  it('a sale that waits for new prices of its list sells at these', async () => {
    const { departureId, productId, list, adult } = await boatTour();
    const { id } = await makeBooking(owner);
    const client = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await client.connect();
    await client.query('begin');
    await client.query('update price_lists set version = version + 1 where id = $1', [list.id]);
    await client.query('update prices set amount_cents = 9000 where price_list_id = $1 and unit_id = $2', [
      list.id,
      adult,
    ]);
    const sale = add(id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => (await client.query(waiting)).rowCount === 1);
    await client.query('commit');
    await client.end();
    const sold = await sale;
    const { version } = (await owner.get<{ data: { version: number } }>(`${PRICE_LISTS}/${list.id}`)).body.data;
    expect(sold.body.data).toMatchObject({ productId, unitSellCents: 9_000, priceListVersion: version });
  });

  it('a departure in another currency is sold with the override', async () => {
    const { departureId, adult } = await boatTour({ departure: { currency: 'RON', priceCents: 9_900 } });
    const { id } = await makeBooking(owner);
    const body = { departureId, units: [{ unitId: adult, quantity: 1 }] };
    expect(refusal(await add(id, body))).toMatchObject([422, 'currency_mismatch', {}]);
    const { data } = await sell(id, { ...body, override: ['currency'], overrideReason: 'Paid in euros' });
    expect(data).toMatchObject({ currency: 'EUR', unitSellCents: 5_000, priceSource: 'list' });
  });
});

describe('units with several seats or none', () => {
  it('a cancellation and its reversal release and take all seats', async () => {
    const { departureId, adult, infant, family } = await boatTour();
    const booking = await makeBooking(owner);
    const full = await poolOf(departureId);
    const units = [adult, infant, family].map((unitId) => ({ unitId, quantity: 1 }));
    const { items } = await sell(booking.id, { departureId, units });
    const pathOf = (index: number) => `${BOOKINGS}/${booking.id}/items/${items[index]?.id}`;
    for (const index of [1, 2]) expect((await owner.post(`${pathOf(index)}/cancellation`)).status).toBe(200);
    expect(await poolOf(departureId)).toBe((full ?? 0) - 1);
    for (const index of [1, 2]) {
      expect((await owner.post(`${pathOf(index)}/reinstatement`, { reason: 'A mistake' })).status).toBe(200);
    }
    expect(await poolOf(departureId)).toBe((full ?? 0) - 5);
    expect((await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    expect(await poolOf(departureId)).toBe(full);
  });

  it('units are sold through an allotment, also those without seats', async () => {
    const { departureId, productId, adult, infant, family } = await boatTour();
    const allotment = await newAllotment(app, { productId, defaultQuantity: 6 });
    const { channelId } = allotment;
    const booking = await makeBooking(owner, { channelId });
    const units = [adult, infant, family].map((unitId) => ({ unitId, quantity: 1 }));
    await sell(booking.id, { departureId, allotmentId: allotment.id, units });
    expect(refusal(await add(booking.id, { departureId, allotmentId: allotment.id, units }))).toMatchObject([
      409,
      'capacity_exceeded',
      { available: 0 },
    ]);
    await owner.patch(`/v1/admin/distribution/inventory-allotments/${allotment.id}`, { active: false });
    const alone = { departureId, allotmentId: allotment.id, units: [{ unitId: adult, quantity: 1 }] };
    expect(refusal(await add(booking.id, alone))).toMatchObject([409, 'allotment_inactive', {}]);
  });

  it('more people without seats need open sales and count for the minimum; the departure stays', async () => {
    const { departureId, productId } = await boatTour({ departure: { minParticipants: 4 } });
    const { id: lap } = await newPart(app, productId, 'units', { type: 'other', name: 'Lap child', seats: 0 });
    await activeList(app, [{ productId, unitId: lap, amountCents: 0 }]);
    const { booking, path } = await lapChild({ departureId, lap });
    await owner.post(`${BOOKINGS}/${booking.id}/confirmation`);
    expect((await owner.patch(path, { quantity: 4 })).status).toBe(200);
    expect((await owner.get(`${DEPARTURES}/${departureId}`)).body).toMatchObject({ data: { runState: 'guaranteed' } });
    const cancellation = await owner.post<object>(`${DEPARTURES}/${departureId}/cancellation`, {});
    expect(refusal(cancellation)).toMatchObject([409, 'departure_in_use', {}]);
    const past = { startsAt: '2020-05-12T06:00:00Z', endsAt: '2020-05-12T08:00:00Z' };
    expect(refusal(await owner.patch<object>(`${DEPARTURES}/${departureId}`, past))).toMatchObject([
      409,
      'departure_in_past',
      {},
    ]);
    await owner.post(`${DEPARTURES}/${departureId}/sales-closing`);
    expect(refusal(await owner.patch<object>(path, { quantity: 5 }))).toMatchObject([409, 'sales_closed', {}]);
  });

  async function lapChild({ departureId, lap }: { departureId: string; lap: string }) {
    const booking = await makeBooking(owner);
    const { data } = await sell(booking.id, { departureId, units: [{ unitId: lap, quantity: 1 }] });
    return { booking, path: `${BOOKINGS}/${booking.id}/items/${data.id}` };
  }

  it('bounds of amounts and titles are those of the unit', async () => {
    const { productId, departureId } = await boatTour();
    const terms = { type: 'senior', name: 'S'.repeat(255), costCents: Number.MAX_SAFE_INTEGER, costCurrency: 'EUR' };
    const { id: unitId } = await newPart(app, productId, 'units', terms);
    await activeList(app, [{ productId, unitId, amountCents: 100 }]);
    const { id } = await makeBooking(owner);
    expect(refusal(await add(id, { departureId, units: [{ unitId, quantity: 2 }] }))).toMatchObject([
      400,
      'invalid_request',
      { fields: { 'units.0.quantity': [expect.any(String)] } },
    ]);
    const { data } = await sell(id, { departureId, units: [{ unitId, quantity: 1 }] });
    expect([String(data['title']).length, data['costCents']]).toEqual([255, Number.MAX_SAFE_INTEGER]);
  });

  it('an item that is sold by units stays on a departure and keeps its type', async () => {
    const { departureId, adult } = await boatTour();
    const booking = await makeBooking(owner);
    const { data } = await sell(booking.id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    const path = `${BOOKINGS}/${booking.id}/items/${data.id}`;
    const answers = await Promise.all(
      [{ departureId: null }, { type: 'fee' }].map((one) => owner.patch<object>(path, one)),
    );
    expect(answers.map(refusal)).toMatchObject([
      [400, 'invalid_request', { fields: { departureId: [expect.any(String)] } }],
      [400, 'invalid_request', { fields: { type: [expect.any(String)] } }],
    ]);
  });
});

describe('what sold units protect', () => {
  it('a sold unit cannot be deleted', async () => {
    const { productId, departureId } = await boatTour();
    const { id: unitId } = await newPart(app, productId, 'units', { type: 'senior', name: 'Senior' });
    const { id } = await makeBooking(owner);
    const typed = { departureId, units: [{ unitId, quantity: 1, unitSellCents: 100 }] };
    await sell(id, { ...typed, override: ['price'], overrideReason: 'Agreed' });
    expect(refusal(await owner.delete(`${PRODUCTS}/${productId}/units/${unitId}`))).toMatchObject([
      409,
      'unit_in_use',
      {},
    ]);
  });

  it('the activation of a list is not reversed once an item records it', async () => {
    const { departureId, list, adult } = await boatTour();
    const { id } = await makeBooking(owner);
    await sell(id, { departureId, units: [{ unitId: adult, quantity: 1 }] });
    expect(await blocked(app, list.id, 'products.price_list.activate')).toMatchObject({ priceListId: list.id });
  });

  it('the people of units count on the manifest, for the minimum and in the list of bookings', async () => {
    const { departureId, adult, infant, family } = await boatTour({ departure: { minParticipants: 6 } });
    const booking = await makeBooking(owner);
    const units = [
      { unitId: adult, quantity: 1 },
      { unitId: infant, quantity: 1 },
      { unitId: family, quantity: 1 },
    ];
    await sell(booking.id, { departureId, units });
    expect((await owner.get(`${DEPARTURES}/${departureId}`)).body).toMatchObject({ data: { runState: 'tentative' } });
    await owner.post(`${BOOKINGS}/${booking.id}/confirmation`);
    expect((await owner.get(`${DEPARTURES}/${departureId}`)).body).toMatchObject({ data: { runState: 'guaranteed' } });
    const { body } = await owner.get<{ data: { people: { name: string; unit: string }[]; sold: number } }>(
      `/v1/admin/operations/departures/${departureId}/manifest`,
    );
    expect([body.data.people.length, body.data.sold]).toEqual([6, 5]);
    expect(body.data.people.map(({ name }) => name)).toContain('Guest 6 of 6');
    const listed = await owner.get(`${BOOKINGS}?departureId=${departureId}`);
    expect(listed.body).toMatchObject({ data: [{ people: 6 }] });
  });
});
