import { beforeAll, describe, expect, it } from '@jest/globals';
import { ExternalOrdersService } from '../../src/modules/trips/orders/external-orders.service.js';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { Env } from '../../src/platform/config/env.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  behave,
  book,
  ordersOf,
  cancel,
  makeDeparture,
  makeTrip,
  external,
  price,
  problem,
  readDeparture,
  readTrip,
  reserve,
  reservedTrip,
  seats,
  simulate,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  // Tests run the jobs. The deadline of requests is long enough for providers that do not answer.
  app = await startApp({ env: { JOBS: 'false', REQUEST_DEADLINE_MS: '8000' } });
  owner = app.as('owner');
});

const sweep = () => asSystem(() => app.nest.get(ReservationsService).sweep());
const settle = (stepId = '') => asSystem(() => app.nest.get(ExternalOrdersService).settle(stepId));

describe('an external provider', () => {
  it('in production external products are unavailable, and stored components stay readable', async () => {
    const trip = await reservedTrip(owner, [external(await simulate(app))]);
    const { envelopeId } = await makeTrip(owner, [external(await simulate(app))]);
    const production = Object.getOwnPropertyDescriptor(app.nest.get(Env), 'production');
    Object.defineProperty(app.nest.get(Env), 'production', { ...production, value: true });
    try {
      const { status, body } = await price(owner, envelopeId);
      expect([status, body]).toMatchObject([409, { code: 'component_unavailable' }]);
      expect(await readTrip(owner, trip.envelopeId)).toEqual(trip);
    } finally {
      Object.defineProperty(app.nest.get(Env), 'production', production ?? {});
    }
  });

  it('a hold has the key of plan, component and attempt, and is confirmed when the trip is booked', async () => {
    const [ref, departure] = [await simulate(app), await makeDeparture(owner)];
    const trip = await reservedTrip(owner, [external(ref, { quantity: 2 }), seats(departure.id)]);
    expect(trip).toMatchObject({
      status: 'reserved',
      totalCents: 29_900,
      components: [{ status: 'held' }, { status: 'held' }],
      reservation: { status: 'held', steps: [{ provider: 'departures' }, { provider: 'simulated' }] },
    });
    const [order] = await app.sql('select key from simulated_provider.orders where ref = $1', [ref]);
    expect(order?.['key']).toBe(`${trip.reservation?.planId}:${trip.components[0]?.componentId}:1`);

    const booked = await book(owner, trip.envelopeId);
    expect(booked.body.data).toMatchObject({
      status: 'booked',
      reservation: { steps: [{}, { status: 'confirming' }] },
    });
    const stepId = booked.body.data.reservation?.steps[1]?.stepId ?? '';
    await settle(stepId);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'confirmed', holds: 1 }]);
    expect((await readTrip(owner, trip.envelopeId)).reservation?.steps[1]).toMatchObject({ status: 'confirmed' });
  });

  it('a rejected hold fails the reservation and releases the others; the trip can be reserved again', async () => {
    const [good, bad, departure] = [await simulate(app), await simulate(app), await makeDeparture(owner)];
    await behave(app, bad, { hold: 'refuse', cancellationCents: 100 });
    const { envelopeId, components } = await makeTrip(owner, [seats(departure.id), external(bad), external(good)]);
    const [seat, rejected, kept] = components.map(({ componentId }) => componentId);
    const answer = await reserve(owner, envelopeId);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(
      problem('reservation_failed', {
        planId: expect.stringMatching(/^tpln_/),
        failures: [{ componentId: rejected, code: 'sold_out', message: 'The provider rejected the hold' }],
        compensations: [
          { componentId: seat, status: 'released' },
          { componentId: kept, status: 'released' },
        ],
      }),
    );
    const failed = await readTrip(owner, envelopeId);
    expect(failed).toMatchObject({ status: 'failed', attention: false, holdExpiresAt: null });
    expect(failed.components.map(({ status }) => status)).toEqual(['priced', 'unavailable', 'priced']);
    expect(await ordersOf(app, good)).toEqual([{ state: 'released', holds: 1 }]);
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 0, available: 10 });

    const early = await reserve(owner, envelopeId);
    expect(early.body).toEqual(problem('trip_not_priced', { componentIds: [seat, rejected, kept] }));

    await behave(app, bad);
    expect((await price(owner, envelopeId)).body.data).toMatchObject({ status: 'priced', totalCents: 29_900 });
    const again = await reserve(owner, envelopeId);
    expect(again.body.data).toMatchObject({ status: 'reserved', reservation: { attempt: 2, status: 'held' } });
    expect(again.body.data.components.map(({ status }) => status)).toEqual(['held', 'held', 'held']);
  });

  it('a hold whose answer was lost is found by its key and not requested again', async () => {
    const ref = await simulate(app, { hold: 'lose_answer' });
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    expect((await reserve(owner, envelopeId)).body.data).toMatchObject({ status: 'reserved' });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);
  });

  it('a hold that took too long is found by its key', async () => {
    const ref = await simulate(app);
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    await price(owner, envelopeId);
    // After pricing, so that only the hold is slow.
    await app.sql(
      `update simulated_provider.behaviours set behaviour = behaviour || '{"delayMs":900}' where ref = $1`,
      [ref],
    );
    expect((await reserve(owner, envelopeId)).body.data).toMatchObject({ status: 'reserved' });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);
  });

  it('a request that never arrived fails the step, and its key cannot be used later', async () => {
    const ref = await simulate(app, { hold: 'lose_request' });
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    const answer = await reserve(owner, envelopeId);
    expect(answer.body).toMatchObject({
      code: 'reservation_failed',
      details: { failures: [{ code: 'not_received' }] },
    });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 0 }]);
  });

  it('a hold with an unknown outcome leaves the trip in progress until the sweeper looks it up', async () => {
    const ref = await simulate(app, { hold: 'lose_answer', failsLookup: true });
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    const answer = await reserve(owner, envelopeId);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(problem('reservation_in_progress', { retryAfterMs: 5_000 }));
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      status: 'reserve_in_progress',
      reservation: { status: 'running', steps: [{ status: 'unknown' }] },
    });

    const meanwhile = await reserve(owner, envelopeId);
    expect(meanwhile.body).toEqual(problem('reservation_in_progress', { retryAfterMs: expect.any(Number) }));
    expect((await price(owner, envelopeId)).status).toBe(409);
    expect((await cancel(owner, envelopeId)).status).toBe(409);

    await behave(app, ref);
    app.travel({ ms: 6_000 });
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserved' });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);
  });

  it('a hold that cannot be released sets the attention of the trip, and its release is repeated', async () => {
    const [good, bad] = [await simulate(app, { failsRelease: true }), await simulate(app, { hold: 'refuse' })];
    await behave(app, bad, { hold: 'refuse', cancellationCents: 100 });
    const { envelopeId } = await makeTrip(owner, [external(good), external(bad)]);
    const answer = await reserve(owner, envelopeId);
    expect(answer.body).toMatchObject({ details: { compensations: [{ status: 'release_failed' }] } });
    const failed = await readTrip(owner, envelopeId);
    expect(failed).toMatchObject({ status: 'failed', attention: true });
    const stepId = failed.reservation?.steps.find(({ status }) => status === 'release_failed')?.stepId;
    await settle(stepId);
    expect(await ordersOf(app, good)).toEqual([{ state: 'held', holds: 1 }]);

    await behave(app, good);
    await settle(stepId);
    expect(await ordersOf(app, good)).toEqual([{ state: 'released', holds: 1 }]);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
  });

  it('a changed price moves the trip back to priced, with the new price and nothing reserved', async () => {
    const [ref, departure] = [await simulate(app), await makeDeparture(owner)];
    const { envelopeId, components } = await makeTrip(owner, [external(ref), seats(departure.id)]);
    await price(owner, envelopeId);
    await behave(app, ref, { priceCents: 13_000 });
    const answer = await reserve(owner, envelopeId);
    expect(answer.status).toBe(409);
    const [change] = components;
    const changes = [{ componentId: change?.componentId, previousCents: 12_000, currentCents: 13_000 }];
    expect(answer.body).toEqual(problem('price_changed', { changes }));
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      status: 'priced',
      totalCents: 18_900,
      reservation: null,
    });
    expect(await readDeparture(owner, departure.id)).toMatchObject({ held: 0 });
    expect((await reserve(owner, envelopeId)).status).toBe(200);
  });

  it('cancelling a trip releases its external holds', async () => {
    const ref = await simulate(app);
    const trip = await reservedTrip(owner, [external(ref)]);
    const cancelled = await cancel(owner, trip.envelopeId);
    expect(cancelled.body.data).toMatchObject({
      status: 'cancelled',
      reservation: { steps: [{ status: 'releasing' }] },
    });
    await settle(trip.reservation?.steps[0]?.stepId);
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
  });
});
