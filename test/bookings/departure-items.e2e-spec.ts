import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingJobs } from '../../src/modules/bookings/bookings/bookings.jobs.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { BookingListener } from '../../src/modules/bookings/index.js';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { conflict } from '../../src/platform/errors/app-error.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { departureTimeInWords } from '../../src/platform/time/day-in-words.js';
import { allotted, newAllotment, poolOf, unitsOf } from '../distribution/allotments/allotments.js';
import { newChannel } from '../distribution/channels.js';
import { newRule, onlyOwnRules, runsOf } from '../notifications/reminders.js';
import { DEPARTURES, newDeparture, read } from '../operations/departures.js';
import { newFacility } from '../operations/facilities.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  type Item,
  itemBody,
  makeBooking,
  problem,
  readBooking,
  readItem,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  // The tests run the job, to avoid waiting.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

/** Takes the jobs that moves of departures have added. */
const takeChanges = () =>
  app.sql<{ payload: object }>(
    `delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
     where task.id = job.task_id and task.identifier = 'bookings.departure-changed' returning job.payload`,
  );
const planChange = (payload: object) => asSystem(() => app.nest.get(BookingJobs).planChanged(payload));
/** Runs these jobs, instead of a worker. */
const planChanges = async () => {
  for (const { payload } of await takeChanges()) await planChange(payload);
};
const follow = (departureId: string) => asSystem(() => app.nest.get(BookingJobs).moveItems({ departureId }));
const move = async (id: string, startsAt: string, endsAt: string) =>
  expect((await owner.patch(`${DEPARTURES}/${id}`, { startsAt, endsAt })).status).toBe(200);

describe('the items of a departure that is moved to another day', () => {
  it('the items of a moved departure and their bookings get the new date; other and cancelled items keep theirs', async () => {
    const { id: departureId } = await newDeparture(app);
    const { booking, item } = await confirmedBooking(owner, { item: { departureId } });
    const other = await addItem(owner, booking.id, { serviceDate: '2131-01-01' });
    const cancelled = await addItem(owner, booking.id, { departureId });
    await owner.post(`${BOOKINGS}/${booking.id}/items/${cancelled.id}/cancellation`);
    const draft = await addItem(owner, (await makeBooking(owner)).id, { departureId });
    const { serviceDate: was } = cancelled;

    await move(departureId, '2130-03-02T06:00:00Z', '2130-03-02T10:00:00Z');
    const jobs = `select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'bookings.departure-moved'`;
    expect(await app.sql(jobs)).toEqual([{ payload: { departureId } }]);
    await follow(departureId);

    const days = await Promise.all([item, other, cancelled, draft].map(async (one) => readItem(owner, one)));
    expect(days.map(({ serviceDate }) => serviceDate)).toEqual(['2130-03-02', '2131-01-01', was, '2130-03-02']);
    expect(await readBooking(owner, booking.id)).toMatchObject({ departureDate: '2130-03-02' });
    const [, entry, ...more] = await entriesAbout(owner, item.id);
    expect([entry, more]).toMatchObject([
      { action: 'bookings.booking_item.update', actorType: 'system', reason: 'The departure was moved' },
      [],
    ]);
  });

  it('the answer to a move names how many bookings follow, and the departure shows those that have not yet', async () => {
    const { id: departureId } = await newDeparture(app);
    const bookings = [await makeBooking(owner), await makeBooking(owner)];
    for (const { id } of bookings) await addItem(owner, id, { departureId });
    await addItem(owner, bookings[0]?.id ?? '', { departureId });
    const pending = async () => (await owner.get(`${DEPARTURES}/${departureId}/followers`)).body;
    expect(await pending()).toEqual({ data: { total: 2, pending: 0, pendingFollowers: [] } });

    const times = { startsAt: '2130-03-02T06:00:00Z', endsAt: '2130-03-02T10:00:00Z' };
    const { body } = await owner.patch(`${DEPARTURES}/${departureId}`, times);
    expect(body).toMatchObject({ followers: 2, warnings: [] });
    const pendingFollowers = bookings.map(({ id }) => ({ kind: 'booking', id })).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(await pending()).toEqual({ data: { total: 2, pending: 2, pendingFollowers } });
    await follow(departureId);
    expect(await pending()).toMatchObject({ data: { total: 2, pending: 0 } });
    expect((await owner.patch(`${DEPARTURES}/${departureId}`, { capacity: 50 })).body).toMatchObject({ followers: 0 });
    expect((await owner.get(`${DEPARTURES}/dep_01h455vb4pex5vsknk084sn02q/followers`)).status).toBe(404);
  });

  it('a booking that cannot follow its departure is reported by an event, and stays pending', async () => {
    const { id: departureId } = await newDeparture(app);
    const { id: bookingId } = await makeBooking(owner);
    await addItem(owner, bookingId, { departureId });
    await move(departureId, '2130-03-02T06:00:00Z', '2130-03-02T10:00:00Z');
    app.nest.get(Listeners).add(BookingListener, 1, {
      dateMoved: async (booking) => {
        if (booking.id === bookingId) throw conflict('not_today', 'Rejected by the test');
      },
    });
    await expect(follow(departureId)).rejects.toThrow('1 items could not move');
    const [event] = await app.sql<{ data: object }>(
      `select data from outbox_events where event = 'booking.departure_not_followed' and data ->> 'bookingId' = $1`,
      [bookingId],
    );
    expect(event?.data).toMatchObject({ bookingId, departureId, code: 'not_today' });
    const { body } = await owner.get<{ data: object }>(`${DEPARTURES}/${departureId}/followers`);
    expect(body.data).toMatchObject({ pending: 1, pendingFollowers: [{ kind: 'booking', id: bookingId }] });
  });

  it('concurrent runs move the items of a departure once, to its current day', async () => {
    const { id: departureId } = await newDeparture(app);
    const items = await Promise.all(
      [1, 2, 3].map(async () => addItem(owner, (await makeBooking(owner)).id, { departureId })),
    );
    await move(departureId, '2130-03-02T06:00:00Z', '2130-03-02T10:00:00Z');
    await move(departureId, '2130-04-05T06:00:00Z', '2130-04-05T10:00:00Z');
    await Promise.all([follow(departureId), follow(departureId)]);
    await follow(departureId);
    for (const item of items) expect(await readItem(owner, item)).toMatchObject({ serviceDate: '2130-04-05' });
    const versions = await Promise.all(items.map(async (item) => (await readItem(owner, item)).version));
    expect(Math.max(...versions)).toBeLessThanOrEqual(3);
    await follow(departureId);
    expect(await Promise.all(items.map(async (item) => (await readItem(owner, item)).version))).toEqual(versions);
  });

  it('the items of a departure keep their date if it is moved within the day', async () => {
    const { id: departureId, startDate } = await newDeparture(app);
    const item = await addItem(owner, (await makeBooking(owner)).id, { departureId });
    await owner.patch(`${DEPARTURES}/${departureId}`, { capacity: 30 });
    await follow(departureId);
    expect(await readItem(owner, item)).toMatchObject({ serviceDate: startDate, version: 1 });
  });
});

describe('the reminders of a departure that is moved to another day', () => {
  const remind = (departureId: string) => asSystem(() => app.nest.get(BookingJobs).planReminders({ departureId }));
  const reminded = async () => {
    await onlyOwnRules(app);
    const { id: ruleId } = await newRule(app, {
      trigger: 'departure_upcoming',
      stages: [{ offsetDays: -5, channels: [{ channel: 'email' }] }],
    });
    const { id: departureId, startsAt, endsAt } = await newDeparture(app);
    const { booking } = await confirmedBooking(owner, { item: { departureId } });
    const runs = async () =>
      (await runsOf(app, booking.id, ruleId)).map(({ runAt, status, reason }) => [
        status === 'planned' ? runAt.slice(0, 10) : status,
        reason,
      ]);
    return { departureId, startsAt, endsAt, bookingId: booking.id, runs };
  };

  it('reminders are cancelled when a departure is moved and planned for the new day, and for the old one if moved back', async () => {
    const { departureId, startsAt, endsAt, runs } = await reminded();
    const [[first] = []] = await runs();

    await move(departureId, '2130-03-02T06:00:00Z', '2130-03-02T10:00:00Z');
    expect(await runs()).toEqual([['superseded', 'anchor_moved']]);
    await remind(departureId);
    await remind(departureId);
    expect(await runs()).toEqual([
      ['superseded', 'anchor_moved'],
      ['2130-02-25', null],
    ]);

    await move(departureId, startsAt, endsAt);
    await remind(departureId);
    expect((await runs()).sort()).toEqual([
      [first, null],
      ['superseded', 'anchor_moved'],
    ]);
  });

  it('a departure that is moved three times causes one mail with the first and the last day, and none if it is moved back', async () => {
    await onlyOwnRules(app);
    const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
    const { id: ruleId } = await newRule(app, { trigger: 'departure_changed', stages });
    const details = { startDate: '2130-01-10', customerEmail: 'ada@example.com' };
    const { booking } = await confirmedBooking(owner, { booking: details, item: { serviceDate: null } });
    const moveTo = async (startDate: string) =>
      expect((await owner.patch(`${BOOKINGS}/${booking.id}`, { startDate })).status).toBe(200);
    const live = async () =>
      (await runsOf(app, booking.id, ruleId)).filter(({ status }) => status === 'planned' || status === 'queued');
    const sendDue = async () => {
      await app.sql(`update reminder_runs set run_at = $2 where booking_id = $1`, [booking.id, app.now()]);
      await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    };
    expect(await live()).toEqual([]);
    await moveTo('2130-01-12');
    await moveTo('2130-01-10');
    expect(await live()).toEqual([]);

    await moveTo('2130-01-12');
    await moveTo('2130-01-14');
    await moveTo('2130-01-16');
    expect(await live()).toHaveLength(1);
    await sendDue();
    expect(await live()).toHaveLength(1);
    app.travel({ ms: 31 * 60_000 });
    await sendDue();
    const messages = await app.sql<{ subject: string; text: string }>(
      `select subject, text from notification_messages message join reminder_runs run on run.id = message.run_id
       where run.booking_id = $1`,
      [booking.id],
    );
    expect(messages).toMatchObject([{ subject: `The departure of your trip ${booking.number} has changed` }]);
    expect(messages[0]?.text).toContain(
      `your trip ${booking.number} departs on January 16, 2130 instead of January 10, 2130.`,
    );
  });

  it('another hour and another meeting point cause one mail with the old and the new ones, a move there and back causes none, and a later move another mail', async () => {
    await onlyOwnRules(app);
    const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
    const { id: ruleId } = await newRule(app, { trigger: 'departure_changed', stages });
    const [station, harbour] = [
      (await newFacility(app, { name: 'Station' })).id,
      (await newFacility(app, { name: 'Harbour' })).id,
    ];
    const { id: departureId } = await newDeparture(app, { facilityId: station });
    const details = { customerEmail: 'ada@example.com', customerLanguage: 'de' };
    const { booking, item } = await confirmedBooking(owner, { booking: details, item: { departureId } });
    const draft = await makeBooking(owner, { customerEmail: 'draft@example.com' });
    await addItem(owner, draft.id, { departureId });
    const patch = async (changes: object) => {
      expect((await owner.patch(`${DEPARTURES}/${departureId}`, changes)).status).toBe(200);
      await planChanges();
    };
    const statuses = async (id: string) => (await runsOf(app, id, ruleId)).map(({ status }) => status).sort();
    const send = async () => {
      app.travel({ ms: 31 * 60_000 });
      await app.sql(`update reminder_runs set run_at = $2 where booking_id = $1 and status = 'planned'`, [
        booking.id,
        app.now(),
      ]);
      await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    };
    const texts = async () =>
      (
        await app.sql<{ text: string }>(
          'select text from notification_messages where booking_id = $1 order by created_at, id',
          [booking.id],
        )
      ).map(({ text }) => text);
    const { startsAt, endsAt } = await read(app, departureId);
    const later = (hours: number) => ({
      startsAt: new Date(Date.parse(startsAt) + hours * 3_600_000).toISOString(),
      endsAt: new Date(Date.parse(endsAt) + hours * 3_600_000).toISOString(),
    });

    await patch(later(1));
    expect(await statuses(booking.id)).toEqual(['planned']);
    await patch(later(0));
    expect(await statuses(booking.id)).toEqual(['cancelled']);

    await patch(later(1));
    await patch({ facilityId: harbour });
    await patch(later(2));
    await send();
    const [first = '', ...none] = await texts();
    expect(none).toEqual([]);
    const time = (hours: number) =>
      departureTimeInWords({ startsAt: new Date(later(hours).startsAt), timeZone: 'Europe/Bucharest' }, 'de');
    expect(first).toContain(
      `${item.title}\nBeginn: ${time(2)} (bisher ${time(0)})\nTreffpunkt: Harbour (bisher Station)`,
    );

    await patch(later(3));
    await send();
    const [, second = '', ...more] = await texts();
    expect(more).toEqual([]);
    expect(second).toContain(`${item.title}\nBeginn: ${time(3)} (bisher ${time(2)})\nTreffpunkt: Harbour`);
    expect(await statuses(draft.id)).toEqual([]);
  });

  it('jobs of three moves that run at once and twice plan one mail, with the start before the first move', async () => {
    await onlyOwnRules(app);
    const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
    const { id: ruleId } = await newRule(app, { trigger: 'departure_changed', stages });
    const { id: departureId, startsAt } = await newDeparture(app);
    const { booking } = await confirmedBooking(owner, { item: { departureId } });
    await takeChanges();
    for (const hours of [1, 2, 3]) {
      app.travel({ ms: 1_000 });
      const later = new Date(Date.parse(startsAt) + hours * 3_600_000).toISOString();
      expect((await owner.patch(`${DEPARTURES}/${departureId}`, { startsAt: later })).status).toBe(200);
    }
    const jobs = await takeChanges();
    expect(jobs).toHaveLength(3);
    await Promise.all([...jobs.reverse(), ...jobs].map(({ payload }) => planChange(payload)));
    expect((await runsOf(app, booking.id, ruleId)).map(({ status }) => status)).toEqual(['planned']);
    expect(
      await app.sql('select from_starts_at from booking_departure_moves where booking_id = $1', [booking.id]),
    ).toEqual([{ from_starts_at: new Date(startsAt) }]);
  });

  it('a booking that is moved to another hour of the day causes a mail with both', async () => {
    await onlyOwnRules(app);
    const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
    const { id: ruleId } = await newRule(app, { trigger: 'departure_changed', stages });
    const early = await newDeparture(app);
    const times = { startsAt: new Date(Date.parse(early.startsAt) + 3_600_000).toISOString() };
    const late = await newDeparture(app, { productId: early.productId, ...times });
    const details = { customerEmail: 'ada@example.com' };
    const { booking, item } = await confirmedBooking(owner, { booking: details, item: { departureId: early.id } });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}`;
    const statuses = async () => (await runsOf(app, booking.id, ruleId)).map(({ status }) => status);
    expect((await owner.patch(path, { departureId: late.id })).status).toBe(200);
    expect(await statuses()).toEqual(['planned']);
    expect((await owner.patch(path, { departureId: early.id })).status).toBe(200);
    expect(await statuses()).toEqual(['cancelled']);
  });

  it('reminders are not sent for the old day of a moved departure, even if the item has not moved yet', async () => {
    const { departureId, bookingId, runs } = await reminded();
    await move(departureId, '2130-03-02T06:00:00Z', '2130-03-02T10:00:00Z');
    await app.sql(`update reminder_runs set status = 'planned', reason = null, run_at = now() where booking_id = $1`, [
      bookingId,
    ]);
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    expect(await runs()).toEqual([['superseded', 'anchor_moved']]);
  });
});

describe('a seat of a departure that is sold in another currency than the booking', () => {
  it('it is rejected with 422 currency_mismatch, for a new item and for a changed one, and nothing is sold', async () => {
    const { id: departureId } = await newDeparture(app, { currency: 'USD' });
    const { id } = await makeBooking(owner);
    const details = { field: 'departureId', expected: 'EUR', actual: 'USD' };
    const rejected = { status: 422, body: { code: 'currency_mismatch', details } };
    expect(await owner.post(`${BOOKINGS}/${id}/items`, itemBody({ departureId }))).toMatchObject(rejected);
    const item = await addItem(owner, id);
    expect(await owner.patch(`${BOOKINGS}/${id}/items/${item.id}`, { departureId })).toMatchObject(rejected);
    expect(await read(app, departureId)).toMatchObject({ sold: 0 });
  });
});

describe("a booking of one channel and another channel's allotment", () => {
  const foreign = async () => {
    const { allotment, departure } = await allotted(app);
    const { id: channelId } = await newChannel(app);
    const units = { departureId: departure.id, allotmentId: allotment.id };
    const details = { allotmentId: allotment.id, allotmentChannelId: allotment.channelId, bookingChannelId: channelId };
    return { allotment, departure, channelId, units, details };
  };
  const add = (bookingId: string, over: object) =>
    owner.post<{ data: Item }>(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
  const mismatch = (details: object) => [422, problem('channel_mismatch', details)];

  it('an allotment of another channel is rejected with 422 channel_mismatch, and nothing is sold', async () => {
    const { allotment, departure, channelId, units, details } = await foreign();
    const { id } = await makeBooking(owner, { channelId });
    const { status, body } = await add(id, units);
    expect([status, body]).toEqual(mismatch({ field: 'allotmentId', ...details }));

    const item = await addItem(owner, id, { departureId: departure.id });
    const changed = await owner.patch(`${BOOKINGS}/${id}/items/${item.id}`, { allotmentId: allotment.id });
    expect([changed.status, changed.body]).toEqual(mismatch({ field: 'allotmentId', ...details }));
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 0, remaining: 10 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 1, guaranteedOpen: 10 });
    expect((await readBooking(owner, id)).totalCents).toBe(10_000);
  });

  it('a booking cannot be assigned to another channel than that of its allotment, unless the item is removed', async () => {
    const { allotment, channelId, units, details } = await foreign();
    const { id } = await makeBooking(owner, { channelId: allotment.channelId });
    const item = await addItem(owner, id, units);
    const { status, body } = await owner.patch(`${BOOKINGS}/${id}`, { channelId });
    expect([status, body]).toEqual(mismatch({ field: 'channelId', ...details, bookingChannelId: channelId }));
    expect((await owner.patch(`${BOOKINGS}/${id}`, { channelId: allotment.channelId })).status).toBe(200);
    await owner.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`);
    expect((await owner.patch(`${BOOKINGS}/${id}`, { channelId })).status).toBe(200);
  });

  it('a booking can use the allotment of its own channel', async () => {
    const { departure, channelId, units } = await foreign();
    const own = await newAllotment(app, { productId: departure.productId, channelId, defaultQuantity: 3 });
    const { id } = await makeBooking(owner, { channelId });
    expect((await add(id, { ...units, allotmentId: own.id })).status).toBe(201);
  });

  it('a booking without a channel can use the allotment of any channel', async () => {
    const { units, allotment } = await foreign();
    const { id } = await makeBooking(owner);
    expect((await add(id, units)).status).toBe(201);
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 1 });
    expect((await owner.patch(`${BOOKINGS}/${id}`, { channelId: allotment.channelId })).status).toBe(200);
    expect((await owner.patch(`${BOOKINGS}/${id}`, { channelId: null })).status).toBe(200);
  });
});
