import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingRetentionJobs } from '../../src/modules/bookings/bookings/booking-retention.jobs.js';
import { BookingsService } from '../../src/modules/bookings/index.js';
import { TripRetentionJobs } from '../../src/modules/trips/envelopes/trip-retention.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { book, entriesAbout, makeTrip, MANUAL, PARTY, price, readTrip, reserve } from './trips.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

const eraseTrips = () => asSystem(() => app.nest.get(TripRetentionJobs, { strict: false }).erasePast());
const eraseBookings = () => asSystem(() => app.nest.get(BookingRetentionJobs, { strict: false }).erasePast());
/** Three years are at most this many days. */
const THREE_YEARS = 1_096;
const PERSONS = { title: 'Honeymoon of the Rossis', travelerParty: PARTY };

describe('the personal data of a trip', () => {
  it('the title and travelers of a trip are erased three years after its last change', async () => {
    const owner = app.as('owner');
    const { envelopeId } = await makeTrip(owner, [MANUAL], PERSONS);
    const before = await readTrip(owner, envelopeId);
    app.travel({ days: THREE_YEARS - 4 });
    await eraseTrips();
    expect(await readTrip(owner, envelopeId)).toEqual(before);

    app.travel({ days: 5 });
    await Promise.all([eraseTrips(), eraseTrips()]);
    const after = await readTrip(owner, envelopeId);
    expect(after).toMatchObject({ title: null, travelerParty: null, version: before.version + 1 });
    expect(after.components.map((component) => component['title'])).toEqual(['erased']);
    const entries = (await entriesAbout(owner, envelopeId)).filter(({ action }) => action === 'trips.trip.erase');
    expect(entries).toMatchObject([{ actorType: 'system', after: { version: after.version } }]);
    const kept = await app.sql(
      `select entry.action from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
       where coalesce(payload.after, payload.before)::text like '%' || $1 || '%' and entry.action like 'trips.%'`,
      [envelopeId],
    );
    expect(kept).toEqual([{ action: 'trips.trip.erase' }]);
    app.travel({ days: -THREE_YEARS - 1 });
  });

  it('a booked trip is erased after its booking, not before', async () => {
    const owner = app.as('owner');
    const serviceDate = app.day(1);
    const { envelopeId } = await makeTrip(owner, [{ ...MANUAL, serviceDate }], PERSONS);
    for (const step of [price, reserve, book]) expect((await step(owner, envelopeId)).status).toBe(200);
    app.travel({ days: THREE_YEARS + 1 });
    await eraseTrips();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ ...PERSONS, status: 'booked' });

    await asSystem(() => app.nest.get(BookingsService).progressByDate());
    app.travel({ days: THREE_YEARS + 1 });
    await eraseBookings();
    await eraseTrips();
    expect(await readTrip(owner, envelopeId)).toMatchObject({ title: null, travelerParty: null, status: 'booked' });
    app.travel({ days: -2 * (THREE_YEARS + 1) });
  });
});
