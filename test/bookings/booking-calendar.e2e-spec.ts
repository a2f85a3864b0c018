import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingJobs } from '../../src/modules/bookings/bookings/bookings.jobs.js';
import { BookingsService } from '../../src/modules/bookings/index.js';
import { Clock } from '../../src/platform/clock/clock.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  eventsOf,
  makeBooking,
  readBooking,
  readItem,
} from './bookings.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const turn = (of = app) => asSystem(() => of.nest.get(BookingsService).progressByDate());
const day = (days: number, of = app) => of.nest.get(Clock).dayOf(new Date(of.now().getTime() + days * 86_400_000));
const statusOf = async (id: string) => (await readBooking(app.as('owner'), id)).status;
const confirmed = (item: object, booking: object = {}) => confirmedBooking(app.as('owner'), { item, booking });

describe('the calendar of bookings', () => {
  it('the calendar starts a confirmed booking on its departure date and completes it after the last service date', async () => {
    const owner = app.as('owner');
    const { booking, item } = await confirmed({ serviceDate: day(1) });
    const last = await addItem(owner, booking.id, { serviceDate: day(2) });
    await turn();
    expect(await statusOf(booking.id)).toBe('confirmed');

    app.travel({ days: 1 });
    await turn();
    expect(await statusOf(booking.id)).toBe('in_progress');
    app.travel({ days: 1 });
    await turn();
    expect(await statusOf(booking.id)).toBe('in_progress');
    expect((await readItem(owner, item)).status).toBe('confirmed');

    app.travel({ days: 1 });
    await turn();
    expect(await statusOf(booking.id)).toBe('completed');
    for (const done of [item, last]) {
      expect(await readItem(owner, done)).toMatchObject({ status: 'fulfilled', version: done.version + 1 });
    }
    app.travel({ days: -3 });
  });

  it('the calendar completes the booking of a tour over several days after the day on which the tour ends', async () => {
    const owner = app.as('owner');
    const startsAt = `${day(1)}T06:00:00Z`;
    const tour = await newDeparture(app, { startsAt, endsAt: `${day(7)}T15:00:00Z` });
    const { booking } = await confirmed({ departureId: tour.id });
    const dates = { departureDate: day(1), returnDate: day(7) };
    expect(await readBooking(owner, booking.id)).toMatchObject(dates);
    for (const [days, status] of [
      [3, 'in_progress'],
      [7, 'in_progress'],
      [8, 'completed'],
    ] as const) {
      app.travel({ days });
      await turn();
      app.travel({ days: -days });
      expect([days, await statusOf(booking.id)]).toEqual([days, status]);
    }
  });

  it('the dates of a booking follow its items, its own dates and the end of its departures', async () => {
    const owner = app.as('owner');
    const tour = await newDeparture(app, { startsAt: `${day(10)}T06:00:00Z`, endsAt: `${day(16)}T15:00:00Z` });
    const { id } = await makeBooking(owner, { startDate: day(2), endDate: day(4) });
    const dates = async () => {
      const { departureDate, returnDate } = await readBooking(owner, id);
      return [departureDate, returnDate];
    };
    expect(await dates()).toEqual([day(2), day(4)]);
    const item = await addItem(owner, id, { departureId: tour.id });
    expect(await dates()).toEqual([day(10), day(16)]);
    const night = await addItem(owner, id, { serviceDate: day(20) });
    expect(await dates()).toEqual([day(10), day(20)]);
    await owner.post(`${BOOKINGS}/${id}/items/${night.id}/cancellation`);
    await owner.patch(`/v1/admin/operations/departures/${tour.id}`, { endsAt: `${day(18)}T15:00:00Z` });
    await asSystem(() => app.nest.get(BookingJobs).moveItems({ departureId: tour.id }));
    expect(await dates()).toEqual([day(10), day(18)]);
    await owner.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`);
    expect(await dates()).toEqual([day(2), day(4)]);
    await owner.patch(`${BOOKINGS}/${id}`, { startDate: null, endDate: day(9) });
    expect(await dates()).toEqual([null, day(9)]);
  });

  it('each step of the calendar has a ledger entry of the system and an event', async () => {
    const { booking, item } = await confirmed({ serviceDate: day(-1) });
    await turn();
    const entries = (await entriesAbout(app.as('owner'), booking.id)).slice(-2);
    expect(entries).toMatchObject([
      {
        action: 'bookings.booking.start',
        actorType: 'system',
        before: { status: 'confirmed', version: 3 },
        after: { status: 'in_progress', version: 4 },
      },
      {
        action: 'bookings.booking.complete',
        actorType: 'system',
        before: { status: 'in_progress', version: 4 },
        after: { status: 'completed', version: 5, fulfilledItemIds: [item.id] },
      },
    ]);
    const published = (await eventsOf(app, booking.id, 5)).slice(-2);
    expect(published.map(({ event }) => event)).toEqual(['booking.started', 'booking.completed']);
  });

  it('the calendar uses the start and end date of a booking whose active items have no service dates', async () => {
    const owner = app.as('owner');
    const dated = await confirmed({ serviceDate: day(-5) }, { startDate: day(0), endDate: day(1) });
    await addItem(owner, dated.booking.id);
    await owner.post(`${BOOKINGS}/${dated.booking.id}/items/${dated.item.id}/cancellation`);
    const undated = await confirmed({});
    await turn();
    expect(await statusOf(dated.booking.id)).toBe('in_progress');
    expect(await statusOf(undated.booking.id)).toBe('confirmed');
    expect((await readItem(owner, dated.item)).status).toBe('cancelled');
  });

  it('the calendar ignores drafts and cancelled bookings', async () => {
    const owner = app.as('owner');
    const draft = await makeBooking(owner, { startDate: day(-1) });
    const { booking } = await confirmed({ serviceDate: day(-1) });
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' });
    await turn();
    expect([await statusOf(draft.id), await statusOf(booking.id)]).toEqual(['draft', 'cancelled']);
  });

  it('the calendar moves each booking once, also in parallel processes and several batches', async () => {
    const numbers = `calendar-${app.now().getTime()}-`;
    await app.sql(
      `with made as (
         insert into bookings (id, number, status, currency, customer_name, start_date, departure_date, confirmed_at,
           version, created_at, updated_at)
         select 'book_' || $1 || n, $1 || n, 'confirmed', 'EUR', 'Ada', $2::date, $2::date, now(), 1, now(), now() from generate_series(1, 450) n returning id)
       select count(*) from made`,
      [numbers, day(0)],
    );
    await Promise.all([turn(), turn(), turn()]);
    await turn();
    const [counts] = await app.sql(
      `select count(*)::int as bookings, min(version)::int as least, max(version)::int as most,
         (select count(*)::int from action_ledger_entries where subject_id like 'book_' || $1 || '%') as entries
       from bookings where number like $1 || '%' and status = 'in_progress'`,
      [numbers],
    );
    expect(counts).toEqual({ bookings: 450, least: 2, most: 2, entries: 450 });
  });

  it('the calendar skips a locked booking and moves it in a later run', async () => {
    const { booking } = await confirmed({ serviceDate: day(0) });
    const locking = app.sql(
      `do $$ begin perform from bookings where id = '${booking.id}' for update; perform pg_sleep(1); end $$`,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await turn();
    expect(await statusOf(booking.id)).toBe('confirmed');
    await locking;
    await turn();
    expect(await statusOf(booking.id)).toBe('in_progress');
  });

  it('the calendar uses the day of the organization, east and west of UTC', async () => {
    const [east, west] = [
      await startApp({ env: { ORG_TIME_ZONE: 'Pacific/Kiritimati' } }),
      await startApp({ env: { ORG_TIME_ZONE: 'Pacific/Pago_Pago' } }),
    ];
    expect(day(0, east) > day(0, west)).toBe(true);
    const { booking } = await confirmed({ serviceDate: day(0, east) });
    await turn(west);
    expect(await statusOf(booking.id)).toBe('confirmed');
    await turn(east);
    expect(await statusOf(booking.id)).toBe('in_progress');
  });
});
