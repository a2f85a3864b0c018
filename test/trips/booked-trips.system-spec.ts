import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingListener } from '../../src/modules/bookings/index.js';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { TripComponentsService } from '../../src/modules/trips/envelopes/trip-components.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  attentionsOf,
  behave,
  bookedTrip,
  callProviders,
  cancel,
  entriesAbout,
  external,
  makeDeparture,
  MANUAL,
  ordersOf,
  PAUSES,
  readDeparture,
  readTrip,
  seats,
  simulate,
  staffWith,
  TRIPS,
  unconfirmedTrip,
  untilGivenUp,
} from './trips.js';

const BOOKINGS = '/v1/admin/bookings';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', PROVIDER_CALL_MS: '200' } });
  owner = app.as('owner');
});

const sweep = () => asSystem(() => app.nest.get(ReservationsService).sweep());

const itemsOf = async (bookingId: string | null) =>
  (await owner.get<{ data: Record<string, unknown>[] }>(`${BOOKINGS}/${bookingId}/items`)).body.data;
const supplierStatusesOf = async (bookingId: string | null) =>
  (await itemsOf(bookingId)).map(({ supplierStatus }) => supplierStatus);
const cancelBooking = (id: string | null) => owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
const cancelItem = (bookingId: string | null, itemId: unknown) =>
  owner.post(`${BOOKINGS}/${bookingId}/items/${String(itemId)}/cancellation`);

describe('cancelling the booking of a trip', () => {
  it('the orders at external providers are cancelled, and the trip with its booking', async () => {
    const [ref, departure] = [await simulate(app, { cancelFeeCents: 1_500 }), await makeDeparture(owner)];
    const { envelopeId, bookingId } = await bookedTrip(app, [external(ref), seats(departure.id), MANUAL]);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);
    expect(await supplierStatusesOf(bookingId)).toEqual(['confirmed', 'none', 'none']);

    expect((await cancelBooking(bookingId)).body).toMatchObject({
      data: { status: 'cancelled', warnings: ['provider_cancellation_pending'] },
    });
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      ...{ status: 'cancelled', bookingId, cancelReason: 'Ill' },
      components: [{ status: 'cancelling' }, { status: 'cancelled' }, { status: 'cancelled' }],
    });
    expect(await supplierStatusesOf(bookingId)).toEqual(['cancelling', 'none', 'none']);
    expect(await readDeparture(owner, departure.id)).toMatchObject({ sold: 0, available: 10 });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);

    await sweep();
    expect(await ordersOf(app, ref)).toEqual([{ state: 'cancelled', holds: 1 }]);
    const { components } = await readTrip(owner, envelopeId);
    expect(components[0]).toMatchObject({ status: 'cancelled', cancellationFeeCents: 1_500 });
    expect(await supplierStatusesOf(bookingId)).toEqual(['cancelled', 'none', 'none']);
    expect((await owner.get(`${BOOKINGS}/${bookingId}`)).body).toMatchObject({ data: { warnings: [] } });
  });

  it('cancelling one of three items cancels one order; the trip is cancelled with the last one', async () => {
    const refs = [await simulate(app), await simulate(app), await simulate(app)];
    const { envelopeId, bookingId, components } = await bookedTrip(
      app,
      refs.map((ref) => external(ref)),
    );
    const items = components.map((component) => component['bookingItemId']);
    expect((await cancelItem(bookingId, items[1])).body).toMatchObject({ data: { supplierStatus: 'cancelling' } });
    await callProviders(app);
    const states = async () =>
      (await Promise.all(refs.map((ref) => ordersOf(app, ref)))).flat().map(({ state }) => state);
    expect(await states()).toEqual(['confirmed', 'cancelled', 'confirmed']);
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      status: 'booked',
      components: [{ status: 'booked' }, { status: 'cancelled' }, { status: 'booked' }],
    });
    await cancelItem(bookingId, items[0]);
    await cancelItem(bookingId, items[2]);
    await callProviders(app);
    expect(await states()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'cancelled', bookingId });
  });

  it('an answer to a cancellation that is lost has one effect', async () => {
    const ref = await simulate(app, { cancel: 'never_answer', cancelFeeCents: 700 });
    const { envelopeId, bookingId } = await bookedTrip(app, [external(ref)]);
    await cancelBooking(bookingId);
    await callProviders(app);
    expect((await readTrip(owner, envelopeId)).components).toMatchObject([{ status: 'cancelling' }]);
    await behave(app, ref, { cancelFeeCents: 900 });
    app.travel({ ms: 61_000 });
    await callProviders(app);
    expect((await readTrip(owner, envelopeId)).components).toMatchObject([
      { status: 'cancelled', cancellationFeeCents: 700 },
    ]);
    expect(await app.sql('select cancels from simulated_provider.orders where ref = $1', [ref])).toEqual([
      { cancels: 1 },
    ]);
  });

  it('an order that cannot be cancelled in 8 tries is left to staff, who cancel it by phone', async () => {
    const ref = await simulate(app, { cancel: 'fail' });
    const { envelopeId, bookingId } = await bookedTrip(app, [external(ref)]);
    await cancelBooking(bookingId);
    await untilGivenUp(app);
    const given = await readTrip(owner, envelopeId);
    expect(given).toMatchObject({ attention: true, components: [{ status: 'cancel_failed' }] });
    expect(given.reservation?.steps[0]).toMatchObject({ status: 'cancel_failed', attempts: 10 });
    expect(await supplierStatusesOf(bookingId)).toEqual(['cancel_failed']);
    const [attention] = await attentionsOf(owner, envelopeId);
    expect(attention).toMatchObject({ code: 'cancellation_failed' });
    const path = `${TRIPS}/${envelopeId}/attentions/${attention?.attentionId}/resolution`;
    expect((await owner.post(path, { resolution: 'cancelled_outside' })).status).toBe(200);
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      attention: false,
      components: [{ status: 'cancelled' }],
    });
    expect(await supplierStatusesOf(bookingId)).toEqual(['cancelled']);
  });
});

describe('cancelling a booked trip', () => {
  it('its booking is cancelled in the same transaction, which needs bookings:write', async () => {
    const [ref, departure] = [await simulate(app), await makeDeparture(owner)];
    const { envelopeId, bookingId } = await bookedTrip(app, [external(ref), seats(departure.id)]);
    const trips = await staffWith(app, 'trips:write');
    const refused = await cancel(trips, envelopeId);
    expect([refused.status, refused.body]).toMatchObject([403, { details: { requiredScope: 'bookings:write' } }]);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'booked' });

    const both = await staffWith(app, 'trips:write', 'bookings:write');
    const cancelled = await cancel(both, envelopeId, { reason: 'The customer is ill' });
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', bookingId, cancelReason: 'The customer is ill' });
    const booking = await owner.get(`${BOOKINGS}/${bookingId}`);
    expect(booking.body).toMatchObject({ data: { status: 'cancelled', cancelReason: 'The customer is ill' } });
    const actions = (await entriesAbout(owner, envelopeId)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'trips.trip.cancel')).toHaveLength(1);
    expect((await cancel(both, envelopeId)).body).toMatchObject({ code: 'invalid_transition' });
  });

  it('trip, booking and items that are cancelled at the same time end cancelled without an error of the service', async () => {
    const trips = await Promise.all(
      Array.from({ length: 5 }, async () =>
        bookedTrip(app, [external(await simulate(app)), external(await simulate(app))]),
      ),
    );
    const answers = await Promise.all(
      trips.flatMap(({ envelopeId, bookingId, components }) => [
        cancel(owner, envelopeId),
        cancelItem(bookingId, components[0]?.['bookingItemId']),
        cancelBooking(bookingId),
        cancelItem(bookingId, components[1]?.['bookingItemId']),
      ]),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await callProviders(app);
    for (const { envelopeId, bookingId } of trips) {
      const { status, components } = await readTrip(owner, envelopeId);
      expect([status, ...components.map((one) => one.status)]).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect((await owner.get(`${BOOKINGS}/${bookingId}`)).body).toMatchObject({ data: { status: 'cancelled' } });
    }
  });
});

describe('a confirmation', () => {
  it('a refusal is final: staff see it, the booking stays, and cancelling the item resolves it', async () => {
    const { envelopeId, bookingId, ref } = await unconfirmedTrip(app);
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      ...{ status: 'booked', attention: true },
      components: [{ status: 'booked' }],
      reservation: { steps: [{ status: 'confirm_failed', failure: { code: 'refused' } }] },
    });
    expect((await owner.get(`${BOOKINGS}/${bookingId}`)).body).toMatchObject({ data: { status: 'confirmed' } });
    const [item] = await itemsOf(bookingId);
    expect(item).toMatchObject({ status: 'confirmed', supplierStatus: 'refused' });
    await behave(app, ref);
    await untilGivenUp(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);

    expect((await cancelItem(bookingId, item?.['id'])).body).toMatchObject({ data: { supplierStatus: 'refused' } });
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      ...{ status: 'cancelled', attention: false },
      components: [{ status: 'cancelled' }],
    });
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([
      { code: 'confirmation_refused', resolution: 'settled' },
    ]);
  });

  it('a silent provider is asked 8 times within 24 hours; then staff see it', async () => {
    const ref = await simulate(app, { confirm: 'fail' });
    const { envelopeId, bookingId } = await bookedTrip(app, [external(ref)]);
    expect(await supplierStatusesOf(bookingId)).toEqual(['pending']);
    expect(PAUSES.reduce((sum, minutes) => sum + minutes)).toBe(24 * 60);
    for (const minutes of PAUSES) {
      expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
      app.travel({ ms: minutes * 60_000 - 5_000 });
      await callProviders(app);
      app.travel({ ms: 5_000 });
      await callProviders(app);
    }
    const given = await readTrip(owner, envelopeId);
    expect(given.reservation?.steps[0]).toMatchObject({ status: 'confirm_unknown', attempts: 9 });
    expect(await supplierStatusesOf(bookingId)).toEqual(['pending']);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ code: 'confirmation_unknown', resolution: null }]);

    // The order may exist, so it is cancelled with its item.
    await cancelBooking(bookingId);
    await callProviders(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'cancelled', holds: 1 }]);
  });

  it('an order that was confirmed without an answer is found confirmed, and the confirmation is not repeated', async () => {
    const ref = await simulate(app, { confirm: 'never_answer' });
    const { bookingId, envelopeId } = await bookedTrip(app, [external(ref)]);
    expect(await supplierStatusesOf(bookingId)).toEqual(['pending']);
    // A repeated request would be rejected.
    await behave(app, ref, { confirm: 'refuse' });
    app.travel({ ms: 60_100 });
    await callProviders(app);
    expect(await supplierStatusesOf(bookingId)).toEqual(['confirmed']);
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      attention: false,
      reservation: { steps: [{ status: 'confirmed', attempts: 3 }] },
    });
  });

  it('a hold that ended before its confirmation counts as refused', async () => {
    const ref = await simulate(app, { confirm: 'fail' });
    const { bookingId, envelopeId } = await bookedTrip(app, [external(ref)]);
    await app.sql(`update simulated_provider.orders set state = 'released' where ref = $1`, [ref]);
    await behave(app, ref);
    app.travel({ ms: 60_100 });
    await callProviders(app);
    expect(await supplierStatusesOf(bookingId)).toEqual(['refused']);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ code: 'confirmation_refused', resolution: null }]);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
  });

  it('nothing is confirmed while the provider does not report the state of the order', async () => {
    const ref = await simulate(app, { failsLookup: true });
    const { bookingId, envelopeId } = await bookedTrip(app, [external(ref)]);
    await untilGivenUp(app);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);
    expect(await supplierStatusesOf(bookingId)).toEqual(['pending']);
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([{ code: 'confirmation_unknown', resolution: null }]);
  });

  it('staff can ask a provider again that refused', async () => {
    const { envelopeId, bookingId, component, ref } = await unconfirmedTrip(app);
    const retry = () => owner.post(`${component}/confirmation-retries`);
    expect((await retry()).status).toBe(200);
    expect(await supplierStatusesOf(bookingId)).toEqual(['pending']);
    expect((await retry()).body).toMatchObject({ code: 'invalid_transition' });
    await callProviders(app);
    expect(await supplierStatusesOf(bookingId)).toEqual(['refused']);
    expect(await attentionsOf(owner, envelopeId)).toHaveLength(1);
    await behave(app, ref);
    await retry();
    await callProviders(app);
    expect(await supplierStatusesOf(bookingId)).toEqual(['confirmed']);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);
  });

  it('staff can record that the provider confirmed the order by other means', async () => {
    const { envelopeId, bookingId, resolution } = await unconfirmedTrip(app);
    expect((await owner.post(resolution, { resolution: 'confirmed_outside' })).status).toBe(200);
    expect(await supplierStatusesOf(bookingId)).toEqual(['confirmed']);
    expect((await readTrip(owner, envelopeId)).reservation?.steps).toMatchObject([{ status: 'confirmed' }]);
  });
});

describe('a departure of a booked trip that is moved', () => {
  const move = async (id: string) => {
    const body = { startsAt: '2027-06-02T07:00:00Z', endsAt: '2027-06-02T16:00:00Z' };
    expect((await owner.patch(`/v1/admin/operations/departures/${id}`, body)).status).toBe(200);
  };

  it('the components of booked trips are on the new day of the departure, those of cancelled trips are not', async () => {
    const { id } = await makeDeparture(owner);
    const [booked, over] = [await bookedTrip(app, [seats(id)]), await bookedTrip(app, [seats(id)])];
    await cancelBooking(over.bookingId);
    await move(id);
    await asSystem(() => app.nest.get(TripComponentsService).followDeparture(id));
    expect((await readTrip(owner, booked.envelopeId)).components).toMatchObject([{ serviceDate: '2027-06-02' }]);
    expect((await readTrip(owner, over.envelopeId)).components).toMatchObject([{ serviceDate: '2027-05-12' }]);
  });

  it('a booking that follows its departure takes the components of its own trip along, in one transaction', async () => {
    const { id } = await makeDeparture(owner);
    const [first, second] = [await bookedTrip(app, [seats(id)]), await bookedTrip(app, [seats(id)])];
    await move(id);
    const [database, listeners] = [app.nest.get(Database), app.nest.get(Listeners)];
    await asSystem(() =>
      database.transaction(async () => {
        const bookingId = first.bookingId ?? '';
        await listeners.call(BookingListener, (listener) => listener.beforeLock?.(bookingId));
        await listeners.call(BookingListener, (listener) => listener.departureMoved?.(bookingId, id));
      }),
    );
    expect((await readTrip(owner, first.envelopeId)).components).toMatchObject([{ serviceDate: '2027-06-02' }]);
    expect((await readTrip(owner, second.envelopeId)).components).toMatchObject([{ serviceDate: '2027-05-12' }]);
  });
});
