import { beforeAll, describe, expect, it } from '@jest/globals';
import { departureIn, newAllotment, poolOf, sell } from '../distribution/allotments/allotments.js';
import { newCustomer } from '../customers/customers.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { activeList } from '../products/price-lists.js';
import { newPart, newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  entriesAbout,
  type Item,
  makeBooking,
  type One,
  type Page,
  problem,
  readBooking,
} from './bookings.js';
import { addTraveler, assign, CONSENT, type Seats, type Traveler, travelersOf } from './travelers.js';

interface Copy {
  data: Booking;
  omitted: { bookingItemId: string; reason: string }[];
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const copy = (id: string, body: object = {}) => owner.post<Copy>(`${BOOKINGS}/${id}/copies`, body);
const itemsOf = async (id: string) => (await owner.get<Page<Item>>(`${BOOKINGS}/${id}/items?limit=200`)).body.data;

async function copied(id: string, body: object = {}): Promise<Copy> {
  const answer = await copy(id, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
}

/** A product with a unit and an extra, and two departures of it. */
async function boatTour() {
  const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
  const { id: unitId } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
  const lunch = {
    name: 'Lunch',
    kind: 'meal',
    pricing: 'per_unit_quantity',
    prices: [{ currency: 'EUR', amountCents: 1_500 }],
  };
  const { id: extraId } = await newPart(app, productId, 'extras', lunch);
  await activeList(app, [{ productId, unitId, amountCents: 5_000 }]);
  const [departure, next] = [
    await newDeparture(app, { productId, startsAt: '2127-05-12T06:00:00Z', endsAt: '2127-05-12T15:00:00Z' }),
    await newDeparture(app, { productId, startsAt: '2127-06-12T06:00:00Z', endsAt: '2127-06-12T15:00:00Z' }),
  ];
  return { productId, unitId, extraId, departureId: departure.id, nextId: next.id };
}

describe('the copy of a booking', () => {
  it('the copy sells the units, extras and services again on another departure, at the prices of today', async () => {
    const { unitId, extraId, departureId, nextId } = await boatTour();
    const customer = await newCustomer(app, { firstName: 'Maria', lastName: 'Ionescu' });
    const terms = {
      customerId: customer.id,
      notes: 'Arrives by train',
      startDate: '2127-05-11',
      endDate: '2127-05-13',
    };
    const booking = await makeBooking(owner, { ...terms, customerName: undefined });
    const maria = await addTraveler(owner, booking.id, {
      ...{ firstName: 'Maria', email: 'maria@example.com', birthDate: '1990-04-01' },
      ...{ dietary: ['vegan'], healthDataConsent: CONSENT },
    });
    const units = [{ unitId, quantity: 2, travelerIds: [maria.id] }];
    const sale = { departureId, units, extras: [{ extraId, quantity: 2 }] };
    expect((await owner.post(`${BOOKINGS}/${booking.id}/items`, sale)).status).toBe(201);
    await addItem(owner, booking.id, { type: 'accommodation', title: 'Hotel', serviceDate: '2127-05-13' });
    const discount = await addItem(owner, booking.id, { type: 'discount', title: 'Loyalty', unitSellCents: -500 });
    const unitPrices = [{ unitId, amountCents: 5_700 }];
    expect((await owner.patch(`${DEPARTURES}/${nextId}`, { unitPrices })).status).toBe(200);
    const before = await poolOf(app, nextId);

    const { data, omitted } = await copied(booking.id, { departureId: nextId });

    expect(data).toMatchObject({
      ...{ status: 'draft', customerId: customer.id, notes: 'Arrives by train', currency: 'EUR' },
      ...{ startDate: '2127-06-11', endDate: '2127-06-13', departureDate: '2127-06-12', totalCents: 24_400 },
    });
    expect(data['number']).not.toBe(booking.number);
    expect(omitted).toEqual([{ bookingItemId: discount.id, reason: 'price_change' }]);
    const items = await itemsOf(data.id);
    expect(items).toMatchObject([
      { type: 'unit', unitId, departureId: nextId, quantity: 2, unitSellCents: 5_700, title: 'Delta by boat: Adult' },
      { type: 'extra', extraId, departureId: nextId, quantity: 2, unitSellCents: 1_500 },
      { type: 'accommodation', title: 'Hotel', unitSellCents: 10_000, serviceDate: '2127-06-13' },
    ]);
    expect((await poolOf(app, nextId)).available).toBe(Number(before.available) - 2);
    const { body: travelers } = await owner.get<Page<Traveler>>(travelersOf(data.id));
    expect(travelers.data).toMatchObject([
      { firstName: 'Maria', lastName: 'Ionescu', email: 'maria@example.com', birthDate: '1990-04-01', isLead: true },
    ]);
    expect(travelers.data[0]).toMatchObject({ dietary: [], healthDataConsent: null });
    const seats = await owner.get<One<Seats>>(`${BOOKINGS}/${data.id}/items/${items[0]?.id}/travelers`);
    expect(seats.body.data.seats).toEqual([expect.objectContaining({ seat: 1, travelerId: travelers.data[0]?.id })]);
    const [entry] = (await entriesAbout(owner, data.id)).filter(({ action }) => action === 'bookings.booking.copy');
    expect(entry).toBeDefined();
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: 22_500, version: expect.any(Number) });
  });

  it('the copy of a cancelled booking has the items that were cancelled with it, and no travelers if they are dropped', async () => {
    const departure = await newDeparture(app, { priceCents: 4_000 });
    const booking = await makeBooking(owner);
    const item = await addItem(owner, booking.id, { departureId: departure.id, quantity: 2 });
    const dropped = await addItem(owner, booking.id, { title: 'Transfer', type: 'transport' });
    const traveler = await addTraveler(owner, booking.id);
    await assign(owner, item, [traveler.id]);
    const path = `${BOOKINGS}/${booking.id}`;
    expect((await owner.post(`${path}/items/${dropped.id}/cancellation`, {})).status).toBe(200);
    expect((await owner.post(`${path}/confirmation`)).status).toBe(200);
    expect((await owner.post(`${path}/cancellation`, { reason: 'Illness' })).status).toBe(200);

    const { data, omitted } = await copied(booking.id, { travelers: 'drop' });

    expect(omitted).toEqual([]);
    expect(await itemsOf(data.id)).toMatchObject([
      { departureId: departure.id, quantity: 2, unitSellCents: 4_000, listUnitSellCents: 4_000 },
    ]);
    expect((await owner.get<Page<Traveler>>(travelersOf(data.id))).body.total).toBe(0);
  });

  it('the copy takes the slot of the allotment if it is open there, otherwise the pool', async () => {
    const allotment = await newAllotment(app, { validTo: app.day(30) });
    const { id: departureId } = await departureIn(app, 20, { productId: allotment.productId });
    const next = await newDeparture(app, { productId: allotment.productId });
    const { bookingId } = await sell(app, { allotment, departure: { id: departureId } }, 1);
    // The allotment ends before the other departure.
    const [same, other] = [await copied(bookingId), await copied(bookingId, { departureId: next.id })];
    expect(await itemsOf(same.data.id)).toMatchObject([{ departureId, allotmentId: allotment.id }]);
    expect(await itemsOf(other.data.id)).toMatchObject([{ departureId: next.id, allotmentId: null }]);
  });

  it('the copy is rejected as a whole if an item cannot be sold, with an error that names no member of other requests', async () => {
    const { productId, departureId, unitId } = await boatTour();
    const booking = await makeBooking(owner, { customerName: 'Copied as a whole' });
    await addItem(owner, booking.id, { title: 'Hotel', type: 'accommodation' });
    const sale = { departureId, units: [{ unitId, quantity: 1 }] };
    expect((await owner.post(`${BOOKINGS}/${booking.id}/items`, sale)).status).toBe(201);
    const full = await newDeparture(app, { productId, capacity: 1 });
    await addItem(owner, (await makeBooking(owner)).id, {
      departureId: full.id,
      override: ['price'],
      overrideReason: 'Guide',
    });
    const answer = await copy(booking.id, { departureId: full.id });
    expect([answer.status, answer.body]).toEqual([409, problem('capacity_exceeded', expect.anything())]);
    const named = await owner.get<Page<Booking>>(`${BOOKINGS}?search=Copied%20as%20a%20whole`);
    expect(named.body.total).toBe(1);

    await addItem(owner, booking.id, { departureId: (await newDeparture(app)).id });
    const several = await copy(booking.id, { departureId: full.id });
    expect([several.status, several.body]).toEqual([422, problem('several_departures', { field: 'departureId' })]);
    const foreign = await copy((await soldSeat()).id, { departureId });
    expect([foreign.status, foreign.body]).toEqual([422, problem('product_mismatch', { field: 'departureId' })]);
    const none = await copy((await makeBooking(owner)).id, { departureId });
    expect([none.status, none.body]).toEqual([422, problem('departure_missing', { field: 'departureId' })]);
    await app.sql(`update bookings set erased_at = now() where id = $1`, [booking.id]);
    expect([(await copy(booking.id)).status, (await copy(booking.id)).body]).toEqual([409, problem('booking_erased')]);
  });
});

async function soldSeat(): Promise<Booking> {
  const booking = await makeBooking(owner);
  await addItem(owner, booking.id, { departureId: (await newDeparture(app)).id });
  return booking;
}
