import { beforeAll, describe, expect, it } from '@jest/globals';
import { TripComponentsService } from '../../src/modules/trips/envelopes/trip-components.service.js';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { Crashes } from './crashing.js';
import {
  book,
  ordersOf,
  cancel,
  entriesAbout,
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
  TRIPS,
} from './trips.js';

const MANY_WRITES = 1_000;

let app: TestApp;
let owner: TestClient;
let crashes: Crashes;

beforeAll(async () => {
  // No other sweeper runs: it would find trips whose reservation is still running.
  // A crashed request has no end, so it uses a part of its caller's share until the tests have ended.
  app = await startApp({ env: { JOBS: 'false', DATABASE_POOL_SIZE: '160' } });
  owner = app.as('owner');
  crashes = new Crashes(app);
});

const sweep = (service = app) => asSystem(() => service.nest.get(ReservationsService).sweep());

/** A priced trip of a departure and two products of the external provider. */
interface CrashTrip {
  envelopeId: string;
  departureId: string;
  refs: string[];
}

async function newCrashTrip(behaviour: object): Promise<CrashTrip> {
  const [first, second] = [await simulate(app), await simulate(app, { cancellationCents: 1, ...behaviour })];
  const { id: departureId } = await makeDeparture(owner);
  const { envelopeId } = await makeTrip(owner, [seats(departureId), external(first), external(second)]);
  expect((await price(owner, envelopeId)).status).toBe(200);
  return { envelopeId, departureId, refs: [first, second] };
}

/** Reserves the trip and crashes after this number of writes. Returns the number of writes that were left. */
async function reserveAndCrash({ envelopeId }: Pick<CrashTrip, 'envelopeId'>, writes: number): Promise<number> {
  const { id, headers, crashed } = crashes.after(writes);
  const answer = owner.post(`${TRIPS}/${envelopeId}/reserve`, undefined, { headers });
  // A crashed request has no answer.
  answer.catch(() => undefined);
  await Promise.race([crashed, answer]);
  return crashes.leftOf(id);
}

/**
 * Counts the writes of a reservation, and then reserves one trip for each write, concurrently, which crashes after that
 * write; checks the trips after a sweep. Returns the number of crashes.
 */
async function crashEverywhere(behaviour: object, check: (trip: CrashTrip) => Promise<void>): Promise<number> {
  const whole = await newCrashTrip(behaviour);
  const writes = MANY_WRITES - (await reserveAndCrash(whole, MANY_WRITES));
  const trips: CrashTrip[] = [];
  for (let n = 0; n < writes; n += 1) trips.push(await newCrashTrip(behaviour));
  const left = await Promise.all(trips.map((trip, index) => reserveAndCrash(trip, index + 1)));
  expect(left).toEqual(trips.map(() => 0));
  app.travel({ ms: 61_000 });
  await sweep();
  for (const trip of [whole, ...trips]) await check(trip);
  return writes;
}

const statesOf = async ({ refs }: CrashTrip) =>
  (await Promise.all(refs.map((ref) => ordersOf(app, ref)))).flat().map(({ state }) => state);

describe('a crash after any write of a reservation', () => {
  it('a crashed reservation ends reserved or fully released', async () => {
    const ends = new Set<string>();
    const count = await crashEverywhere({}, async (trip) => {
      const { envelopeId, departureId } = trip;
      const [{ status, components }, states] = [await readTrip(owner, envelopeId), await statesOf(trip)];
      const { held } = await readDeparture(owner, departureId);
      ends.add(status);
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
    expect(count).toBeGreaterThan(6);
    expect([...ends]).toContain('reserved');
    expect(ends.size).toBeGreaterThan(1);
  });

  it('a crashed reservation that fails ends with everything released', async () => {
    const count = await crashEverywhere({ hold: 'refuse' }, async (trip) => {
      const { status } = await readTrip(owner, trip.envelopeId);
      expect(['priced', 'failed']).toContain(status);
      expect((await statesOf(trip)).filter((state) => state !== 'released')).toEqual([]);
      expect(await readDeparture(owner, trip.departureId)).toMatchObject({ held: 0, available: 10 });
    });
    expect(count).toBeGreaterThan(6);
  });

  it('a crashed reservation without external providers is complete or did not happen', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id)]);
    await price(owner, envelopeId);
    expect(await reserveAndCrash({ envelopeId }, 1)).toBe(0);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserved' });
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
  });
});

describe('an expired hold', () => {
  it('expired holds are released once by concurrent sweepers', async () => {
    const { id } = await makeDeparture(owner);
    const trips = await Promise.all(Array.from({ length: 6 }, () => reservedTrip(owner, [seats(id)])));
    expect(await readDeparture(owner, id)).toMatchObject({ held: 6 });
    const other = await startApp({ env: { JOBS: 'false' } });
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

describe('an abandoned reservation', () => {
  it('an abandoned reservation is taken over once by concurrent sweepers, and nothing is requested twice', async () => {
    const trips: CrashTrip[] = [];
    for (let n = 1; n <= 6; n += 1) trips.push(await newCrashTrip({}));
    await Promise.all(trips.map((trip, index) => reserveAndCrash(trip, index + 1)));
    const other = await startApp({ env: { JOBS: 'false' } });
    app.travel({ ms: 61_000 });
    other.travel({ ms: app.now().getTime() - other.now().getTime() });

    const moved = await Promise.all([sweep(), sweep(other), sweep(), sweep(other)]);

    expect(moved.reduce((sum, count) => sum + count)).toBe(trips.length);
    for (const { envelopeId, departureId, refs } of trips) {
      const [{ fencing_token: token } = {}] = await app.sql<{ fencing_token?: number }>(
        'select fencing_token from trip_envelopes where id = $1',
        [envelopeId],
      );
      const { status } = await readTrip(owner, envelopeId);
      expect([token, ['reserved', 'priced', 'failed']]).toEqual([2, expect.arrayContaining([status])]);
      const ends = (await entriesAbout(owner, envelopeId)).filter(({ actorType }) => actorType === 'system');
      expect(ends).toHaveLength(1);
      const held = status === 'reserved' ? 1 : 0;
      expect(await readDeparture(owner, departureId)).toMatchObject({ held, available: 10 - held });
      const books = (await Promise.all(refs.map((ref) => ordersOf(app, ref)))).flat();
      expect(Math.max(0, ...books.map(({ holds }) => holds))).toBeLessThanOrEqual(1);
      expect(books.filter(({ state }) => state === 'held')).toHaveLength(2 * held);
    }
  }, 60_000);
});

describe('a departure that is moved to another day', () => {
  const follow = (id: string) => asSystem(() => app.nest.get(TripComponentsService).followDeparture(id));
  const move = async (id: string, day: string) => {
    const body = { startsAt: `${day}T07:00:00Z`, endsAt: `${day}T16:00:00Z` };
    expect((await owner.patch(`/v1/admin/operations/departures/${id}`, body)).status).toBe(200);
  };
  const dayOf = async ({ envelopeId }: { envelopeId: string }) =>
    (await readTrip(owner, envelopeId)).components.map((component) => component['serviceDate']);

  it('components of priced and reserved trips follow their departure, and so does the booking; cancelled trips stay', async () => {
    const { id } = await makeDeparture(owner);
    const [reserved, over] = [await reservedTrip(owner, [seats(id)]), await reservedTrip(owner, [seats(id)])];
    const priced = await makeTrip(owner, [seats(id), seats(id)]);
    await price(owner, priced.envelopeId);
    const fresh = await makeTrip(owner, [seats(id)]);
    await cancel(owner, over.envelopeId);

    await move(id, '2027-06-02');
    const jobs = `select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'trips.departure-moved'`;
    expect(await app.sql(jobs)).toEqual([{ payload: { departureId: id } }]);
    await Promise.all([follow(id), follow(id)]);

    expect(await Promise.all([reserved, priced, fresh, over].map(dayOf))).toEqual([
      ['2027-06-02'],
      ['2027-06-02', '2027-06-02'],
      [null],
      ['2027-05-12'],
    ]);
    const { status, version, components } = await readTrip(owner, reserved.envelopeId);
    expect([status, version]).toEqual(['reserved', reserved.version + 1]);
    const entries = await entriesAbout(owner, components[0]?.componentId ?? '');
    expect(entries.at(-1)).toMatchObject({
      ...{ action: 'trips.trip_component.update', actorType: 'system', reason: 'The departure was moved' },
      ...{ before: { serviceDate: '2027-05-12' }, after: { serviceDate: '2027-06-02' } },
    });
    const booked = (await book(owner, reserved.envelopeId)).body.data;
    const booking = await owner.get<{ data: object }>(`/v1/admin/bookings/${booked.bookingId}`);
    expect(booking.body.data).toMatchObject({ startDate: '2027-06-02', departureDate: '2027-06-02' });
  });

  it('components of a trip that is being reserved follow their departure afterwards', async () => {
    const trip = await newCrashTrip({});
    await reserveAndCrash(trip, 3);
    await move(trip.departureId, '2027-06-03');
    await expect(follow(trip.departureId)).rejects.toThrow('are being reserved');
    app.travel({ ms: 61_000 });
    await sweep();
    await follow(trip.departureId);
    expect((await dayOf(trip))[0]).toBe('2027-06-03');
  });
});
