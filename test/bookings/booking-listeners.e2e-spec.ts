import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BookingListener, BookingsService } from '../../src/modules/bookings/index.js';
import { Database } from '../../src/platform/database/database.js';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { conflict } from '../../src/platform/errors/app-error.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { addItem, BOOKINGS, makeBooking, problem, readBooking } from './bookings.js';

let app: TestApp;
let owner: TestClient;
let calls: unknown[] = [];
let errorCode: string | null = null;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const listeners = app.nest.get(Listeners);
  const record = (...what: unknown[]) => {
    calls.push(what);
    return errorCode ? Promise.reject(conflict(errorCode, 'No')) : Promise.resolve();
  };
  listeners.add(BookingListener, 1_000, {
    confirmed: ({ status }) => record('last', status),
  });
  listeners.add(BookingListener, 900, {
    confirmed: ({ status }) => record('confirmed', status),
    cancelled: ({ status, totalCents }, { reason }) => record('cancelled', status, totalCents, reason),
    totalChanged: ({ totalCents }, { beforeCents, afterCents }) => record('total', totalCents, beforeCents, afterCents),
    itemChanged: (_, { title }) => record('item changed', title),
    itemCancelled: (_, { status }) => record('item cancelled', status),
    dateMoved: ({ departureDate }, before) => record('moved', departureDate, before),
  });
});

beforeEach(() => {
  calls = [];
  errorCode = null;
});

describe('a booking listener', () => {
  it('a booking listener is called for changes of the booking and its items, in order', async () => {
    const { id } = await makeBooking(owner, { startDate: '2027-05-12' });
    const item = await addItem(owner, id, { serviceDate: '2027-05-11' });
    const path = `${BOOKINGS}/${id}/items/${item.id}`;
    await owner.patch(path, { unitSellCents: 5, title: 'Half' });
    await owner.patch(path, { title: 'Other' });
    await owner.post(`${BOOKINGS}/${id}/confirmation`);
    await owner.post(`${path}/cancellation`);
    await owner.patch(`${BOOKINGS}/${id}`, { startDate: '2027-05-13' });
    await owner.patch(`${BOOKINGS}/${id}`, { notes: 'x' });
    await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    expect(calls).toEqual([
      ['total', 10_000, null, 10_000],
      ['moved', '2027-05-11', '2027-05-12'],
      ['total', 5, 10_000, 5],
      ['item changed', 'Half'],
      ['item changed', 'Other'],
      ['confirmed', 'confirmed'],
      ['last', 'confirmed'],
      ['total', 0, 5, 0],
      ['moved', '2027-05-12', '2027-05-11'],
      ['item cancelled', 'cancelled'],
      ['moved', '2027-05-13', '2027-05-12'],
      ['cancelled', 'cancelled', 0, 'Ill'],
    ]);
  });

  it('an error of a booking listener rejects the change, and nothing is written', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id);
    const before = await readBooking(owner, id);
    errorCode = 'capacity_exceeded';
    const { status, body } = await owner.post(`${BOOKINGS}/${id}/items`, {
      type: 'fee',
      title: 'Fee',
      unitSellCents: 1,
    });
    expect([status, body]).toEqual([409, problem('capacity_exceeded')]);
    errorCode = 'booking_not_priced';
    expect((await owner.post(`${BOOKINGS}/${id}/confirmation`)).status).toBe(409);
    expect(await readBooking(owner, id)).toEqual(before);
  });
});

describe('the summary of a booking for other modules', () => {
  it('the summary of a booking contains its active items, and an unknown booking is 404', async () => {
    const { id, number, version } = await makeBooking(owner, {
      startDate: '2027-05-12',
      customerEmail: 'a@example.com',
    });
    const [first, second] = [await addItem(owner, id), await addItem(owner, id, { serviceDate: '2027-05-10' })];
    await owner.post(`${BOOKINGS}/${id}/items/${first.id}/cancellation`);
    const [bookings, database] = [app.nest.get(BookingsService), app.nest.get(Database)];
    const summary = {
      id,
      number,
      status: 'draft',
      currency: 'EUR',
      totalCents: 10_000,
      customerName: 'Ada Lovelace',
      customerEmail: 'a@example.com',
      customerLanguage: null,
      startDate: '2027-05-12',
      departureDate: '2027-05-10',
      returnDate: '2027-05-10',
      paymentPolicy: null,
      channelId: null,
      confirmedOn: null,
      version: version + 3,
    };
    expect(await bookings.getSummary(id)).toEqual(summary);
    expect(await database.transaction(() => bookings.lock(id))).toEqual(summary);
    expect((await bookings.activeItems(id)).map((item) => item.id)).toEqual([second.id]);
    expect(await bookings.getItem(first.id)).toMatchObject({
      bookingId: id,
      status: 'cancelled',
      totalSellCents: 10_000,
    });
    const unknown = { status: 404, code: 'not_found' };
    await expect(bookings.getSummary('book_x')).rejects.toMatchObject(unknown);
    await expect(bookings.getItem('bkit_x')).rejects.toMatchObject(unknown);
    await expect(database.transaction(() => bookings.lock('book_x'))).rejects.toMatchObject(unknown);
  });
});
