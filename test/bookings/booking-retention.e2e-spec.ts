import { beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { BookingRetentionJobs } from '../../src/modules/bookings/bookings/booking-retention.jobs.js';
import { BookingsService } from '../../src/modules/bookings/index.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { confirmedBooking, entriesAbout, makeBooking, readBooking } from './bookings.js';

const CUSTOMER = { customerName: 'Clara Beispiel', customerEmail: 'clara@example.com', notes: 'Clara has a dog' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

const erase = () => asSystem(() => app.nest.get(BookingRetentionJobs, { strict: false }).erasePast());
const complete = () => asSystem(() => app.nest.get(BookingsService).progressByDate());
const inDays = (days: number) => app.day(days);
/** Three years are at most this many days. */
const THREE_YEARS = 1_096;

describe('the personal data of a booking', () => {
  it('the customer and free texts of a booking are erased three years after the last service, its figures stay', async () => {
    const owner = app.as('owner');
    const { booking } = await confirmedBooking(owner, { item: { serviceDate: inDays(10) }, booking: CUSTOMER });
    app.travel({ days: 11 });
    await complete();
    const before = await readBooking(owner, booking.id);
    expect(before).toMatchObject({ status: 'completed', ...CUSTOMER });

    app.travel({ days: THREE_YEARS - 4 });
    await erase();
    expect(await readBooking(owner, booking.id)).toEqual(before);

    app.travel({ days: 4 });
    await Promise.all([erase(), erase()]);
    const after = await readBooking(owner, booking.id);
    expect(after).toMatchObject({ customerName: 'Erased person', customerEmail: null, notes: null });
    expect(after.version).toBe(before.version + 1);
    const { number, totalCents, startDate } = before;
    expect(after).toMatchObject({ number, totalCents, startDate, status: 'completed' });
    const titles = await app.sql('select distinct title from booking_items where booking_id = $1', [booking.id]);
    expect(titles).toEqual([{ title: 'erased' }]);
    const entries = (await entriesAbout(owner, booking.id)).filter(({ action }) => action === 'bookings.booking.erase');
    expect(entries).toMatchObject([{ actorType: 'system', after: { version: after.version } }]);

    // Snapshots in the ledger are erased with the record; its chain stays valid.
    const payloads = await app.sql(
      `select entry.action, payload.before is null and payload.after is null as erased
       from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
       where (payload.before::text || payload.after::text) ~ 'Clara|Beispiel' or entry.subject_id = $1`,
      [booking.id],
    );
    expect(payloads.filter(({ erased }) => erased === false)).toMatchObject([{ action: 'bookings.booking.erase' }]);
    expect(payloads.length).toBeGreaterThan(2);
    const items = await app.sql(
      `select from ledger_payloads payload join action_ledger_entries entry on entry.id = payload.entry_id
       where entry.subject_id in (select id from booking_items where booking_id = $1) and payload.after is not null`,
      [booking.id],
    );
    expect(items).toEqual([]);
    const verified = await app.nest.get(LedgerVerificationService, { strict: false }).verify();
    expect([verified.breaks, verified.findings]).toEqual([[], []]);

    await erase();
    expect(await readBooking(owner, booking.id)).toEqual(after);
    app.travel({ days: -11 - THREE_YEARS });
  });

  it('a booking with a service ahead keeps its customer, however old it is', async () => {
    const owner = app.as('owner');
    const ahead = { item: { serviceDate: inDays(THREE_YEARS + 100) }, booking: CUSTOMER };
    const { booking } = await confirmedBooking(owner, ahead);
    const draft = await makeBooking(owner, CUSTOMER);
    app.travel({ days: THREE_YEARS + 50 });
    await erase();
    expect(await readBooking(owner, booking.id)).toMatchObject(CUSTOMER);
    expect(await readBooking(owner, draft.id)).toMatchObject({ customerName: 'Erased person', status: 'draft' });
    app.travel({ days: -THREE_YEARS - 50 });
  });
});
