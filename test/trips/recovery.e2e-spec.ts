import { beforeAll, describe, expect, it } from '@jest/globals';
import { Sweeper } from '../../src/modules/trips/reservations/sweeper.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { crashAfter } from './crashing.js';
import {
  book,
  booksOf,
  entriesAbout,
  makeDeparture,
  makeTrip,
  outside,
  price,
  problem,
  readDeparture,
  readTrip,
  reserve,
  reservedTrip,
  seats,
  simulate,
} from './trips.js';

const MOST_WRITES = 40;

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { REQUEST_DEADLINE_MS: '8000' } });
  owner = app.as('owner');
});

const sweep = (service = app) => asSystem(() => service.nest.get(Sweeper).sweep());

/** Reserves again and again, each time with a crash one write later, until one comes through; how many crashed. */
async function crashEverywhere(behaviour: object, check: (trip: string, refs: string[]) => Promise<void>) {
  for (let writes = 1; writes < MOST_WRITES; writes += 1) {
    const [first, second] = [await simulate(app), await simulate(app, { cancellationCents: 1, ...behaviour })];
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id), outside(first), outside(second)]);
    await price(owner, envelopeId);
    const revive = crashAfter(app, writes);
    await reserve(owner, envelopeId);
    const hasCrashed = revive();
    app.travel({ ms: 61_000 });
    await sweep();
    await check(envelopeId, [id, first, second]);
    if (!hasCrashed) return writes - 1;
  }
  throw new Error('The reservation never came through');
}

describe('a crash after any write', () => {
  it('ends in reserved or in fully released, never in progress for ever', async () => {
    const crashes = await crashEverywhere({}, async (envelopeId, [departure = '', ...refs]) => {
      const { status, components } = await readTrip(owner, envelopeId);
      const states = (await Promise.all(refs.map((ref) => booksOf(app, ref)))).flat().map(({ state }) => state);
      const { held } = await readDeparture(owner, departure);
      if (status === 'reserved') {
        expect([held, states]).toEqual([1, ['held', 'held']]);
        expect(components.map((component) => component.status)).toEqual(['held', 'held', 'held']);
      } else {
        expect(['priced', 'failed']).toContain(status);
        expect([held, states.filter((state) => state !== 'released')]).toEqual([0, []]);
        expect((await price(owner, envelopeId)).status).toBe(200);
        expect((await reserve(owner, envelopeId)).body.data).toMatchObject({ status: 'reserved' });
      }
    });
    expect(crashes).toBeGreaterThan(6);
  }, 120_000);

  it('of a reservation that fails ends with everything released', async () => {
    const crashes = await crashEverywhere({ hold: 'refuse' }, async (envelopeId, [departure = '', ...refs]) => {
      const { status } = await readTrip(owner, envelopeId);
      expect(['priced', 'failed']).toContain(status);
      const states = (await Promise.all(refs.map((ref) => booksOf(app, ref)))).flat().map(({ state }) => state);
      expect(states.filter((state) => state !== 'released')).toEqual([]);
      expect(await readDeparture(owner, departure)).toMatchObject({ held: 0, available: 10 });
    });
    expect(crashes).toBeGreaterThan(6);
  }, 120_000);

  it('of a trip without provider outside leaves it as it was, or reserved', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id)]);
    await price(owner, envelopeId);
    const revive = crashAfter(app, 1);
    await reserve(owner, envelopeId);
    expect(revive()).toBe(true);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserved' });
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
  });
});

describe('a hold that lapsed', () => {
  it('frees its units without anybody opening the trip, once, however many sweep at once', async () => {
    const { id } = await makeDeparture(owner);
    const trips = await Promise.all(Array.from({ length: 6 }, () => reservedTrip(owner, [seats(id)])));
    expect(await readDeparture(owner, id)).toMatchObject({ held: 6 });
    const other = await startApp();
    for (const service of [app, other]) service.travel({ ms: 31 * 60_000 });
    other.travel({ ms: app.now().getTime() - other.now().getTime() });
    const [first = ''] = trips.map(({ envelopeId }) => envelopeId);
    expect((await reserve(owner, first)).body).toMatchObject({ code: 'trip_not_priced' });
    expect((await book(owner, first)).body).toEqual(problem('hold_expired', { holdExpiresAt: expect.any(String) }));

    await Promise.all([sweep(), sweep(other), sweep(), sweep(other)]);
    expect(await readDeparture(owner, id)).toMatchObject({ held: 0, available: 10 });
    for (const { envelopeId } of trips) {
      expect(await readTrip(owner, envelopeId)).toMatchObject({
        status: 'expired',
        holdExpiresAt: null,
        components: [{ status: 'priced' }],
        reservation: { status: 'released', steps: [{ status: 'released' }] },
      });
      const expiries = (await entriesAbout(owner, envelopeId)).filter(({ action }) => action === 'trips.trip.expire');
      expect(expiries).toEqual([expect.objectContaining({ actorType: 'system' })]);
    }
    await price(owner, first);
    expect((await reserve(owner, first)).body.data).toMatchObject({ status: 'reserved' });
  }, 60_000);
});
