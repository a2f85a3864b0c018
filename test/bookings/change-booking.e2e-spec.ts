import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  entriesAbout,
  eventsOf,
  insisting,
  invalid,
  makeBooking,
  type One,
  problem,
  readBooking,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const patch = (id: string, changes: object, headers: Record<string, string> = {}) =>
  owner.patch<One<Booking>>(`${BOOKINGS}/${id}`, changes, { headers });

/** The response to a change that must not change anything. */
async function errorOf(id: string, changes: object): Promise<{ status: number; body: unknown }> {
  const before = await readBooking(owner, id);
  const { status, body } = await patch(id, changes);
  expect(await readBooking(owner, id)).toEqual(before);
  return { status, body };
}

describe('PATCH /v1/admin/bookings/{bookingId}', () => {
  it.each([
    { customerName: 'Ada King' },
    { customerEmail: 'ada@example.com' },
    { notes: 'Vegan' },
    { endDate: '2027-06-01' },
    { channelId: demoId('chan', 2) },
    { currency: 'USD' },
  ])('the body %j changes only its field, updatedAt and version of a booking', async (changes) => {
    const before = await makeBooking(owner, { startDate: '2027-05-12' });
    app.travel({ ms: 5 });
    const { status, body, headers } = await patch(before.id, changes);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...before,
      ...changes,
      returnDate: changes.endDate ?? null,
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(body.data['updatedAt']).not.toBe(before['updatedAt']);
    expect(headers['etag']).toBe('"2"');
    expect(await readBooking(owner, before.id)).toEqual(body.data);
  });

  it('null clears the nullable members of a booking', async () => {
    const full = { customerEmail: 'a@example.com', startDate: '2027-05-12', endDate: '2027-05-13', notes: 'x' };
    const step = { label: 'All', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 0 };
    const policy = { channelId: demoId('chan', 2), paymentPolicy: { steps: [step] } };
    const { id } = await makeBooking(owner, { ...full, ...policy });
    const cleared = Object.fromEntries(Object.keys({ ...full, ...policy }).map((key) => [key, null]));
    expect((await patch(id, cleared)).body.data).toMatchObject({ ...cleared, departureDate: null });
  });

  it('an invalid body of a booking change is rejected with 400 and its issues, and nothing is changed', async () => {
    const { status, body } = await errorOf((await makeBooking(owner)).id, { status: 'confirmed' });
    expect([status, body]).toEqual([400, invalid('status', 'unknown_member')]);
  });

  it('a start after the end of a booking is rejected', async () => {
    const { id } = await makeBooking(owner, { endDate: '2027-05-12' });
    expect((await errorOf(id, { startDate: '2027-05-13' })).body).toEqual(invalid('endDate', 'end_before_start'));
  });

  it('the number of another booking is rejected with 409 booking_number_taken', async () => {
    const [{ number }, { id }] = [await makeBooking(owner), await makeBooking(owner)];
    expect(await errorOf(id, { number })).toEqual({ status: 409, body: problem('booking_number_taken', { number }) });
    expect((await patch(id, { number: `${number}-x` })).body.data.number).toBe(`${number}-x`);
  });

  it('another currency is rejected with 409 currency_immutable once there is an item, also a cancelled one', async () => {
    const { id } = await makeBooking(owner);
    const item = await addItem(owner, id);
    const answer = { status: 409, body: problem('currency_immutable', { currency: 'EUR' }) };
    expect(await errorOf(id, { currency: 'USD' })).toEqual(answer);
    await owner.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`);
    expect(await errorOf(id, { currency: 'USD' })).toEqual(answer);
    expect((await patch(id, { currency: 'EUR' })).status).toBe(200);
  });

  it('only customer and notes of a cancelled booking can be changed, other members are 409 booking_closed', async () => {
    const { id } = await makeBooking(owner);
    await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    expect(await errorOf(id, { notes: 'x', startDate: '2027-01-01' })).toEqual({
      status: 409,
      body: problem('booking_closed', { status: 'cancelled', lockedFields: ['startDate'] }),
    });
    const customer = { customerName: 'Ada King', customerEmail: null, notes: 'Married' };
    expect((await patch(id, customer)).body.data).toMatchObject({ ...customer, status: 'cancelled' });
  });

  it('changing a booking honours If-Match: a stale ETag is 412, and one of eight concurrent changes succeeds', async () => {
    const { id } = await makeBooking(owner);
    const changes = Array.from({ length: 8 }, (_, n) =>
      insisting(() => patch(id, { notes: `note ${n}` }, { 'If-Match': '"1"' })),
    );
    const answers = await Promise.all(changes);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
    const stale = answers.find(({ status }) => status === 412);
    expect(stale?.body).toEqual(problem('precondition_failed', { currentVersion: 2 }));
  });

  it('changing an unknown booking is 404', async () => {
    for (const id of ['book_01k0dem000e000000000009999', 'x']) {
      const { status, body } = await patch(id, { notes: 'x' });
      expect([status, body]).toEqual([404, problem('not_found')]);
    }
  });

  it('a changed booking has a ledger entry without names and addresses, and an event', async () => {
    const { id } = await makeBooking(owner);
    await patch(id, { customerName: 'Grace Hopper', startDate: '2027-05-12' });
    const [, entry] = await entriesAbout(owner, id);
    expect(entry).toMatchObject({
      action: 'bookings.booking.update',
      before: { startDate: null, version: 1 },
      after: { startDate: '2027-05-12', version: 2, changed: ['customerName', 'startDate'] },
    });
    expect(JSON.stringify(entry)).not.toContain('Grace');
    expect((await eventsOf(app, id, 2)).map(({ event }) => event)).toEqual(['booking.created', 'booking.updated']);
  });
});
