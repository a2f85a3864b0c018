import { beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../action-ledger/reversals.js';
import { makeBooking, problem, readBooking } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newChannel } from '../distribution/channels.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { activeList, PRICE_LISTS } from '../products/price-lists.js';
import { newPart, newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { taxCodeAt } from '../taxes/tax-codes.js';
import { book, type Component, makeTrip, PARTY, price, readDeparture, readTrip, reserve, TRIPS } from './trips.js';

type Item = Record<string, unknown> & { id: string; unitId: string | null; type: string };

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** A product with units, a required extra for each person and one for the booking, and a departure. */
async function tour({ departure = {} }: { departure?: object } = {}) {
  const { id: taxCodeId } = await taxCodeAt(owner, 1_900);
  const { id: extraTaxCodeId } = await taxCodeAt(owner, 700);
  const { id: productId } = await newProduct(app, { taxCodeId });
  const part = async (list: 'options' | 'units' | 'extras', body: object) =>
    (await newPart(app, productId, list, body)).id;
  const [shared, privately] = [await part('options', { name: 'Shared' }), await part('options', { name: 'Private' })];
  const adult = await part('units', { type: 'adult', name: 'Adult', costCents: 2_100, costCurrency: 'EUR' });
  const child = await part('units', { type: 'child', name: 'Child', accompaniedBy: [adult], maxQuantity: 3 });
  const infant = await part('units', { type: 'infant', name: 'Infant', seats: 0, accompaniedBy: [adult] });
  const family = await part('units', { type: 'family', name: 'Family', paxCount: 4, seats: 4 });
  const required = { required: true, kind: 'service' };
  const prices = (amountCents: number) => [{ currency: 'EUR', amountCents }];
  await part('extras', {
    ...{ ...required, name: 'Park fee', pricing: 'per_person', prices: prices(333), taxCodeId: extraTaxCodeId },
  });
  await part('extras', { ...required, name: 'Handling', pricing: 'per_booking', prices: prices(1_001) });
  const list = await activeList(app, [
    { productId, unitId: adult, amountCents: 4_999 },
    { productId, unitId: adult, optionId: privately, amountCents: 9_001 },
    { productId, unitId: child, amountCents: 2_501 },
    { productId, unitId: infant, amountCents: 0 },
    { productId, unitId: family, amountCents: 12_345 },
  ]);
  const { id: departureId } = await newDeparture(app, { productId, capacity: 20, ...departure });
  return { productId, departureId, list, shared, privately, adult, child, infant, family };
}

const component = (departureId: string, units: object[], more: object = {}) => ({
  ...{ kind: 'catalog_booking', title: 'Boat tour', departureId, units, ...more },
});

const itemsOf = async (bookingId: unknown) =>
  (await owner.get<{ data: Item[] }>(`/v1/admin/bookings/${String(bookingId)}/items?limit=200`)).body.data;

/** What a sale decides, without the IDs and times of the items. */
const sold = (items: readonly Item[]) =>
  items
    .map(({ id: _id, bookingId: _b, createdAt: _c, updatedAt: _u, version: _v, ...item }) => item)
    .sort((a, b) => String(a['title']).localeCompare(String(b['title'])));

async function addTo(envelopeId: string, body: object) {
  return owner.post<{ data: Component; code?: string; details?: object }>(`${TRIPS}/${envelopeId}/components`, body);
}

describe('components with units', () => {
  it('a component whose units were priced without lines by an older build is priced again before it is booked', async () => {
    const { departureId, shared, adult } = await tour();
    const units = [{ unitId: adult, quantity: 1 }];
    const made = await makeTrip(owner, [component(departureId, units, { optionId: shared })]);
    expect((await reserve(owner, made.envelopeId)).status).toBe(200);
    await app.sql(`update trip_components set lines = '[]' where envelope_id = $1`, [made.envelopeId]);

    const componentIds = made.components.map(({ componentId }) => componentId);
    const rejected = await book(owner, made.envelopeId);
    expect([rejected.status, rejected.body]).toEqual([409, problem('trip_not_priced', { componentIds })]);
    expect((await readTrip(owner, made.envelopeId)).status).toBe('reserved');
  });

  it('a booked component with units has the same items as a direct sale of these units, with their required extras', async () => {
    const { departureId, privately, adult, child, infant, family, list } = await tour();
    const units = [
      { unitId: adult, quantity: 2 },
      { unitId: child, quantity: 1 },
      { unitId: infant, quantity: 1 },
      { unitId: family, quantity: 1 },
    ];
    const travelers = ['Ada', 'Bob', 'Cleo', 'Dora'].map((name) => ({ name }));
    const terms = { optionId: privately };
    const made = await makeTrip(owner, [component(departureId, units, terms)], {
      travelerParty: { ...PARTY, travelers },
    });
    const priced = (await price(owner, made.envelopeId)).body.data;
    const reserved = (await reserve(owner, made.envelopeId)).body.data;
    const held = await readDeparture(owner, departureId);
    // The price was offered, so the list no longer matters.
    await owner.post(`${PRICE_LISTS}/${list.id}/retirement`);
    const booked = (await book(owner, made.envelopeId)).body.data;
    const left = await readDeparture(owner, departureId);

    expect([reserved.status, booked.status]).toEqual(['reserved', 'booked']);
    expect([held.held, held.sold, left.held, left.sold]).toEqual([7, 0, 0, 7]);
    const [one] = booked.components;
    const itemIds = one?.['bookingItemIds'] as string[];
    const items = await itemsOf(booked.bookingId);
    expect(one).toMatchObject({ quantity: 5, units, optionId: privately, bookingItemId: itemIds[0] });
    expect(itemIds).toHaveLength(6);
    expect(items.map(({ id }) => id).sort()).toEqual([...itemIds].sort());
    const total = items.reduce((sum, item) => sum + Number(item['totalSellCents']), 0);
    const tax = items.reduce((sum, item) => sum + Number(item['taxIncludedCents']), 0);
    expect([priced.totalCents, one?.['totalCents'], one?.['taxCents']]).toEqual([total, total, tax]);

    const again = await owner.post(`${PRICE_LISTS}/${list.id}/copies`, {});
    const copy = (again.body as { data: { id: string } }).data.id;
    await owner.post(`${PRICE_LISTS}/${copy}/activation`);
    const booking = await makeBooking(owner);
    const direct = await owner.post(`/v1/admin/bookings/${booking.id}/items`, {
      ...{ departureId, optionId: privately, title: 'Boat tour', units },
    });
    expect(direct.status).toBe(201);
    const withoutList = (all: ReturnType<typeof sold>) =>
      all.map(({ priceListId: _id, priceListVersion: _version, ...item }) => item);
    expect(withoutList(sold(items))).toEqual(withoutList(sold(await itemsOf(booking.id))));
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: total });

    const seats = await app.sql<{ unit: string; names: string }>(
      `select unit.name as unit, string_agg(traveler.first_name, ' ' order by traveler.position) as names
       from booking_item_travelers seat join booking_items item on item.id = seat.item_id
       join product_units unit on unit.id = item.unit_id join booking_travelers traveler on traveler.id = seat.traveler_id
       where item.booking_id = $1 group by 1 order by 1`,
      [booked.bookingId],
    );
    expect(seats.map(({ unit }) => unit)).toEqual(['Adult', 'Child', 'Infant']);
  });

  it('an agency pays the prices of its channel, by trip as in a direct sale', async () => {
    const { productId, departureId, adult } = await tour();
    const { id: crate } = await newPart(app, productId, 'units', { type: 'other', name: 'Crate' });
    const { id: channelId } = await newChannel(app);
    const prices = [
      { productId, unitId: adult, amountCents: 3_999 },
      { productId, unitId: crate, amountCents: 750 },
    ];
    await activeList(app, prices, { channelId });
    const { id: customerId } = await newCustomer(app, { kind: 'company', companyName: 'Carpathia Travel' });
    await owner.put(`${CUSTOMERS}/${customerId}/agency-terms`, { channelId });
    const units = [
      { unitId: adult, quantity: 2 },
      { unitId: crate, quantity: 1 },
    ];
    const direct = await makeBooking(owner, { customerId });
    const sale = await owner.post(`/v1/admin/bookings/${direct.id}/items`, { departureId, title: 'Boat tour', units });
    const { totalCents } = await readBooking(owner, direct.id);
    const made = await makeTrip(owner, [component(departureId, units)], { customerId });
    const priced = (await price(owner, made.envelopeId)).body.data;
    await reserve(owner, made.envelopeId);
    const booked = (await book(owner, made.envelopeId)).body.data;
    const booking = await readBooking(owner, String(booked.bookingId));
    const foreign = await makeTrip(owner, []);
    const rejected = await addTo(foreign.envelopeId, component(departureId, units));

    expect([sale.status, totalCents]).toEqual([201, 2 * 3_999 + 750 + 3 * 333 + 1_001]);
    expect([priced.totalCents, booked.totalCents, booking['totalCents']]).toEqual([totalCents, totalCents, totalCents]);
    expect(booking).toMatchObject({ channelId, customerId });
    expect(sold(await itemsOf(booked.bookingId))).toEqual(sold(await itemsOf(direct.id)));
    expect([rejected.status, rejected.body.code]).toEqual([422, 'price_missing']);
  });

  it('a customer of another channel clears the prices of units, and is rejected for a reserved trip', async () => {
    const { productId, departureId, adult } = await tour();
    const { id: channelId } = await newChannel(app);
    await activeList(app, [{ productId, unitId: adult, amountCents: 3_999 }], { channelId });
    const { id: agency } = await newCustomer(app, { kind: 'company', companyName: 'Carpathia Travel' });
    await owner.put(`${CUSTOMERS}/${agency}/agency-terms`, { channelId });
    const { id: person } = await newCustomer(app);
    const { envelopeId } = await makeTrip(owner, [component(departureId, [{ unitId: adult, quantity: 1 }])]);
    const path = `${TRIPS}/${envelopeId}`;
    const choose = async (customerId: string) => {
      const { status, body } = await owner.patch<{ code?: string }>(path, { customerId });
      const { components, ...trip } = await readTrip(owner, envelopeId);
      return [status, body.code, trip.status, trip.totalCents, components[0]?.['totalCents'], components[0]?.['lines']];
    };
    const cents = 4_999 + 333 + 1_001;
    await price(owner, envelopeId);

    expect(await choose(person)).toMatchObject([200, undefined, 'priced', cents, cents, [{}, {}, {}]]);
    expect(await choose(agency)).toEqual([200, undefined, 'draft', null, null, []]);
    expect((await price(owner, envelopeId)).body.data.totalCents).toBe(cents - 1_000);
    await reserve(owner, envelopeId);
    expect((await choose(person)).slice(0, 4)).toEqual([409, 'invalid_transition', 'reserved', cents - 1_000]);
  });

  it('a departure on which a trip holds units of an option is not given another one', async () => {
    const { departureId, shared, privately, adult } = await tour();
    const units = [{ unitId: adult, quantity: 2 }];
    const { envelopeId } = await makeTrip(owner, [component(departureId, units)]);
    await reserve(owner, envelopeId);
    const path = `${DEPARTURES}/${departureId}`;
    const narrowed = await owner.patch(path, { optionId: privately });
    const details = { sold: 0, held: 2, optionIds: [shared] };

    expect([narrowed.status, narrowed.body]).toMatchObject([409, { code: 'departure_in_use', details }]);
    expect((await owner.patch(path, { optionId: shared })).status).toBe(200);
    await owner.post(`${TRIPS}/${envelopeId}/cancellation`, {});
    expect((await owner.patch(path, { optionId: privately })).status).toBe(200);
  });

  it('an extra that is required once for a booking belongs to the first of two components of the product', async () => {
    const { departureId, adult } = await tour();
    const units = [{ unitId: adult, quantity: 1 }];
    const { envelopeId } = await makeTrip(owner, [component(departureId, units), component(departureId, units)]);
    await reserve(owner, envelopeId);
    const { bookingId, components } = (await book(owner, envelopeId)).body.data;

    const extras = (await itemsOf(bookingId)).filter(({ type }) => type === 'extra').map(({ title }) => title);
    expect(extras.sort()).toEqual(['Handling', 'Park fee', 'Park fee']);
    expect(components.map(({ totalCents }) => totalCents)).toEqual([4_999 + 333 + 1_001, 4_999 + 333]);
  });

  it('units that the product does not sell are rejected as in a sale, and a component without units stays as before', async () => {
    const { departureId, privately, adult, child } = await tour();
    const { departureId: otherId } = await tour({ departure: { currency: 'USD' } });
    const { envelopeId } = await makeTrip(owner, []);
    const code = async (body: object) => {
      const { status, body: answer } = await addTo(envelopeId, body);
      return [status, answer.code, Reflect.get(answer.details ?? {}, 'field')];
    };
    const { id: unpriced } = await newPart(app, (await tour()).productId, 'units', { type: 'other', name: 'Dog' });

    expect([
      await code(component(departureId, [{ unitId: child, quantity: 1 }])),
      await code(
        component(departureId, [
          { unitId: adult, quantity: 1 },
          { unitId: child, quantity: 4 },
        ]),
      ),
      await code(component(departureId, [{ unitId: unpriced, quantity: 1 }])),
      await code(component(otherId, [{ unitId: adult, quantity: 1 }])),
      await code({ ...component(departureId, []), optionId: privately }),
      await code(component(departureId, [{ unitId: adult, quantity: 2 }], { quantity: 3 })),
      await code({ kind: 'manual_placeholder', title: 'x', units: [{ unitId: adult, quantity: 1 }] }),
    ]).toEqual([
      [422, 'not_accompanied', 'units.0.unitId'],
      [422, 'unit_quantity', 'units.1.quantity'],
      [404, 'not_found', 'units.0.unitId'],
      [422, 'currency_mismatch', 'departureId'],
      [400, 'invalid_request', undefined],
      [400, 'invalid_request', undefined],
      [400, 'invalid_request', undefined],
    ]);
    const plain = await addTo(envelopeId, component(departureId, [], { quantity: 2 }));
    expect(plain.body.data).toMatchObject({ units: [], lines: [], optionId: null, quantity: 2 });
    const priced = (await price(owner, envelopeId)).body.data;
    expect(priced.components[0]).toMatchObject({ lines: [], totalCents: 2 * (await departurePrice(departureId)) });
  });

  it('the units of a component can be changed, and the change can be undone', async () => {
    const { departureId, adult, child } = await tour();
    const { envelopeId, components } = await makeTrip(owner, [component(departureId, [], { quantity: 2 })]);
    const id = components[0]?.componentId ?? '';
    const path = `${TRIPS}/${envelopeId}/components/${id}`;
    const units = [
      { unitId: adult, quantity: 2 },
      { unitId: child, quantity: 1 },
    ];
    const changed = await owner.patch<{ data: Component }>(path, { units });
    const rejected = await owner.patch(path, { quantity: 1 });
    await reversed(app, id, 'trips.trip_component.update');

    expect(changed.body.data).toMatchObject({ units, quantity: 3, taxCodeId: null, lines: [] });
    expect(rejected.status).toBe(400);
    expect((await readTrip(owner, envelopeId)).components[0]).toMatchObject({ units: [], quantity: 2 });
  });

  it('a component is cancelled with the last of its units', async () => {
    const { departureId, adult, child } = await tour();
    const units = [
      { unitId: adult, quantity: 1 },
      { unitId: child, quantity: 1 },
    ];
    const { envelopeId } = await makeTrip(owner, [component(departureId, units)]);
    await reserve(owner, envelopeId);
    const { bookingId } = (await book(owner, envelopeId)).body.data;
    const items = await itemsOf(bookingId);
    const statusAfter = async (unitId: string) => {
      const { id = '' } = items.find((item) => item.unitId === unitId) ?? {};
      const { status } = await owner.post(`/v1/admin/bookings/${String(bookingId)}/items/${id}/cancellation`);
      return [status, (await readTrip(owner, envelopeId)).components[0]?.status];
    };

    expect([await statusAfter(child), await statusAfter(adult)]).toEqual([
      [200, 'booked'],
      [200, 'cancelled'],
    ]);
    expect(await readDeparture(owner, departureId)).toMatchObject({ sold: 0, held: 0 });
  });

  it('of two trips that reserve the last seats with units at the same time, one gets them', async () => {
    const { departureId, family } = await tour({ departure: { capacity: 5 } });
    const body = component(departureId, [{ unitId: family, quantity: 1 }]);
    const trips = [await makeTrip(owner, [body]), await makeTrip(owner, [body])];
    for (const { envelopeId } of trips) await price(owner, envelopeId);

    const answers = await Promise.all(trips.map(({ envelopeId }) => reserve(owner, envelopeId)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 4, sold: 0, available: 1 });
    const winner = trips[answers.findIndex(({ status }) => status === 200)];
    await owner.post(`${TRIPS}/${winner?.envelopeId ?? ''}/cancellation`, {});
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 0, available: 5 });
  });
});

async function departurePrice(id: string): Promise<number> {
  const [row] = await app.sql<{ cents: number }>('select price_cents::int as cents from departures where id = $1', [
    id,
  ]);
  return row?.cents ?? 0;
}
