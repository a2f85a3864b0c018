import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AllotmentJobs } from '../../../src/modules/distribution/allotments/allotments.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { BOOKINGS, type Item, itemBody, type One } from '../../bookings/bookings.js';
import { Random } from '../../fuzz/random.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { Answer } from '../../setup/http.js';
import {
  ALLOTMENTS,
  bookingThrough,
  departureIn,
  expectSumsToAgree,
  newAllotment,
  patiently,
  poolOf,
  slotsOf,
} from './allotments.js';

const SELLERS = 64;
const SALES = 8;
const DAY_MS = 86_400_000;
const DEPARTURES = '/v1/admin/operations/departures';
const EXPECTED = ['allotment_has_sales', 'capacity_exceeded', 'nothing_released', 'not_found', 'slot_closed'];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Repeats the call after a busy response, and accepts only expected errors. */
async function attempt<Body>(call: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  const answer = await patiently(call);
  if (answer.status >= 300) expect(EXPECTED).toContain((answer.body as { code?: string }).code);
  return answer;
}

/** Selects the actions; `SEED=... npm run test:system` repeats them, but not their timing. */
const SEED = process.env['SEED'] ?? randomUUID();
const random = new Random(SEED);
const oneOf = <T>(values: readonly T[]): T => random.pick(values);

describe('many sellers while departures, validities and releases change', () => {
  it(`64 concurrent sellers over moving departures, ranges and releases change no guaranteed quantity (seed ${SEED})`, async () => {
    const owner = app.as('owner');
    const first = await departureIn(app, 40, { capacity: 90 });
    const { productId } = first;
    const departures = [first];
    for (const days of [41, 42]) departures.push(await departureIn(app, days, { productId, capacity: 90 }));
    const validTo = departures.at(-1)?.startDate;
    const release = { mode: 'automatic', steps: [{ daysBefore: 60, keepQuantity: 5 }] };
    const allotments = [
      await newAllotment(app, { productId, validTo, defaultQuantity: 20, release }),
      await newAllotment(app, { productId, validTo, defaultQuantity: 15 }),
      await newAllotment(app, { productId, validTo, defaultQuantity: 30, type: 'cap' }),
    ];
    const before = await Promise.all(allotments.map(({ id }) => slotsOf(app, id)));
    const bookings: { id: string; allotmentId: string }[] = [];
    for (let n = 0; n < SELLERS; n += 1) {
      const { id: allotmentId } = oneOf(allotments);
      bookings.push({ id: (await bookingThrough(app, allotmentId)).id, allotmentId });
    }

    const sell = async ({ id, allotmentId }: { id: string; allotmentId: string }) => {
      const items: Item[] = [];
      for (let n = 0; n < SALES; n += 1) {
        const item = items[0];
        if (item && random.chance(0.5)) {
          await attempt(() => owner.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`));
          items.shift();
        } else {
          const through = { departureId: oneOf(departures).id, allotmentId: random.below(3) > 0 ? allotmentId : null };
          const body = itemBody({ ...through, quantity: random.between(1, 3) });
          const answer = await attempt(() => owner.post<One<Item>>(`${BOOKINGS}/${id}/items`, body));
          if (answer.status === 201) items.push(answer.body.data);
        }
      }
    };
    const move = async ({ id, startsAt, endsAt }: (typeof departures)[number], days: number, query = '') => {
      const later = (instant: string) => new Date(Date.parse(instant) + days * DAY_MS).toISOString();
      return attempt(() =>
        owner.patch(`${DEPARTURES}/${id}${query}`, { startsAt: later(startsAt), endsAt: later(endsAt) }),
      );
    };
    let selling = true;
    const disturb = async () => {
      while (selling) {
        const { id } = oneOf(allotments);
        const departure = oneOf(departures);
        // Within the validity, the release step is due or not; 30 days later the departure is outside it.
        await move(departure, oneOf([-35, 0, 0, 30]));
        await attempt(() => owner.patch(`${ALLOTMENTS}/${id}`, { validTo: oneOf([first.startDate, validTo]) }));
        await attempt(() => owner.post(`${ALLOTMENTS}/${id}/releases`, { departureId: departure.id }));
        await attempt(() => owner.post(`${ALLOTMENTS}/${id}/reclaims`, { departureId: departure.id, units: 2 }));
        await asSystem(() => app.nest.get(AllotmentJobs).releaseUnsold()).catch(() => null);
      }
    };
    const disturbances = [disturb(), disturb()];
    await Promise.all(bookings.map(sell));
    selling = false;
    await Promise.all(disturbances);

    for (const { id } of allotments) {
      await attempt(() => owner.patch(`${ALLOTMENTS}/${id}?onShortage=reduce`, { validTo }));
    }
    for (const departure of departures) {
      expect((await move(departure, 0, '?onShortage=reduce')).status).toBe(200);
    }
    const after = await Promise.all(allotments.map(({ id }) => slotsOf(app, id)));
    const quantities = (slots: typeof before) => slots.flat().map(({ id, allotted }) => [id, allotted]);
    expect(quantities(after).sort()).toEqual(quantities(before).sort());
    for (const { allotted, sold, held, released, remaining, closed, suspended } of after.flat()) {
      expect({ closed, suspended }).toEqual({ closed: false, suspended: 0 });
      expect(sold + held + released + remaining).toBe(allotted);
    }
    await expectSumsToAgree(
      app,
      departures.map(({ id }) => id),
    );
    for (const { id } of departures) expect((await poolOf(app, id))['available']).toBeGreaterThanOrEqual(0);
  }, 240_000);
});
