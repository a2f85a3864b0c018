import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { newDeparture, read } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { kill, startService } from '../../setup/service-process.js';
import { callOff, type CallOff, ended, itemsOf, pay, readCallOff, soldBooking } from './call-offs.js';

const BOOKINGS = 200;
const KILLS = 10;
const PAID = 20;

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

it('a call-off of 200 bookings whose process is killed ten times treats each of them once, with one mail', async () => {
  const { id } = await newDeparture(app, { capacity: BOOKINGS });
  const bookingIds: string[] = [];
  for (let index = 0; index < BOOKINGS; index += 1) {
    const booking = await soldBooking(owner, id, { booking: { customerEmail: `guest-${index}@killed.example` } });
    if (index < PAID) await pay(owner, booking.id, 5_900);
    bookingIds.push(booking.id);
  }
  const started = await callOff(owner, id);

  let killed = 0;
  for (let service = startService(); killed < KILLS; service = startService()) {
    const before = (await readCallOff(owner, started)).done;
    await progressed(started, before + 1);
    await kill(service);
    killed += 1;
    // The queue returns the job of a process that was killed within 20 s; only the last time the test waits for that.
    if (killed < KILLS)
      await app.sql(`select from graphile_worker.add_job('desk.call-off', $1)`, [{ callOffId: started.id }]);
  }
  expect((await readCallOff(owner, started)).status).toBe('running');
  const report = await ended(owner, started);

  expect(report).toMatchObject({ status: 'completed', total: BOOKINGS, done: BOOKINGS, failed: 0, skipped: 0 });
  expect(report.amounts).toMatchObject([{ currency: 'EUR', refundedCents: PAID * 5_900 }]);
  const items = await itemsOf(owner, started);
  expect(items.map(({ bookingId }) => bookingId).sort()).toEqual(bookingIds.sort());
  const [once] = await app.sql(
    `select (select count(*)::int from notification_messages where recipient like '%@killed.example') as mails,
       (select count(distinct recipient)::int from notification_messages where recipient like '%@killed.example') as guests,
       (select count(*)::int from cancellation_settlements where booking_id = any($1)) as settlements,
       (select count(*)::int from payments where booking_id = any($1) and kind = 'refund') as refunds`,
    [bookingIds],
  );
  expect(once).toEqual({ mails: BOOKINGS, guests: BOOKINGS, settlements: BOOKINGS, refunds: PAID });
  expect(await read(app, id)).toMatchObject({ status: 'cancelled', sold: 0 });
}, 600_000);

/** Waits until this many items are done. */
async function progressed(started: CallOff, done: number): Promise<void> {
  while ((await readCallOff(owner, started)).done < done) await pause(20);
}
