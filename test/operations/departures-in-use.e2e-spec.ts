/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES, newDeparture, outcome, read, withUnits } from './departures.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const sell = (id: string, units: number) =>
  withUnits(app, (departures) => departures.allocate(id, units, { from: 'pool', as: 'sold' }));

describe('a departure in use', () => {
  it('a departure in use is not cancelled while units are sold or held: 409 with their numbers', async () => {
    const { id } = await newDeparture(app);
    await sell(id, 3);
    await withUnits(app, (departures) => departures.allocate(id, 2, { from: 'pool', as: 'held' }));

    const answer = await staff.post<ErrorBody>(`${DEPARTURES}/${id}/cancellation`);

    const error = 'Units of the departure are sold or held';
    const rejected = { code: 'departure_in_use', error, details: { sold: 3, held: 2 } };
    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, rejected)]);
    expect((await read(app, id)).status).toBe('scheduled');
  });

  it('a departure in use does not get a capacity below sold, held and guaranteed units: 409 with their numbers', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });
    await sell(id, 3);
    await withUnits(app, async (departures) => {
      await departures.allocate(id, 2, { from: 'pool', as: 'held' });
      await departures.raiseGuaranteed({ departureId: id, units: 1 });
    });

    const answer = await staff.patch<ErrorBody>(`${DEPARTURES}/${id}`, { capacity: 5 });
    const { status } = await staff.patch(`${DEPARTURES}/${id}`, { capacity: 6 });

    const details = { available: 4, sold: 3, held: 2, guaranteedOpen: 1 };
    const error = 'capacity must not be below sold, held and guaranteed units';
    expect([answer.status, answer.body]).toEqual([
      409,
      errorBody(answer, { code: 'capacity_exceeded', error, details }),
    ]);
    expect(status).toBe(200);
  });

  it('a departure in use can be changed during sales, which do not raise its version', async () => {
    const { id } = await newDeparture(app, { capacity: 10 });
    await sell(id, 4);

    const path = `${DEPARTURES}/${id}`;
    const { status } = await staff.patch(path, { priceCents: 7_000 }, { headers: { 'If-Match': '"1"' } });

    expect(status).toBe(200);
    expect(await read(app, id)).toMatchObject({ sold: 4, available: 6, priceCents: 7_000, version: 2 });
  });

  it('a departure in use is either sold or cancelled by concurrent requests, and changes by staff keep its units', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newDeparture(app, { capacity: 10 });

      const [cancelled, ...others] = await Promise.all([
        staff.post(`${DEPARTURES}/${id}/cancellation`),
        ...Array.from({ length: 4 }, () => outcome(sell(id, 2))),
        ...Array.from({ length: 4 }, (_, n) =>
          staff.patch(`${DEPARTURES}/${id}`, { priceCents: 6_000 + n }).then(() => null),
        ),
      ]);

      const rejected = others.slice(0, 4).filter((error) => error !== null);
      const { sold, status } = await read(app, id);
      expect(rejected.map(({ code }) => code)).toEqual(rejected.map(() => 'departure_cancelled'));
      expect(sold).toBe(2 * (4 - rejected.length));
      expect([cancelled.status, status]).toEqual(sold === 0 ? [200, 'cancelled'] : [409, 'scheduled']);
    }
  });
});

describe('the counters of a departure', () => {
  type Action =
    'sell' | 'hold' | 'guarantee' | 'sellGuaranteed' | 'unsell' | 'releaseHeld' | 'sellHeld' | 'release' | 'withdraw';
  const actions: Action[] = [
    'sell',
    'hold',
    'guarantee',
    'sellGuaranteed',
    'unsell',
    'releaseHeld',
    'sellHeld',
    'release',
    'withdraw',
  ];
  const EXPECTED_ERRORS = 'capacity_exceeded';

  function perform(id: string, action: Action, units: number): Promise<void> {
    return withUnits(app, async (departures) => {
      const one = { departureId: id, units };
      if (action === 'sell') await departures.allocate(id, units, { from: 'pool', as: 'sold' });
      else if (action === 'hold') await departures.allocate(id, units, { from: 'pool', as: 'held' });
      else if (action === 'sellGuaranteed')
        await departures.allocate(id, units, { from: 'guaranteed_slot', as: 'sold' });
      else if (action === 'guarantee') await departures.raiseGuaranteed(one);
      else if (action === 'unsell') await departures.release(id, units, { to: 'pool', from: 'sold' });
      else if (action === 'releaseHeld') await departures.release(id, units, { to: 'pool', from: 'held' });
      else if (action === 'sellHeld') await departures.sellHeld(id, units);
      else if (action === 'release') await departures.lowerGuaranteed(one);
      else await departures.withdrawGuaranteed(one);
    });
  }

  /** Returns the effect of the action on the counters; null if the action must be rejected. */
  function modelled(before: Counters, action: Action, n: number): Counters | null {
    const { capacity, sold, held, guaranteed } = before;
    const pool = capacity - sold - held - guaranteed;
    if (action === 'sell') return pool >= n ? { ...before, sold: sold + n } : null;
    if (action === 'hold') return pool >= n ? { ...before, held: held + n } : null;
    if (action === 'guarantee') return pool >= n ? { ...before, guaranteed: guaranteed + n } : null;
    if (action === 'sellGuaranteed') {
      return guaranteed >= n ? { ...before, sold: sold + n, guaranteed: guaranteed - n } : null;
    }
    if (action === 'unsell') return sold >= n ? { ...before, sold: sold - n } : null;
    if (action === 'releaseHeld') return held >= n ? { ...before, held: held - n } : null;
    if (action === 'sellHeld') return held >= n ? { ...before, held: held - n, sold: sold + n } : null;
    if (guaranteed < n) return null;
    const lower = { ...before, guaranteed: guaranteed - n };
    return action === 'release' ? lower : { ...lower, capacity: capacity - n };
  }

  interface Counters {
    capacity: number;
    sold: number;
    held: number;
    guaranteed: number;
  }

  it('the counters of a departure equal those of a model after any sequence of changes, and no check constraint fails', async () => {
    const run = fc.array(fc.tuple(fc.constantFrom(...actions), fc.integer({ min: 1, max: 6 })), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(run, async (steps) => {
        const { id } = await newDeparture(app, { capacity: 12 });
        let model: Counters = { capacity: 12, sold: 0, held: 0, guaranteed: 0 };
        for (const [action, units] of steps) {
          const after = modelled(model, action, units);
          const isTaking = ['sell', 'hold', 'guarantee', 'sellGuaranteed'].includes(action);
          const done = perform(id, action, units);
          if (after !== null) await done;
          else if (isTaking) expect((await outcome(done))?.code).toBe(EXPECTED_ERRORS);
          else await expect(done).rejects.toThrow('fewer units');
          model = after ?? model;
        }
        const { capacity, sold, held, guaranteedOpen: guaranteed, available } = await read(app, id);
        expect({ capacity, sold, held, guaranteed }).toEqual(model);
        expect(available).toBe(capacity - sold - held - guaranteed);
      }),
      { numRuns: 25 },
    );
  });

  it('the counters of a departure equal the successful concurrent allocations from the pool and from guaranteed units', async () => {
    const { id } = await newDeparture(app, { capacity: 30 });
    await perform(id, 'guarantee', 10);
    const takers = Array.from({ length: 60 }, (_, n) => {
      const action = (['sell', 'hold', 'sellGuaranteed'] as const)[n % 3] ?? 'sell';
      return outcome(perform(id, action, 1 + (n % 2))).then((rejected) => ({
        deed: action,
        units: rejected ? 0 : 1 + (n % 2),
      }));
    });
    const results = await Promise.all(takers);

    const sum = (...of: string[]) =>
      results.filter(({ deed: action }) => of.includes(action)).reduce((total, { units }) => total + units, 0);
    expect(await read(app, id)).toMatchObject({
      sold: sum('sell', 'sellGuaranteed'),
      held: sum('hold'),
      guaranteedOpen: 10 - sum('sellGuaranteed'),
      available: 20 - sum('sell', 'hold'),
    });
    expect([sum('sellGuaranteed'), sum('sell', 'hold')]).toEqual([10, 20]);
  });
});
