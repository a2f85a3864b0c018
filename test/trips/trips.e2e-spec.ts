import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  book,
  cancel,
  type Component,
  makeDeparture,
  makeTrip,
  MANUAL,
  type One,
  PARTY,
  price,
  problem,
  readTrip,
  reserve,
  reservedTrip,
  seats,
  staffWith,
  type Trip,
  TRIPS,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const idOf = async (components: object[] = [MANUAL], over: object = {}) =>
  (await makeTrip(owner, components, over)).envelopeId;
const moved = (from: string, to: string, allowed: string[]) => problem('invalid_transition', { from, to, allowed });

describe('POST /v1/admin/trips', () => {
  it('a new trip is a draft without components; the response has every field', async () => {
    const { status, body, headers } = await owner.post<One<Trip>>(TRIPS, { currency: 'EUR', title: 'Delta' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      envelopeId: expect.stringMatching(/^trip_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      title: 'Delta',
      status: 'draft',
      currency: 'EUR',
      travelerParty: null,
      components: [],
      subtotalCents: null,
      taxCents: null,
      totalCents: null,
      priceExpiresAt: null,
      holdExpiresAt: null,
      attention: false,
      bookingId: null,
      customerId: null,
      reservation: null,
      cancelledAt: null,
      cancelReason: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(headers['location']).toBe(`${TRIPS}/${body.data.envelopeId}`);
    expect(headers['etag']).toBe('"1"');
  });

  it('a status can never be written', async () => {
    expect((await owner.post(TRIPS, { currency: 'EUR', status: 'reserved' })).status).toBe(400);
    expect((await owner.patch(`${TRIPS}/${await idOf()}`, { status: 'reserved' })).status).toBe(400);
  });

  it('trips are listed by status, search, attention and time, in pages', async () => {
    const mark = `mark-${process.pid}`;
    for (let n = 0; n < 3; n += 1) await idOf([MANUAL], { title: `${mark} ${n}` });
    const party = { billing: { name: `Payer ${mark}` } };
    await idOf([], { travelerParty: party });
    const list = async (query: string) => (await owner.get<{ data: Trip[]; total: number }>(`${TRIPS}?${query}`)).body;
    expect(await list(`search=${mark}&limit=2`)).toMatchObject({ total: 4, data: [{ components: [] }, {}] });
    expect(await list(`search=${mark}&status=draft&attention=false&sort=createdAt`)).toMatchObject({ total: 4 });
    expect(await list(`search=${mark}&status=priced`)).toMatchObject({ total: 0, data: [] });
    expect(await list(`search=${mark}&createdTo=2020-01-01T00:00:00Z`)).toMatchObject({ total: 0 });
    expect((await owner.get(`${TRIPS}?status=nonsense`)).status).toBe(400);
  });

  it('trips require the scopes of their module', async () => {
    const reader = await staffWith(app, 'trips:read');
    expect((await reader.get(`${TRIPS}/${await idOf()}`)).status).toBe(200);
    expect((await reader.post(TRIPS, { currency: 'EUR' })).status).toBe(403);
    expect((await reserve(reader, await idOf())).status).toBe(403);
  });
});

describe('components', () => {
  it('a component has the members of its kind and no others', async () => {
    const id = await idOf([]);
    const add = (body: object) => owner.post<{ code: string; details: object }>(`${TRIPS}/${id}/components`, body);
    const { id: departureId } = await makeDeparture(owner);
    for (const wrong of [
      { kind: 'catalog_booking', title: 'Seat' },
      { kind: 'catalog_booking', title: 'Seat', departureId, unitPriceCents: 1 },
      { kind: 'external_order', title: 'Hotel' },
      { ...MANUAL, departureId },
      { ...MANUAL, unitTaxIncludedCents: 10_001 },
      { ...MANUAL, quantity: 0 },
    ]) {
      expect((await add(wrong)).status).toBe(400);
    }
    const unknown = await add({
      kind: 'catalog_booking',
      title: 'Seat',
      departureId: 'dep_01k0dem000e000000000009999',
    });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'departureId' })]);
  });

  it('changing one member keeps the others and clears the prices', async () => {
    const trip = await makeTrip(owner, [MANUAL]);
    await price(owner, trip.envelopeId);
    const [component] = trip.components;
    const path = `${TRIPS}/${trip.envelopeId}/components/${component?.componentId}`;
    const { body } = await owner.patch<One<Component>>(path, { title: 'Other guide' });
    expect(body.data).toMatchObject({ title: 'Other guide', quantity: 1, unitPriceCents: 10_000, status: 'draft' });
    expect(await readTrip(owner, trip.envelopeId)).toMatchObject({ status: 'draft', totalCents: null });
    const stale = await owner.patch(path, { quantity: 2 }, { headers: { 'If-Match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it('a removed component is not returned any more; its row stays', async () => {
    const trip = await makeTrip(owner, [MANUAL, { ...MANUAL, title: 'Second' }]);
    const [first] = trip.components;
    const path = `${TRIPS}/${trip.envelopeId}/components/${first?.componentId}`;
    const removed = await owner.delete<One<Component>>(path);
    expect([removed.status, removed.body.data.status]).toEqual([200, 'removed']);
    expect((await owner.delete(path)).status).toBe(404);
    expect((await readTrip(owner, trip.envelopeId)).components).toMatchObject([{ title: 'Second', position: 1 }]);
    const events = `select from_status, to_status from trip_component_events where component_id = $1 order by id`;
    expect(await app.sql(events, [first?.componentId])).toEqual([
      { from_status: null, to_status: 'draft' },
      { from_status: 'draft', to_status: 'removed' },
    ]);
    await expect(app.sql('delete from trip_component_events')).rejects.toThrow('append-only');
  });

  it('a component of another trip is 404', async () => {
    const [one, other] = [await makeTrip(owner, [MANUAL]), await idOf()];
    const answer = await owner.patch(`${TRIPS}/${other}/components/${one.components[0]?.componentId}`, { title: 'X' });
    expect([answer.status, answer.body]).toEqual([404, problem('not_found')]);
  });
});

describe('pricing', () => {
  it('an unavailable component is reported, and the trip stays a draft', async () => {
    const { id } = await makeDeparture(owner, { capacity: 1 });
    const trip = await makeTrip(owner, [MANUAL, seats(id, { quantity: 2 })]);
    const answer = await price(owner, trip.envelopeId);
    const componentIds = [trip.components[1]?.componentId];
    const details = {
      componentIds,
      components: [{ componentId: componentIds[0], reason: 'The departure has too few units left (1 left, 2 needed)' }],
    };
    expect([answer.status, answer.body]).toEqual([409, problem('component_unavailable', details)]);
    const { status, components, totalCents } = await readTrip(owner, trip.envelopeId);
    expect([status, totalCents, components[1]?.status]).toEqual(['draft', null, 'unavailable']);
    expect((await reserve(owner, trip.envelopeId)).body).toEqual(problem('trip_not_priced', details));
  });

  it('several components share the available units of one departure', async () => {
    const { id } = await makeDeparture(owner, { capacity: 3 });
    const answer = await price(owner, await idOf([seats(id, { quantity: 2 }), seats(id, { quantity: 2 })]));
    expect(answer.status).toBe(409);
  });

  it('a component in another currency is 422', async () => {
    const { id } = await makeDeparture(owner, { currency: 'RON' });
    const trip = await makeTrip(owner, [MANUAL, seats(id)]);
    const answer = await price(owner, trip.envelopeId);
    const details = { field: 'currency', currency: 'EUR', componentIds: [trip.components[1]?.componentId] };
    expect([answer.status, answer.body]).toEqual([422, problem('currency_mismatch', details)]);
  });

  it('a trip without components cannot be priced, nor a reserved one', async () => {
    const empty = await price(owner, await idOf([]));
    expect(empty.body).toEqual(problem('trip_not_priced', { componentIds: [] }));
    const reserved = await reservedTrip(owner, [MANUAL]);
    expect((await price(owner, reserved.envelopeId)).body).toMatchObject({ code: 'invalid_transition' });
  });
});

describe('a reservation is rejected', () => {
  it('a reservation is rejected while members of the traveler party are missing', async () => {
    const travelerParty = { billing: { email: 'ada@nowhere.invalid' }, travelers: [{ birthDate: '1985-12-10' }] };
    const id = await idOf([MANUAL], { travelerParty });
    const missing = ['billing.name', 'billing.email', 'travelers'];
    expect((await reserve(owner, id)).body).toEqual(problem('traveler_party_incomplete', { missing }));
    await owner.patch(`${TRIPS}/${id}`, { travelerParty: PARTY });
    expect((await reserve(owner, id)).status).toBe(200);
  });

  it('a reservation is rejected while staff have not confirmed a manual component', async () => {
    const trip = await makeTrip(owner, [{ ...MANUAL, confirmedByStaff: false }]);
    const componentIds = trip.components.map(({ componentId }) => componentId);
    expect((await reserve(owner, trip.envelopeId)).body).toEqual(problem('component_not_confirmed', { componentIds }));
  });

  it('a trip without components and a cancelled trip cannot be reserved', async () => {
    const empty = await reserve(owner, await idOf([]));
    expect(empty.body).toEqual(problem('trip_not_reservable', { status: 'draft' }));
    const id = await idOf();
    await cancel(owner, id);
    expect((await reserve(owner, id)).body).toEqual(problem('trip_not_reservable', { status: 'cancelled' }));
  });
});

describe('states', () => {
  it('only a reserved trip can be booked, and only once', async () => {
    const id = await idOf();
    expect((await book(owner, id)).body).toEqual(moved('draft', 'booked', ['priced', 'cancelled']));
    await reserve(owner, id);
    expect((await book(owner, id)).status).toBe(200);
    expect((await book(owner, id)).body).toEqual(moved('booked', 'booked', ['cancelled']));
    expect((await cancel(owner, id)).body.data).toMatchObject({ status: 'cancelled' });
  });

  it('a reserved trip can only change its title', async () => {
    const trip = await reservedTrip(owner, [MANUAL]);
    const answer = await owner.post(`${TRIPS}/${trip.envelopeId}/components`, MANUAL);
    expect(answer.body).toEqual(moved('reserved', 'draft', ['expired', 'draft', 'booked', 'cancelled']));
    const travelers = await owner.patch(`${TRIPS}/${trip.envelopeId}`, { travelerParty: null });
    expect(travelers.status).toBe(409);
    expect((await owner.patch(`${TRIPS}/${trip.envelopeId}`, { title: 'Named' })).status).toBe(200);
  });

  it('ledger entries and events contain no names of travelers', async () => {
    const name = `Zebedee ${process.pid}`;
    await idOf([MANUAL], { travelerParty: { billing: { name }, travelers: [{ name }] } });
    const written = `select from ledger_payloads where before::text like $1 or after::text like $1
      union all select from outbox_events where data::text like $1`;
    expect(await app.sql(written, [`%${name}%`])).toEqual([]);
  });
});
