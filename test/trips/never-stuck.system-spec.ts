import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  attentionsOf,
  behave,
  cancel,
  entriesAbout,
  external,
  makeDeparture,
  makeTrip,
  ordersOf,
  price,
  problem,
  readDeparture,
  readTrip,
  reserve,
  seats,
  simulate,
  type Trip,
  TRIPS,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', REQUEST_DEADLINE_MS: '3000' } });
  owner = app.as('owner');
});

const sweep = () => asSystem(() => app.nest.get(ReservationsService).sweep());

/** A reservation whose external hold exists, although the provider answers neither the request nor lookups. */
async function stuckTrip() {
  const [ref, departure] = [await simulate(app), await makeDeparture(owner)];
  const { envelopeId } = await makeTrip(owner, [seats(departure.id, { quantity: 3 }), external(ref)]);
  await price(owner, envelopeId);
  await behave(app, ref, { hold: 'lose_answer', failsLookup: true });
  expect((await reserve(owner, envelopeId)).body).toMatchObject({ code: 'reservation_in_progress' });
  return { envelopeId, departureId: departure.id, ref };
}

describe('a provider that holds, loses the answer and fails lookups', () => {
  it('the units are free 15 minutes later, the trip has failed and staff see it; a later lookup releases the order', async () => {
    const { envelopeId, departureId, ref } = await stuckTrip();
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 3 });
    app.travel({ ms: 14 * 60_000 });
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserve_in_progress', attention: false });
    app.travel({ ms: 61_000 });
    await sweep();
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({
      status: 'failed',
      attention: true,
      reservation: { status: 'failed', steps: [{ status: 'released' }, { status: 'abandoned' }] },
    });
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 0, available: 10 });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);

    await behave(app, ref);
    app.travel({ hours: 1 });
    await sweep();
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed', attention: false });
    const [attention] = await attentionsOf(owner, envelopeId);
    expect(attention).toMatchObject({ code: 'provider_outcome_unknown', resolution: 'settled' });
    const end = (await entriesAbout(owner, envelopeId)).find(({ action }) => action === 'trips.trip.abandon');
    expect(end).toMatchObject({ actorType: 'system', reason: 'The reservation has reached its time limit' });
    // The trip can be reserved again.
    expect((await price(owner, envelopeId)).status).toBe(200);
    expect((await reserve(owner, envelopeId)).body.data).toMatchObject({ status: 'reserved' });
  });

  it('the organization sets after how many minutes the reservation ends', async () => {
    const settings = '/v1/admin/organization/settings';
    const { envelopeId } = await stuckTrip();
    app.travel({ ms: 6 * 60_000 });
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserve_in_progress' });
    expect((await owner.patch(settings, { unknownStepMinutes: 5 })).status).toBe(200);
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed', attention: true });
    await owner.patch(settings, { unknownStepMinutes: 15 });
  });

  it('concurrent sweepers end the reservation once', async () => {
    const { envelopeId, departureId } = await stuckTrip();
    app.travel({ ms: 16 * 60_000 });
    await Promise.all([sweep(), sweep(), sweep(), sweep()]);
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 0 });
    expect(await attentionsOf(owner, envelopeId)).toHaveLength(1);
    const ends = (await entriesAbout(owner, envelopeId)).filter(({ action }) => action === 'trips.trip.abandon');
    expect(ends).toHaveLength(1);
  });

  it('the reservation ends before its limit if a hold of it expires', async () => {
    const [first, second] = [await simulate(app, { holdSeconds: 120 }), await simulate(app, { cancellationCents: 5 })];
    const { envelopeId } = await makeTrip(owner, [external(first), external(second)]);
    await price(owner, envelopeId);
    await behave(app, second, { cancellationCents: 5, hold: 'lose_answer', failsLookup: true });
    await reserve(owner, envelopeId);
    app.travel({ ms: 121_000 });
    await sweep();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed', attention: true });
    expect(await ordersOf(app, first)).toEqual([{ state: 'released', holds: 1 }]);
  });

  it('a confirmed order of an ended reservation is left to staff', async () => {
    const { envelopeId, ref } = await stuckTrip();
    app.travel({ ms: 16 * 60_000 });
    await sweep();
    await app.sql(`update simulated_provider.orders set state = 'confirmed' where ref = $1`, [ref]);
    await behave(app, ref);
    app.travel({ hours: 1 });
    await sweep();
    expect(await attentionsOf(owner, envelopeId)).toMatchObject([
      { code: 'provider_order_live', resolution: null },
      { code: 'provider_outcome_unknown', resolution: 'settled' },
    ]);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed', attention: true });
  });

  it('a provider that never answers is looked up for 7 days, and staff can resolve it', async () => {
    const { envelopeId, ref } = await stuckTrip();
    app.travel({ ms: 16 * 60_000 });
    await sweep();
    const attempts = async () => (await readTrip(owner, envelopeId)).reservation?.steps[1]?.['attempts'];
    for (let hours = 0; hours < 8 * 24; hours += 12) {
      app.travel({ hours: 12 });
      await sweep();
    }
    const last = await attempts();
    expect(last).toBeGreaterThan(12);
    app.travel({ days: 1 });
    await sweep();
    expect(await attempts()).toBe(last);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed', attention: true });
    expect(await ordersOf(app, ref)).toEqual([{ state: 'held', holds: 1 }]);

    const [open] = await attentionsOf(owner, envelopeId);
    const path = `${TRIPS}/${envelopeId}/attentions/${open?.attentionId}/resolution`;
    const resolved = await owner.post(path, { resolution: 'cancelled_outside', note: 'On the phone' });
    expect(resolved.body).toMatchObject({ data: { resolution: 'cancelled_outside', note: 'On the phone' } });
    expect(await readTrip(owner, envelopeId)).toMatchObject({ attention: false });
    const again = await owner.post(path, { resolution: 'written_off' });
    expect([again.status, again.body]).toMatchObject([409, { code: 'attention_resolved' }]);
    const other = await makeTrip(owner, []);
    expect((await owner.post(path.replace(envelopeId, other.envelopeId), { resolution: 'replaced' })).status).toBe(404);
  });
});

describe('abandoning a reservation', () => {
  const abandon = (id: string) => owner.post<{ data: Trip }>(`${TRIPS}/${id}/abandonment`, { reason: 'No answer' });

  it('a reservation can be abandoned after a minute, and only while it is in progress', async () => {
    const { envelopeId, departureId } = await stuckTrip();
    const early = await abandon(envelopeId);
    expect([early.status, early.body]).toEqual([
      409,
      problem('reservation_in_progress', { retryAfterMs: expect.any(Number) }),
    ]);
    app.travel({ ms: 61_000 });
    expect((await abandon(envelopeId)).body.data).toMatchObject({ status: 'failed', attention: true });
    expect(await readDeparture(owner, departureId)).toMatchObject({ held: 0 });
    expect((await abandon(envelopeId)).body).toEqual(problem('not_abandonable', { status: 'failed' }));
    const end = (await entriesAbout(owner, envelopeId)).find(({ action }) => action === 'trips.trip.abandon');
    expect(end).toMatchObject({ actorType: 'api_key', reason: 'No answer' });
    expect((await cancel(owner, envelopeId)).status).toBe(200);
  });

  it('a worker that is late cannot continue an abandoned reservation, and its hold is released', async () => {
    const ref = await simulate(app);
    const { envelopeId } = await makeTrip(owner, [external(ref)]);
    await price(owner, envelopeId);
    await app.sql(
      `update simulated_provider.behaviours set behaviour = behaviour || '{"delayMs":1500}' where ref = $1`,
      [ref],
    );
    // The quote takes 1.5 s, and so does the hold.
    const late = reserve(owner, envelopeId);
    const stepStatus = async () => (await readTrip(owner, envelopeId)).reservation?.steps[0]?.status;
    while ((await stepStatus()) !== 'dispatching') await pause(50);
    app.travel({ ms: 61_000 });
    expect((await abandon(envelopeId)).status).toBe(200);
    expect((await late).body).toMatchObject({ code: 'reservation_in_progress' });
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'failed' });
    await behave(app, ref);
    while ((await ordersOf(app, ref)).length === 0) await pause(50);
    app.travel({ hours: 1 });
    await sweep();
    expect(await ordersOf(app, ref)).toEqual([{ state: 'released', holds: 1 }]);
  });
});
