import { beforeAll, describe, expect, it } from '@jest/globals';
import { DepartureMinimumsService } from '../../src/modules/operations/departures/departure-minimums.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { DEPARTURES, type Departure, newDeparture, read } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { book, reservedTrip, seats } from '../trips/trips.js';
import { addItem, BOOKINGS, confirmedBooking, entriesAbout, insisting, makeBooking } from './bookings.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const confirm = (id: string) => owner.post(`${BOOKINGS}/${id}/confirmation`);
const report = () => asSystem(() => app.nest.get(DepartureMinimumsService).reportMissed());
const guarantee = (id: string) => owner.post<{ data: Departure }>(`${DEPARTURES}/${id}/guarantee`);
const actionsOn = async (id: string) => (await entriesAbout(owner, id)).map(({ action }) => action).slice(1);
/** Reads both tables, because the relay moves events from one to the other in one transaction. */
const eventsAbout = (id: string) =>
  app.sql<{ event: string; data: object }>(
    `select event, data from (
       select event, data::jsonb from outbox_events union all select event, data::jsonb from realtime_messages
     ) as published
     where data ->> 'departureId' = $1 and event <> 'departure.changed' order by data ->> 'id'`,
    [id],
  );

const GUARANTEED = 'operations.departure.guarantee';

describe('a departure with a minimum', () => {
  it('units of confirmed bookings count for the minimum, those of drafts and cancelled items do not', async () => {
    const { id: departureId } = await newDeparture(app, { minParticipants: 6 });
    const draft = await makeBooking(owner);
    await addItem(owner, draft.id, { departureId, quantity: 6 });
    expect((await read(app, departureId)).runState).toBe('tentative');
    const { booking, item } = await confirmedBooking(owner, { item: { departureId, quantity: 5 } });
    const gone = await addItem(owner, (await makeBooking(owner)).id, { departureId });
    await owner.post(`${BOOKINGS}/${gone.bookingId}/items/${gone.id}/cancellation`);
    expect((await read(app, departureId)).runState).toBe('tentative');

    await owner.patch(`${BOOKINGS}/${booking.id}/items/${item.id}`, { quantity: 6 });

    expect(await read(app, departureId)).toMatchObject({ runState: 'guaranteed', version: 1 });
    expect(await actionsOn(departureId)).toEqual([GUARANTEED]);
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' });
    expect((await read(app, departureId)).runState).toBe('guaranteed');
  });

  it('a confirmation, a booked trip, a reinstatement and a lower minimum guarantee a departure', async () => {
    const made = async () => (await newDeparture(app, { minParticipants: 2 })).id;
    const [confirmed, trip, reinstated, lowered] = [await made(), await made(), await made(), await made()];
    await confirmedBooking(owner, { item: { departureId: confirmed, quantity: 2 } });
    await book(owner, (await reservedTrip(owner, [seats(trip, { quantity: 2 })])).envelopeId);
    const { booking } = await confirmedBooking(owner, { item: { departureId: reinstated } });
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Mistake' });
    await confirmedBooking(owner, { item: { departureId: reinstated } });
    await owner.post(`${BOOKINGS}/${booking.id}/reinstatement`, { reason: 'Mistake' });
    await confirmedBooking(owner, { item: { departureId: lowered } });
    const { body } = await owner.patch<{ data: Departure }>(`${DEPARTURES}/${lowered}`, { minParticipants: 1 });

    const states = await Promise.all([confirmed, trip, reinstated, lowered].map(async (id) => read(app, id)));
    expect(states.map(({ runState }) => runState)).toEqual(Array(4).fill('guaranteed'));
    expect(body.data.runState).toBe('guaranteed');
  });

  it('of bookings that are confirmed at the same time the last one reaches the minimum, and it is recorded once', async () => {
    const { id: departureId } = await newDeparture(app, { minParticipants: 8 });
    const bookings: string[] = [];
    while (bookings.length < 8) bookings.push((await makeBooking(owner)).id);
    for (const id of bookings) await addItem(owner, id, { departureId });

    const answers = await Promise.all(bookings.map((id) => insisting(() => confirm(id))));

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await read(app, departureId)).runState).toBe('guaranteed');
    expect(await actionsOn(departureId)).toEqual([GUARANTEED]);
  });

  it('staff guarantee a tentative departure once; without a minimum it is guaranteed already', async () => {
    const { id, startsAt, productId } = await newDeparture(app, { minParticipants: 8 });
    const first = await guarantee(id);
    const again = await guarantee(id);
    const without = await guarantee((await newDeparture(app)).id);

    expect([first.status, first.body.data]).toMatchObject([200, { runState: 'guaranteed', version: 2 }]);
    for (const { status, body } of [again, without]) {
      const details = { from: 'guaranteed', to: 'guaranteed', allowed: [] };
      expect([status, body]).toMatchObject([409, { code: 'invalid_transition', details }]);
    }
    expect(await eventsAbout(id)).toMatchObject([
      { event: 'departure.guaranteed', data: { departureId: id, productId, startsAt, minParticipants: 8 } },
    ]);
  });
});

describe('a departure below its minimum when it is decided', () => {
  const due = async () => {
    const decideBy = new Date(app.now().getTime() - 1_000).toISOString();
    return newDeparture(app, { minParticipants: 2, decideBy });
  };

  it('a missed minimum is reported once, also by concurrent runs, and again after a new decision', async () => {
    const { id, productId, startsAt, decideBy } = await due();
    const later = await newDeparture(app, { minParticipants: 2, decideBy: startsAt });
    await confirmedBooking(owner, { item: { departureId: id } });

    await Promise.all([report(), report(), report()]);
    await report();

    const marked = async (attention: boolean) =>
      (await owner.get<{ total: number }>(`${DEPARTURES}?productId=${productId}&attention=${attention}`)).body.total;
    expect([await marked(true), await marked(false)]).toEqual([1, 0]);
    const missed = await read(app, id);
    expect(missed.attention).toBe(true);
    expect([missed.minimumNotReachedAt, missed.runState, missed.version]).toEqual([expect.any(String), 'tentative', 1]);
    const data = { departureId: id, productId, startsAt, decideBy, minParticipants: 2, units: 1 };
    expect(await eventsAbout(id)).toMatchObject([{ event: 'departure.minimum_not_reached', data }]);
    expect(await actionsOn(id)).toEqual(['operations.departure.miss_minimum']);
    expect((await read(app, later.id)).minimumNotReachedAt).toBeNull();

    const next = new Date(app.now().getTime() - 500).toISOString();
    const { body } = await owner.patch<{ data: Departure }>(`${DEPARTURES}/${id}`, { decideBy: next });
    expect(body.data).toMatchObject({ minimumNotReachedAt: null, attention: false });
    expect([await marked(true), await marked(false)]).toEqual([0, 1]);
    await report();
    expect(await eventsAbout(id)).toHaveLength(2);
  });

  it('a departure whose minimum is reached late is guaranteed, and no longer marked', async () => {
    const { id: departureId } = await due();
    await report();
    await confirmedBooking(owner, { item: { departureId, quantity: 2 } });
    const { runState, minimumNotReachedAt } = await read(app, departureId);
    expect([runState, minimumNotReachedAt]).toEqual(['guaranteed', null]);
  });

  it('cancelled and guaranteed departures are not reported', async () => {
    const [cancelled, guaranteed] = [await due(), await due()];
    await owner.post(`${DEPARTURES}/${cancelled.id}/cancellation`);
    await guarantee(guaranteed.id);
    await report();
    expect((await eventsAbout(cancelled.id)).concat(await eventsAbout(guaranteed.id))).toMatchObject([
      { event: 'departure.guaranteed' },
    ]);
  });
});
