import { beforeAll, describe, expect, it } from '@jest/globals';
import { AllotmentJobs } from '../../../src/modules/distribution/allotments/allotments.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { newDeparture } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  allotted,
  ALLOTMENTS,
  departureIn,
  newAllotment,
  NOT_FOUND,
  onlySlot,
  refusal,
  type Slot,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

describe('GET /v1/admin/distribution/inventory-allotments', () => {
  const list = async (query: string) =>
    (await app.as('owner').get<{ data: { id: string }[]; total: number }>(`${ALLOTMENTS}?${query}`)).body;

  it('the allotment list is filtered by channel, product, period and activity, newest first', async () => {
    const first = await newAllotment(app, { validFrom: '2031-01-01', validTo: '2031-06-30' });
    const { channelId, productId } = first;
    app.travel({ ms: 5 });
    const release = { mode: 'manual', steps: [{ daysBefore: 9 }, { daysBefore: 3 }] };
    const second = await newAllotment(app, { channelId, productId, validFrom: '2031-07-01', active: false, release });
    const by = `channelId=${channelId}&productId=${productId}`;
    const names = { productName: null, channelName: expect.stringMatching(/^Channel /) };
    const data = [second, first].map((allotment) => ({ ...allotment, ...names }));
    expect(await list(by)).toEqual({ data, total: 2, limit: 50, offset: 0 });
    expect(await list(`${by}&to=2031-06-30`)).toMatchObject({ data: [{ id: first.id }], total: 1 });
    expect(await list(`${by}&from=2031-07-01`)).toMatchObject({ data: [{ id: second.id }], total: 1 });
    expect(await list(`${by}&active=true`)).toMatchObject({ data: [{ id: first.id }], total: 1 });
    expect(await list(`${by}&sort=validFrom&limit=1&offset=1`)).toMatchObject({ data: [{ id: second.id }], total: 2 });
    await app.as('owner').delete(`${ALLOTMENTS}/${second.id}`);
    expect(await list(by)).toMatchObject({ total: 1 });
  });

  it('the slot list of an allotment is sorted by start', async () => {
    const { allotment, departure, slot } = await allotted(app, { units: 4, days: 60 });
    const earlier = await departureIn(app, 50, { productId: departure.productId });
    const path = `${ALLOTMENTS}/${allotment.id}/slots`;
    const all = await app.as('owner').get<{ data: Slot[]; total: number }>(path);
    expect(all.body).toMatchObject({ data: [{ departureId: earlier.id }, slot], total: 2, limit: 50, offset: 0 });
    const from = await app.as('owner').get<{ data: Slot[]; total: number }>(`${path}?from=${departure.startDate}`);
    expect(from.body).toMatchObject({ data: [slot], total: 1 });
    const own = await app.as('owner').get<{ data: Slot[]; total: number }>(`${path}?departureId=${departure.id}`);
    expect(own.body).toMatchObject({ data: [slot], total: 1 });
    const other = await departureIn(app, 40);
    const none = await app.as('owner').get(`${path}?departureId=${other.id}`);
    expect(none.body).toMatchObject({ data: [], total: 0 });
    const unknown = await app.as('owner').get(`${ALLOTMENTS}/alot_01k0dem000e000000000009999/slots`);
    expect([unknown.status, unknown.body]).toEqual([404, refusal(unknown, NOT_FOUND)]);
  });
});

describe('a slot', () => {
  const releasesOf = async (allotmentId: string) => (await onlySlot(app, allotmentId))['releases'];
  const START = { startsAt: '2028-05-12T06:00:00Z', endsAt: '2028-05-12T15:00:00Z' };
  const RULE = { steps: [{ daysBefore: 1, keepQuantity: 2 }, { daysBefore: 3, hoursBefore: 12, keepQuantity: 6 }] }; // prettier-ignore
  const late = { dueAt: '2028-05-11T06:00:00.000Z', keepQuantity: 2, takenAt: null, units: null };
  const early = { dueAt: '2028-05-08T18:00:00.000Z', keepQuantity: 6, takenAt: null, units: null };

  it.each(['automatic', 'manual'])('a slot shows when the steps of an %s release are due', async (mode) => {
    const { id, productId } = await newDeparture(app, START);
    const { id: allotmentId } = await newAllotment(app, { productId, release: { mode, ...RULE } });
    expect(await releasesOf(allotmentId)).toEqual([early, late]);
    await app.as('owner').patch(`${ALLOTMENTS}/${allotmentId}`, { release: { mode, steps: RULE.steps.slice(0, 1) } });
    expect(await releasesOf(allotmentId)).toEqual([late]);
    await app.as('owner').post(`/v1/admin/operations/departures/${id}/cancellation`);
    expect(await releasesOf(allotmentId)).toEqual([]);
  });

  it('a slot shows what a step released and when; without a release rule it shows no steps', async () => {
    const { allotment } = await allotted(app, {
      units: 10,
      days: 15,
      release: { mode: 'automatic', steps: [{ daysBefore: 20, keepQuantity: 4 }, { daysBefore: 2 }] },
    });
    await asSystem(() => app.nest.get(AllotmentJobs).releaseUnsold());
    const [released, next] = [
      { keepQuantity: 4, units: 6 },
      { keepQuantity: 0, units: null, takenAt: null },
    ];
    expect(await releasesOf(allotment.id)).toMatchObject([released, next]);
    expect(await releasesOf(allotment.id)).toMatchObject([{ takenAt: expect.stringMatching(/Z$/) }, {}]);
    expect(await releasesOf((await allotted(app)).allotment.id)).toEqual([]);
  });
});

describe('movements', () => {
  it('the database rejects changes of movements', async () => {
    const { slot } = await allotted(app);
    const statements = [
      'update allotment_movements set quantity = 1 where slot_id = $1',
      'delete from allotment_movements where slot_id = $1',
    ];
    for (const text of statements) await expect(app.sql(text, [slot.id])).rejects.toThrow('append-only');
  });
});
