import { beforeAll, describe, expect, it } from '@jest/globals';
import { TripComponentsService } from '../../src/modules/trips/trips/trip-components.service.js';
import { ReservationsService } from '../../src/modules/trips/trips/reservations.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { Crashes } from './crashing.js';
import {
  book,
  booksOf,
  cancel,
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
  TRIPS,
} from './trips.js';

const MANY_WRITES = 1_000;

let app: TestApp;
let owner: TestClient;
let crashes: Crashes;

beforeAll(async () => {
  // Nobody else sweeps meanwhile: a trip that is still being worked on by then would be in progress.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  crashes = new Crashes(app);
});

const sweep = (service = app) => asSystem(() => service.nest.get(ReservationsService).sweep());

/** A trip of a departure and of two products of the provider outside, about to be reserved. */
interface Doomed {
  envelopeId: string;
  departureId: string;
  refs: string[];
}

async function doomed(behaviour: object): Promise<Doomed> {
  const [first, second] = [await simulate(app), await simulate(app, { cancellationCents: 1, ...behaviour })];
  const { id: departureId } = await makeDeparture(owner);
  const { envelopeId } = await makeTrip(owner, [seats(departureId), outside(first), outside(second)]);
  expect((await price(owner, envelopeId)).status).toBe(200);
  return { envelopeId, departureId, refs: [first, second] };
}

/** Reserves it, and dies after so many writes; returns how many it was away from that. */
async function reserveDying({ envelopeId }: Pick<Doomed, 'envelopeId'>, writes: number): Promise<number> {
  const { id, headers, death } = crashes.after(writes);
  const answer = owner.post(`${TRIPS}/${envelopeId}/reserve`, undefined, { headers });
  // Nobody waits for the answer of the dead.
  answer.catch(() => undefined);
  await Promise.race([death, answer]);
  return crashes.leftOf(id);
}

/**
 * Counts the writes of a reservation of trips like these, and then reserves one for each of them, all at once, that dies
 * after it; looks at what the sweeper makes of them. Returns how many died.
 */
async function crashEverywhere(behaviour: object, check: (trip: Doomed) => Promise<void>): Promise<number> {
  const whole = await doomed(behaviour);
  const writes = MANY_WRITES - (await reserveDying(whole, MANY_WRITES));
  const trips: Doomed[] = [];
  for (let n = 0; n < writes; n += 1) trips.push(await doomed(behaviour));
  const left = await Promise.all(trips.map((trip, index) => reserveDying(trip, index + 1)));
  expect(left).toEqual(trips.map(() => 0));
  app.travel({ ms: 61_000 });
  await sweep();
  for (const trip of [whole, ...trips]) await check(trip);
  return writes;
}

const statesOf = async ({ refs }: Doomed) =>
  (await Promise.all(refs.map((ref) => booksOf(app, ref)))).flat().map(({ state }) => state);

describe('a crash after any write', () => {
  it('ends in reserved or in fully released, never in progress for ever', async () => {
    const ends = new Set<string>();
    const died = await crashEverywhere({}, async (doomedTrip) => {
      const { envelopeId, departureId } = doomedTrip;
      const [{ status, components }, states] = [await readTrip(owner, envelopeId), await statesOf(doomedTrip)];
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
    expect(died).toBeGreaterThan(6);
    expect([...ends]).toContain('reserved');
    expect(ends.size).toBeGreaterThan(1);
  });

  it('of a reservation that fails ends with everything released', async () => {
    const died = await crashEverywhere({ hold: 'refuse' }, async (doomedTrip) => {
      const { status } = await readTrip(owner, doomedTrip.envelopeId);
      expect(['priced', 'failed']).toContain(status);
      expect((await statesOf(doomedTrip)).filter((state) => state !== 'released')).toEqual([]);
      expect(await readDeparture(owner, doomedTrip.departureId)).toMatchObject({ held: 0, available: 10 });
    });
    expect(died).toBeGreaterThan(6);
  });

  it('of a trip without provider outside leaves it as it was, or reserved', async () => {
    const { id } = await makeDeparture(owner);
    const { envelopeId } = await makeTrip(owner, [seats(id)]);
    await price(owner, envelopeId);
    expect(await reserveDying({ envelopeId }, 1)).toBe(0);
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'reserved' });
    expect(await readDeparture(owner, id)).toMatchObject({ held: 1 });
  });
});

describe('a hold that lapsed', () => {
  it('frees its units without anybody opening the trip, once, however many sweep at once', async () => {
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

describe('a reservation that nobody works on any more', () => {
  it('is taken over once, however many sweep at once: nothing is asked for twice', async () => {
    const trips: Doomed[] = [];
    for (let n = 1; n <= 6; n += 1) trips.push(await doomed({}));
    await Promise.all(trips.map((trip, index) => reserveDying(trip, index + 1)));
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
      const books = (await Promise.all(refs.map((ref) => booksOf(app, ref)))).flat();
      expect(Math.max(0, ...books.map(({ holds }) => holds))).toBeLessThanOrEqual(1);
      expect(books.filter(({ state }) => state === 'held')).toHaveLength(2 * held);
    }
  }, 60_000);
});

describe('the components of a departure that is moved to another day', () => {
  const follow = (id: string) => asSystem(() => app.nest.get(TripComponentsService).followDeparture(id));
  const move = async (id: string, day: string) => {
    const body = { startsAt: `${day}T07:00:00Z`, endsAt: `${day}T16:00:00Z` };
    expect((await owner.patch(`/v1/admin/operations/departures/${id}`, body)).status).toBe(200);
  };
  const dayOf = async ({ envelopeId }: { envelopeId: string }) =>
    (await readTrip(owner, envelopeId)).components.map((component) => component['serviceDate']);

  it('follow it, reserved or priced, and so does the booking; those of a trip that is over stay', async () => {
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

  it('of a trip that is just being reserved follow once that is over', async () => {
    const trip = await doomed({});
    await reserveDying(trip, 3);
    await move(trip.departureId, '2027-06-03');
    await expect(follow(trip.departureId)).rejects.toThrow('Being reserved');
    app.travel({ ms: 61_000 });
    await sweep();
    await follow(trip.departureId);
    expect((await dayOf(trip))[0]).toBe('2027-06-03');
  });
});
