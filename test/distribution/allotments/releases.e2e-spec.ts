import { beforeAll, describe, expect, it } from '@jest/globals';
import { AllotmentJobs } from '../../../src/modules/distribution/allotments/allotments.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { entriesAbout } from '../../bookings/bookings.js';
import { newDeparture } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  allotted,
  ALLOTMENTS,
  departureIn,
  expectSumsToAgree,
  movementsOf,
  newAllotment,
  newChannel,
  NOT_FOUND,
  poolOf,
  refusal,
  sell,
  unitsOf,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const run = (of = app) => asSystem(() => of.nest.get(AllotmentJobs).releaseUnsold());
const steps = (...days: [daysBefore: number, keepQuantity?: number][]) => ({
  mode: 'automatic',
  steps: days.map(([daysBefore, keepQuantity = 0]) => ({ daysBefore, keepQuantity })),
});
const executionsOf = (allotmentId: string) =>
  app.sql(
    `select e.status, e.units, e.due_at as "dueAt" from release_executions e join allotment_slots s on s.id = e.slot_id
     where s.allotment_id = $1 order by e.due_at, e.step_id`,
    [allotmentId],
  );
/** The events of an allotment, published or not. */
const eventsOf = (allotmentId: string) =>
  app.sql(
    `select event from outbox_events where data->>'allotmentId' = $1
     union all select event from realtime_messages where data->>'allotmentId' = $1`,
    [allotmentId],
  );

describe('the release job', () => {
  it('the release job executes each due step once: of 20 units with 6 sold, keeping 8 releases 6, then keeping 0 with 8 sold 6', async () => {
    const release = steps([20, 8], [10]);
    const { allotment, departure } = await allotted(app, { units: 20, days: 30, release });
    await sell(app, { allotment, departure }, 6);
    await run();
    expect(await unitsOf(app, allotment.id)).toMatchObject({ released: 0, remaining: 14 });

    // Departures start at 06:00 UTC, plus or minus the clock change, which is late enough at any hour of today.
    app.travel({ days: 10, hours: 7 });
    await run();
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 20, sold: 6, released: 6, remaining: 8 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 6, guaranteedOpen: 8, available: 6 });
    await sell(app, { allotment, departure }, 2);
    await run();
    app.travel({ days: 10 });
    await run();
    await run();
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 20, sold: 8, released: 12, remaining: 0 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 8, guaranteedOpen: 0, available: 12 });
    expect(await executionsOf(allotment.id)).toMatchObject([
      { status: 'done', units: 6 },
      { status: 'done', units: 6 },
    ]);
    await expectSumsToAgree(app, [departure.id]);
    app.travel({ days: -20, hours: -7 });
  });

  it('the release job writes a movement, a ledger entry of the system and an event for each release', async () => {
    const { allotment, slot, departure } = await allotted(app, { units: 5, days: 5, release: steps([7]) });
    await run();
    expect((await movementsOf(app, allotment.id)).at(-1)).toEqual({ kind: 'release', cause: 'step', quantity: 5 });
    const entry = (await entriesAbout(app.as('owner'), allotment.id)).at(-1);
    const units = { slotId: slot.id, departureId: departure.id, units: 5 };
    expect(entry).toMatchObject({
      action: 'distribution.allotment.release',
      actorType: 'system',
      after: { by: 'step', unsoldAction: 'release_to_general_pool', slots: [units] },
    });
    const events = (await eventsOf(allotment.id)).filter(({ event }) => event === 'allotment.released');
    expect(events.length).toBeGreaterThan(0);
  });

  it('the release job computes due times in the local time of the departure across a change to summer time', async () => {
    const { id, productId } = await newDeparture(app, {
      startsAt: '2028-03-27T06:00:00Z',
      endsAt: '2028-03-27T15:00:00Z',
    });
    const release = { mode: 'automatic', steps: [{ daysBefore: 1, hoursBefore: 8 }] };
    const allotment = await newAllotment(app, { productId, release });
    // The release is at 09:00 in Bucharest one day earlier, less 8 hours; summer time started meanwhile.
    expect(await executionsOf(allotment.id)).toMatchObject([{ dueAt: new Date('2028-03-25T22:00:00Z') }]);
    const start = { startsAt: '2028-05-12T06:00:00Z', endsAt: '2028-05-12T15:00:00Z' };
    await app.as('owner').patch(`/v1/admin/operations/departures/${id}`, start);
    expect(await executionsOf(allotment.id)).toMatchObject([{ dueAt: new Date('2028-05-10T22:00:00Z') }]);
  });

  it('the release job executes missed steps later, in the order of the steps', async () => {
    const { allotment } = await allotted(app, { units: 10, days: 2, release: steps([30, 7], [20, 5], [10, 1]) });
    await run();
    expect(await executionsOf(allotment.id)).toMatchObject([{ units: 3 }, { units: 2 }, { units: 4 }]);
    expect(await unitsOf(app, allotment.id)).toMatchObject({ released: 9, remaining: 1 });
  });

  it('the release job executes more than one batch, and each step once, if several processes run concurrently', async () => {
    const channel = await newChannel(app);
    const first = await departureIn(app, 3);
    const { productId } = first;
    const many = await app.sql<{ id: string }>(
      `insert into departures (id, product_id, starts_at, ends_at, time_zone, capacity, price_cents, tax_included_cents,
         currency, status, sold, held, guaranteed_open, version, created_at, updated_at)
       select 'dep_batch' || n || $1, product_id, starts_at + n * interval '1 minute', ends_at + n * interval '1 minute',
         time_zone, capacity, price_cents, 0, currency, 'scheduled', 0, 0, 0, 1, now(), now()
       from departures, generate_series(1, 129) n where id = $1 returning id`,
      [first.id],
    );
    const release = steps([5, 2], [4]);
    const allotment = await newAllotment(app, { channelId: channel.id, productId, defaultQuantity: 6, release });
    const other = await startApp();
    await Promise.all([run(), run(other), run(), run(other)]);
    await run();
    const [counts] = await app.sql(
      `select count(*)::int as slots, sum(released)::int as released from allotment_slots where allotment_id = $1`,
      [allotment.id],
    );
    expect(counts).toEqual({ slots: 130, released: 780 });
    const released = (await movementsOf(app, allotment.id)).filter(({ kind }) => kind === 'release');
    expect(released).toHaveLength(260);
    const entries = await app.sql(
      `select from action_ledger_entries where subject_id = $1 and action = 'distribution.allotment.release'`,
      [allotment.id],
    );
    expect(entries).toHaveLength(260);
    await expectSumsToAgree(app, [first.id, ...many.map(({ id }) => id)]);
  });

  it('a run of the release job that fails halfway changes nothing, and the next run executes the steps', async () => {
    const { allotment, departure } = await allotted(app, { units: 6, days: 4, release: steps([10]) });
    // The last write of a batch fails, which rolls back the whole batch.
    await app.sql(`create function die_in_release() returns trigger language plpgsql as $$
      begin raise exception 'killed' using errcode = 'XX000'; end $$`);
    await app.sql(`create trigger die_in_release before update on release_executions for each row
      when (new.status = 'done') execute function die_in_release()`);
    await expect(run()).rejects.toThrow('killed');
    expect(await unitsOf(app, allotment.id)).toMatchObject({ released: 0, remaining: 6 });
    expect(await executionsOf(allotment.id)).toMatchObject([{ status: 'pending', units: null }]);
    await app.sql('drop trigger die_in_release on release_executions');
    await app.sql('drop function die_in_release()');
    await run();
    expect(await unitsOf(app, allotment.id)).toMatchObject({ released: 6, remaining: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('the release job lowers the capacity by expired units, keeps retained units, and lowers only the limit of a cap', async () => {
    const release = steps([10]);
    const expiring = await allotted(app, { units: 6, days: 4, release: { ...release, unsoldAction: 'expire' } });
    const retaining = await allotted(app, { units: 6, days: 4, release: { ...release, unsoldAction: 'retain' } });
    const capped = await allotted(app, { units: 6, days: 4, release, type: 'cap' });
    await run();
    expect(await poolOf(app, expiring.departure.id)).toMatchObject({ capacity: 14, guaranteedOpen: 0, available: 14 });
    expect(await poolOf(app, retaining.departure.id)).toMatchObject({ capacity: 20, guaranteedOpen: 6, available: 14 });
    expect(await unitsOf(app, retaining.allotment.id)).toMatchObject({ released: 0, remaining: 6 });
    expect(await executionsOf(retaining.allotment.id)).toMatchObject([{ status: 'done', units: 6 }]);
    expect(await poolOf(app, capped.departure.id)).toMatchObject({ guaranteedOpen: 0, available: 20 });
    expect(await unitsOf(app, capped.allotment.id)).toMatchObject({ released: 6, remaining: 0 });
    await expectSumsToAgree(app, [expiring.departure.id, retaining.departure.id, capped.departure.id]);
  });

  it('the release job skips manual rules, deleted allotments and cancelled departures', async () => {
    const manual = await allotted(app, { days: 4, release: { ...steps([10]), mode: 'manual' } });
    const deleted = await allotted(app, { days: 4, release: steps([10]) });
    const cancelled = await allotted(app, { days: 4, release: steps([10]) });
    await app.as('owner').delete(`${ALLOTMENTS}/${deleted.allotment.id}`);
    await app.as('owner').post(`/v1/admin/operations/departures/${cancelled.departure.id}/cancellation`);
    await run();
    expect(await executionsOf(manual.allotment.id)).toEqual([]);
    for (const { allotment } of [deleted, cancelled]) {
      expect(await executionsOf(allotment.id)).toMatchObject([{ status: 'cancelled', units: null }]);
    }
  });
});

describe('POST /v1/admin/distribution/inventory-allotments/{id}/releases', () => {
  const release = (id: string, body?: object) => app.as('owner').post(`${ALLOTMENTS}/${id}/releases`, body);

  it('a manual release releases all unsold units of one departure or of all future ones, and can be repeated', async () => {
    const { allotment, departure } = await allotted(app, { units: 5 });
    const { productId } = departure;
    const second = await departureIn(app, 70, { productId });
    await sell(app, { allotment, departure }, 2);
    const done = { allotmentId: allotment.id, unsoldAction: 'release_to_general_pool' };

    const one = await release(allotment.id, { departureId: departure.id });
    expect([one.status, one.body]).toEqual([200, { data: { ...done, units: 3, slots: 1 } }]);
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 2, guaranteedOpen: 0, available: 18 });
    expect(await poolOf(app, second.id)).toMatchObject({ guaranteedOpen: 5 });
    expect((await release(allotment.id)).body).toEqual({ data: { ...done, units: 5, slots: 1 } });
    expect((await release(allotment.id)).body).toEqual({ data: { ...done, units: 0, slots: 0 } });
    await expectSumsToAgree(app, [departure.id, second.id]);
  });

  it('a manual release keeps the units of the steps of a manual rule: the first step early, each later one when it is due', async () => {
    const rule = { ...steps([20, 8], [10]), mode: 'manual' };
    const { allotment, departure } = await allotted(app, { units: 20, days: 30, release: rule });
    await sell(app, { allotment, departure }, 6);
    const units = async () => ((await release(allotment.id)).body as { data: { units: number } }).data.units;

    expect([await units(), await units()]).toEqual([6, 0]);
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 20, sold: 6, released: 6, remaining: 8 });
    app.travel({ days: 20, hours: 7 });
    expect(await units()).toBe(8);
    app.travel({ days: -20, hours: -7 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 6, guaranteedOpen: 0, available: 14 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('concurrent manual releases release the units once', async () => {
    const { allotment, departure } = await allotted(app, { units: 5 });
    const answers = await Promise.all([release(allotment.id), release(allotment.id), release(allotment.id)]);
    const units = answers.map(({ body }) => (body as { data: { units: number } }).data.units);
    expect(units.sort()).toEqual([0, 0, 5]);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('a manual release of an unknown allotment or a departure without a slot is rejected with 404', async () => {
    const unknown = await release('alot_01k0dem000e000000000009999');
    expect([unknown.status, unknown.body]).toEqual([404, refusal(unknown, NOT_FOUND)]);
    const { allotment } = await allotted(app);
    const elsewhere = await release(allotment.id, { departureId: (await departureIn(app, 9)).id });
    const details = { field: 'departureId' };
    expect([elsewhere.status, elsewhere.body]).toEqual([404, refusal(elsewhere, { ...NOT_FOUND, details })]);
  });
});
