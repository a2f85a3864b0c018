import { beforeAll, describe, expect, it } from '@jest/globals';
import { AllotmentJobs } from '../../../src/modules/distribution/allotments/allotments.jobs.js';
import { AllotmentsService } from '../../../src/modules/distribution/index.js';
import { DeparturesService } from '../../../src/modules/operations/index.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { Database } from '../../../src/platform/database/database.js';
import { BOOKINGS, type Item } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  allotted,
  ALLOTMENTS,
  departureIn,
  expectSumsToAgree,
  movementsOf,
  newAllotment,
  onlySlot,
  poolOf,
  sell,
  type Slot,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const DAY_MS = 86_400_000;
const DEPARTURES = '/v1/admin/operations/departures';

interface Place {
  allotment: { id: string } & Record<string, unknown>;
  departure: { id: string; productId: string; startsAt: string; endsAt: string; startDate: string };
}

/** Moves a departure by a number of days from its original day. */
const moveBy = ({ departure }: Pick<Place, 'departure'>, days: number, query = '') => {
  const later = (instant: string) => new Date(Date.parse(instant) + days * DAY_MS).toISOString();
  const body = { startsAt: later(departure.startsAt), endsAt: later(departure.endsAt) };
  return app.as('owner').patch<{ warnings: object[]; details?: object }>(`${DEPARTURES}/${departure.id}${query}`, body);
};
const changeAllotment = (id: string, body: object, query = '') =>
  app.as('owner').patch<{ warnings: object[] }>(`${ALLOTMENTS}/${id}${query}`, body);
/** The validity ends on the day of the departure, so a later day is outside it. */
async function ranged(terms: Parameters<typeof allotted>[1] = {}): Promise<Place & { slot: Slot }> {
  const place = await allotted(app, terms);
  await changeAllotment(place.allotment.id, { validTo: place.departure.startDate });
  return place;
}
const unitsOf = async (id: string) => {
  const { allotted: all, sold, held, released, suspended, remaining } = await onlySlot(app, id);
  return { allotted: all, sold, held, released, suspended, remaining };
};
const cancelItem = ({ bookingId, id }: Item) =>
  app.as('owner').post(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`);
const resize = (slot: Slot, size: number) =>
  app.as('owner').patch(`${ALLOTMENTS}/${slot.allotmentId}/slots/${slot.id}`, { allotted: size });
const release = (id: string) => app.as('owner').post(`${ALLOTMENTS}/${id}/releases`);
const runJob = () => asSystem(() => app.nest.get(AllotmentJobs).releaseUnsold());
const eventsOf = (event: string, allotmentId: string) =>
  app.sql(
    `select data from outbox_events where event = $1 and data->>'allotmentId' = $2
     union all select data from realtime_messages where event = $1 and data->>'allotmentId' = $2`,
    [event, allotmentId],
  );

describe('a departure that leaves the validity of an allotment and returns', () => {
  it('a departure that returns has the units in its slot that it had before, and the pool those that it had (H4)', async () => {
    const place = await ranged({ capacity: 20, units: 5 });
    await sell(app, place, 2);
    expect(await poolOf(app, place.departure.id)).toMatchObject({ guaranteedOpen: 3, available: 15 });

    await moveBy(place, 1);
    expect(await unitsOf(place.allotment.id)).toMatchObject({ allotted: 5, sold: 2, suspended: 3, remaining: 0 });
    expect(await poolOf(app, place.departure.id)).toMatchObject({ guaranteedOpen: 0, available: 18 });

    await changeAllotment(place.allotment.id, { defaultQuantity: 9 });
    expect((await moveBy(place, 0)).body.warnings).toEqual([]);
    expect(await unitsOf(place.allotment.id)).toMatchObject({ allotted: 5, sold: 2, suspended: 0, remaining: 3 });
    expect(await poolOf(app, place.departure.id)).toMatchObject({ guaranteedOpen: 3, available: 15 });
    const moves = (await movementsOf(app, place.allotment.id)).slice(-2);
    expect(moves).toEqual([
      { kind: 'suspend', cause: 'out_of_range', quantity: 3 },
      { kind: 'resume', cause: 'opened', quantity: 3 },
    ]);
    await expectSumsToAgree(app, [place.departure.id]);
  });

  it('a slot keeps its own quantity and what was released from it, also if the departure leaves and returns twice', async () => {
    const place = await ranged({ capacity: 20, units: 4 });
    const { allotment, departure } = place;
    await resize(await onlySlot(app, allotment.id), 7);
    await sell(app, place, 2);
    await release(allotment.id);
    await resize(await onlySlot(app, allotment.id), 12);
    const before = [await unitsOf(allotment.id), await poolOf(app, departure.id)];
    expect(before[0]).toMatchObject({ allotted: 12, sold: 2, released: 5, remaining: 5 });
    for (const days of [1, 0, 3, 0]) await moveBy(place, days);
    expect([await unitsOf(allotment.id), await poolOf(app, departure.id)]).toEqual(before);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('a fully released slot has no units after a return, nor after a shorter and a longer validity', async () => {
    const place = await ranged({ units: 5 });
    const { allotment, departure } = place;
    await release(allotment.id);
    await moveBy(place, 1);
    await moveBy(place, 0);
    await changeAllotment(allotment.id, { validTo: allotment['validFrom'] });
    await changeAllotment(allotment.id, { validTo: null });
    expect(await unitsOf(allotment.id)).toMatchObject({ allotted: 5, released: 5, suspended: 0, remaining: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('units of items that are cancelled while the slot is closed return with the slot, unless the slot has had a release', async () => {
    const kept = await ranged({ units: 5 });
    const item = await sell(app, kept, 2);
    const released = await ranged({ units: 5 });
    const other = await sell(app, released, 2);
    await release(released.allotment.id);
    for (const place of [kept, released]) await moveBy(place, 1);
    await cancelItem(item);
    await cancelItem(other);
    expect(await unitsOf(kept.allotment.id)).toMatchObject({ sold: 0, suspended: 5, released: 0 });
    expect(await unitsOf(released.allotment.id)).toMatchObject({ sold: 0, suspended: 0, released: 5 });
    for (const { departure } of [kept, released])
      expect(await poolOf(app, departure.id)).toMatchObject({ available: 20 });
    for (const place of [kept, released]) await moveBy(place, 0);
    expect(await unitsOf(kept.allotment.id)).toMatchObject({ remaining: 5 });
    expect(await unitsOf(released.allotment.id)).toMatchObject({ remaining: 0 });
    await expectSumsToAgree(app, [kept.departure.id, released.departure.id]);
  });

  it('a slot of an inactive allotment returns too, but a departure without a slot gets none', async () => {
    const place = await ranged({ units: 5 });
    const { allotment, departure } = place;
    await changeAllotment(allotment.id, { active: false });
    await moveBy(place, 1);
    await moveBy(place, 0);
    expect(await unitsOf(allotment.id)).toMatchObject({ remaining: 5 });
    const { productId } = departure;
    await departureIn(app, 30, { productId });
    expect(await onlySlot(app, allotment.id)).toMatchObject({ departureId: departure.id });
  });

  it('a move back is rejected with 409 and the slots if the pool has too few units, and changes nothing', async () => {
    const place = await ranged({ capacity: 10, units: 6 });
    const { departure, slot } = place;
    await moveBy(place, 1);
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 4 });
    const { status, body } = await moveBy(place, 0);
    const details = { available: 4, slots: [{ slotId: slot.id, wanted: 6, available: 4 }] };
    expect([status, body]).toMatchObject([409, { code: 'capacity_exceeded', details }]);
    expect(await unitsOf(place.allotment.id)).toMatchObject({ suspended: 6, remaining: 0 });
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 0, available: 4 });
  });

  it('a move back with onShortage=reduce records the missing units as released, with a warning and an event', async () => {
    const place = await ranged({ capacity: 10, units: 6 });
    const { allotment, departure, slot } = place;
    await moveBy(place, 1);
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 4 });
    const { status, body } = await moveBy(place, 0, '?onShortage=reduce');
    const short = { code: 'slot_short', slotId: slot.id, departureId: departure.id, wanted: 6, available: 4 };
    expect([status, body.warnings]).toEqual([200, [short]]);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 2, suspended: 0, remaining: 4 });
    expect((await movementsOf(app, allotment.id)).at(-1)).toEqual({ kind: 'release', cause: 'shortage', quantity: 2 });
    const event = { slotId: slot.id, departureId: departure.id, units: 2 };
    expect(await eventsOf('allotment.slot_short', allotment.id)).toMatchObject([{ data: event }]);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('a later end of the validity is rejected, or reduces the slots, as a move back does', async () => {
    const place = await ranged({ capacity: 10, units: 6 });
    const { allotment, departure, slot } = place;
    await changeAllotment(allotment.id, { validTo: allotment['validFrom'] });
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 5 });
    const rejected = await changeAllotment(allotment.id, { validTo: null });
    const details = { slots: [{ slotId: slot.id, wanted: 6, available: 5 }] };
    expect([rejected.status, rejected.body]).toMatchObject([409, { code: 'capacity_exceeded', details }]);
    const reduced = await changeAllotment(allotment.id, { validTo: null }, '?onShortage=reduce');
    expect(reduced.body.warnings).toMatchObject([{ code: 'slot_short', wanted: 6, available: 5 }]);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 1, remaining: 5 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('two allotments of one departure return together or not at all', async () => {
    const place = await ranged({ capacity: 10, units: 4 });
    const { departure } = place;
    const { productId, startDate } = departure;
    const second = await newAllotment(app, { productId, defaultQuantity: 5, validTo: startDate });
    await moveBy(place, 1);
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 8 });
    expect((await moveBy(place, 0)).status).toBe(409);
    for (const id of [place.allotment.id, second.id]) expect(await unitsOf(id)).toMatchObject({ remaining: 0 });
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 9 });
    expect((await moveBy(place, 0)).status).toBe(200);
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 9, available: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });
});

describe('a departure that moves within the validity of an allotment', () => {
  const steps = (terms: object = {}) => ({
    mode: 'automatic',
    steps: [{ daysBefore: 20, keepQuantity: 8 }, { daysBefore: 10 }],
    ...terms,
  });
  const taken = async (id: string) =>
    ((await onlySlot(app, id))['releases'] as { takenAt: string | null }[]).map(({ takenAt }) => takenAt !== null);

  it('the units of an executed step return if the step lies ahead again, and the step is repeated (L8)', async () => {
    const { allotment, departure } = await allotted(app, { units: 20, days: 5, release: steps() });
    await runJob();
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 20, remaining: 0 });
    await moveBy({ departure }, 10);
    expect(await taken(allotment.id)).toEqual([true, false]);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 12, remaining: 8 });
    await moveBy({ departure }, 60);
    expect(await taken(allotment.id)).toEqual([false, false]);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 0, remaining: 20 });
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 20, available: 0 });
    await moveBy({ departure }, 0);
    await runJob();
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 20, remaining: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('units return only as far as the pool has them', async () => {
    const { allotment, departure } = await allotted(app, { units: 20, days: 5, release: steps() });
    await runJob();
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 7 });
    expect((await moveBy({ departure }, 60)).status).toBe(200);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 13, remaining: 7 });
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 7, available: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('units that were released by hand or expired stay released, and all of them without reclaimOnMove', async () => {
    const byHand = await allotted(app, { units: 10, days: 15, release: steps() });
    await runJob();
    await release(byHand.allotment.id);
    const expired = await allotted(app, { units: 10, days: 15, release: steps({ unsoldAction: 'expire' }) });
    const kept = await allotted(app, { units: 10, days: 15, release: steps({ reclaimOnMove: false }) });
    await runJob();
    for (const { departure } of [byHand, expired, kept]) await moveBy({ departure }, 60);
    expect(await unitsOf(byHand.allotment.id)).toMatchObject({ released: 8, remaining: 2 });
    expect(await unitsOf(expired.allotment.id)).toMatchObject({ released: 2, remaining: 8 });
    expect(await poolOf(app, expired.departure.id)).toMatchObject({ capacity: 18, guaranteedOpen: 8 });
    expect(await unitsOf(kept.allotment.id)).toMatchObject({ released: 2, remaining: 8 });
    expect([await taken(expired.allotment.id), await taken(kept.allotment.id)]).toEqual([
      [false, false],
      [true, false],
    ]);
    await expectSumsToAgree(
      app,
      [byHand, expired, kept].map(({ departure }) => departure.id),
    );
  });
});

describe('POST /v1/admin/distribution/inventory-allotments/{id}/reclaims', () => {
  const reclaim = (id: string, body: object) => app.as('owner').post(`${ALLOTMENTS}/${id}/reclaims`, body);

  it('a reclaim returns released units from the pool, and executed steps stay executed', async () => {
    const release20 = { mode: 'automatic', steps: [{ daysBefore: 30, keepQuantity: 8 }] };
    const place = await allotted(app, { units: 20, days: 35, release: release20 });
    const { allotment, departure } = place;
    await sell(app, place, 6);
    app.travel({ days: 10 });
    await runJob();
    expect(await unitsOf(allotment.id)).toMatchObject({ allotted: 20, sold: 6, released: 6, remaining: 8 });
    const { status, body } = await reclaim(allotment.id, { departureId: departure.id, units: 4 });
    expect([status, body]).toEqual([200, { data: { allotmentId: allotment.id, units: 4, slots: 1 } }]);
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 2, remaining: 12 });
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 12, available: 2 });
    await runJob();
    expect(await unitsOf(allotment.id)).toMatchObject({ released: 2, remaining: 12 });
    app.travel({ days: -10 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('expired units are reclaimed from the supplier only, which raises the capacity', async () => {
    const expire = { mode: 'manual', steps: [{ daysBefore: 21 }], unsoldAction: 'expire' };
    const { allotment, departure, slot } = await allotted(app, { units: 5, release: expire });
    await release(allotment.id);
    const slots = [{ slotId: slot.id, released: 5, expired: 5 }];
    const refused = await reclaim(allotment.id, { slotIds: [slot.id] });
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'nothing_released', details: { slots } }]);
    expect((await reclaim(allotment.id, { slotIds: [slot.id], fromSupplier: true, units: 3 })).status).toBe(200);
    expect(await onlySlot(app, allotment.id)).toMatchObject({ released: 2, expired: 2, remaining: 3 });
    expect(await poolOf(app, departure.id)).toMatchObject({ capacity: 18, guaranteedOpen: 3, available: 15 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('a reclaim is rejected for a closed slot, a departure that has started, a full pool, and units that were not released', async () => {
    const place = await ranged({ capacity: 5, units: 5, days: 20 });
    const { allotment, departure, slot } = place;
    const wanted = { departureId: departure.id };
    const codeOf = async (body: object) => {
      const answer = await reclaim(allotment.id, body);
      return [answer.status, (answer.body as { code: string }).code];
    };
    expect(await codeOf(wanted)).toEqual([409, 'nothing_released']);
    await release(allotment.id);
    expect(await codeOf({ ...wanted, units: 6 })).toEqual([409, 'nothing_released']);
    await app.as('owner').patch(`${DEPARTURES}/${departure.id}`, { capacity: 4 });
    expect(await codeOf(wanted)).toEqual([409, 'capacity_exceeded']);
    expect(await codeOf({ ...wanted, slotIds: [slot.id] })).toEqual([400, 'invalid_request']);
    expect(await codeOf({})).toEqual([400, 'invalid_request']);
    expect(await codeOf({ departureId: (await departureIn(app, 3)).id })).toEqual([404, 'not_found']);
    await moveBy(place, 1);
    expect(await codeOf(wanted)).toEqual([409, 'slot_closed']);
    await moveBy(place, 0);
    app.travel({ days: 21 });
    expect(await codeOf(wanted)).toEqual([409, 'departure_departed']);
    app.travel({ days: -21 });
  });

  it('of concurrent reclaims of all released units, one succeeds', async () => {
    const { allotment, departure } = await allotted(app, { units: 5 });
    await release(allotment.id);
    const answers = await Promise.all([1, 2, 3].map(() => reclaim(allotment.id, { departureId: departure.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await expectSumsToAgree(app, [departure.id]);
  });
});

describe('units that trips hold through a slot', () => {
  const withSlot = (departureId: string, action: (allotments: AllotmentsService) => Promise<void>) =>
    asSystem(() =>
      app.nest.get(Database).transaction(async () => {
        await app.nest.get(DeparturesService).lock([departureId]);
        await action(app.nest.get(AllotmentsService));
      }),
    );

  it.each(['guaranteed', 'cap'])('units of a %s slot are held, let go, and sold to an item', async (type) => {
    const place = await allotted(app, { units: 5, type });
    const { allotment, departure } = place;
    const key = { allotmentId: allotment.id, departureId: departure.id };
    const open = (units: number) => (type === 'guaranteed' ? units : 0);
    await withSlot(departure.id, (allotments) => allotments.hold(key, 4));
    expect(await unitsOf(allotment.id)).toMatchObject({ sold: 0, held: 4, remaining: 1 });
    expect(await poolOf(app, departure.id)).toMatchObject({ held: 4, guaranteedOpen: open(1) });
    const refused = withSlot(departure.id, (allotments) => allotments.hold(key, 2));
    await expect(refused).rejects.toMatchObject({ code: 'capacity_exceeded', details: { available: 1 } });

    const item = await sell(app, place, 1);
    await withSlot(departure.id, (allotments) => allotments.releaseHeld(key, 1));
    expect(await unitsOf(allotment.id)).toMatchObject({ sold: 1, held: 3, remaining: 1 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 1, held: 3, guaranteedOpen: open(1) });
    await withSlot(departure.id, (allotments) => allotments.sellHeld(key, { bookingItemId: item.id, units: 2 }));
    expect(await unitsOf(allotment.id)).toMatchObject({ sold: 3, held: 1, remaining: 1 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 3, held: 1, guaranteedOpen: open(1) });
  });

  it('units that are held while the slot is closed return with the slot if the hold ends meanwhile', async () => {
    const place = await ranged({ units: 5 });
    const key = { allotmentId: place.allotment.id, departureId: place.departure.id };
    await withSlot(place.departure.id, (allotments) => allotments.hold(key, 2));
    const shortened = await changeAllotment(place.allotment.id, { validTo: place.allotment['validFrom'] });
    expect([shortened.status, shortened.body]).toMatchObject([409, { details: { sold: 0, held: 2 } }]);
    await moveBy(place, 1);
    expect(await unitsOf(place.allotment.id)).toMatchObject({ held: 2, suspended: 3, remaining: 0 });
    await withSlot(place.departure.id, (allotments) => allotments.releaseHeld(key, 2));
    expect(await poolOf(app, place.departure.id)).toMatchObject({ held: 0, available: 20 });
    await moveBy(place, 0);
    expect(await unitsOf(place.allotment.id)).toMatchObject({ held: 0, suspended: 0, remaining: 5 });
    await expectSumsToAgree(app, [place.departure.id]);
  });
});
