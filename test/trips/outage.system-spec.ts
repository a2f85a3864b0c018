import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  behave,
  book,
  callProviders,
  external,
  makeTrip,
  ordersOf,
  price,
  readTrip,
  reserve,
  reservedTrip,
  simulate,
} from './trips.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', REQUEST_DEADLINE_MS: '1500' } });
  owner = app.as('owner');
});

afterEach(endAll);

const MINUTE_MS = 60_000;

describe('an outage of a provider', () => {
  it('no trip is in progress for more than 20 minutes during an outage of ten hours, and all orders are released', async () => {
    const refs: string[] = [];
    let longestMs = 0;
    for (let minutes = 0; minutes < 600; minutes += 5) {
      if (minutes % 60 === 0) {
        const ref = await simulate(app);
        const { envelopeId } = await makeTrip(owner, [external(ref)]);
        expect((await price(owner, envelopeId)).status).toBe(200);
        await behave(app, ref, { hold: 'lose_answer', failsLookup: true, failsRelease: true });
        await reserve(owner, envelopeId);
        refs.push(ref);
      }
      app.travel({ ms: 5 * MINUTE_MS });
      await asSystem(() => app.nest.get(ReservationsService).sweep());
      const busy = await app.sql<{ since: Date }>(
        `select reserving_since as since from trip_envelopes where status = 'reserve_in_progress'`,
      );
      for (const { since } of busy) longestMs = Math.max(longestMs, app.now().getTime() - since.getTime());
    }
    expect(refs).toHaveLength(10);
    expect(longestMs).toBeGreaterThan(0);
    expect(longestMs).toBeLessThanOrEqual(20 * MINUTE_MS);

    for (const ref of refs) await behave(app, ref);
    app.travel({ hours: 2 });
    await asSystem(() => app.nest.get(ReservationsService).sweep());
    const states = (await Promise.all(refs.map((ref) => ordersOf(app, ref)))).flat().map(({ state }) => state);
    expect(states.filter((state) => state !== 'released')).toEqual([]);
    expect(await app.sql('select from trip_envelopes where attention')).toEqual([]);
    // Moves the clock back by the ten and the two hours, because the process of the next test has the clock of the machine.
    app.travel({ hours: -12 });
  }, 300_000);
});

describe('a service that is killed while it cancels an order', () => {
  it('the order is cancelled once at the provider, and the next process completes the cancellation', async () => {
    const ref = await simulate(app, { cancelFeeCents: 700 });
    const { envelopeId } = await reservedTrip(owner, [external(ref)]);
    const { bookingId } = (await book(owner, envelopeId)).body.data;
    await callProviders(app);
    await behave(app, ref, { cancel: 'never_answer', cancelFeeCents: 700 });
    const service = await ServiceProcess.start({ JOBS: 'true' }, 'test/trips/faulty-service.js');
    expect((await owner.post(`/v1/admin/bookings/${bookingId}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    // By its clock, the calls that are due by this clock are not due yet.
    await app.sql(`update reservation_steps set due_at = now() where status = 'cancelling'`);
    while ((await ordersOf(app, ref))[0]?.state !== 'cancelled') await pause(100);
    await service.end('SIGKILL');
    expect((await readTrip(owner, envelopeId)).components).toMatchObject([{ status: 'cancelling' }]);

    await behave(app, ref, { cancelFeeCents: 900 });
    app.travel({ ms: 3 * MINUTE_MS });
    await callProviders(app);

    expect((await readTrip(owner, envelopeId)).components).toMatchObject([
      { status: 'cancelled', cancellationFeeCents: 700 },
    ]);
    expect(await app.sql('select cancels from simulated_provider.orders where ref = $1', [ref])).toEqual([
      { cancels: 1 },
    ]);
  }, 120_000);
});
