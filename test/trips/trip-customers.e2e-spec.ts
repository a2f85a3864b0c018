import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, type Page, readBooking } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer, readCustomer } from '../customers/customers.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { book, cancel, makeTrip, MANUAL, readTrip, reserve, type Trip, TRIPS } from './trips.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const partyOf = (name: string, email: string) => ({
  travelerParty: { billing: { name, email }, travelers: [{ name }] },
});

interface Rejected {
  code: string;
  details: unknown;
}

const errorOf = ({ status, body: { code, details } }: { status: number; body: Rejected }) => [status, code, details];

const idsOf = async (query: string) => {
  const { body } = await owner.get<Page<Trip>>(`${TRIPS}?${query}`);
  return body.data.map(({ envelopeId }) => envelopeId);
};

async function reserved(over: object): Promise<Trip> {
  const trip = await makeTrip(owner, [MANUAL], over);
  expect((await reserve(owner, trip.envelopeId)).status).toBe(200);
  return readTrip(owner, trip.envelopeId);
}

async function booked(trip: Trip): Promise<string> {
  const answer = await book(owner, trip.envelopeId);
  expect(answer.status).toBe(200);
  return answer.body.data.bookingId ?? '';
}

describe('the customer of a trip', () => {
  it('the booking of a trip belongs to the customer of the trip, and each names the other', async () => {
    const customer = await newCustomer(app, { language: 'de', emails: [{ address: 'group@example.com' }] });
    const trip = await reserved({ customerId: customer.id });
    const bookingId = await booked(trip);

    expect(await readBooking(owner, bookingId)).toMatchObject({
      customerId: customer.id,
      customerLanguage: 'de',
      customerEmail: 'ada@example.com',
      tripId: trip.envelopeId,
    });
    const found = await owner.get<Page<{ id: string; tripId: string }>>(`${BOOKINGS}?tripId=${trip.envelopeId}`);
    expect(found.body.data).toMatchObject([{ id: bookingId, tripId: trip.envelopeId }]);
    expect(await idsOf(`bookingId=${bookingId}`)).toEqual([trip.envelopeId]);
    const listed = await owner.get<Page<object>>(`${TRIPS}?customerId=${customer.id}`);
    expect(listed.body.data).toMatchObject([{ customerId: customer.id, customerName: customer.displayName }]);
  });

  it('booking a trip without a customer takes the one with the name and the address, or creates one', async () => {
    const known = await newCustomer(app, { lastName: 'Çelik', emails: [{ address: 'celik@example.com' }] });
    const first = await reserved(partyOf('Celik', 'Celik@example.com'));
    const second = await reserved(partyOf('Ayşe Demir', 'celik@example.com'));
    await booked(first);
    await booked(second);

    expect((await readTrip(owner, first.envelopeId))['customerId']).toBe(known.id);
    const created = String((await readTrip(owner, second.envelopeId))['customerId']);
    expect(created).not.toBe(known.id);
    expect(await readCustomer(app, created)).toMatchObject({ displayName: 'Ayşe Demir' });
  });

  it('it can be changed until the trip is booked or cancelled, to active customers only', async () => {
    const customer = await newCustomer(app);
    const archived = await newCustomer(app);
    await owner.post(`${CUSTOMERS}/${archived.id}/archival`);
    const trip = await reserved({});
    const change = (customerId: string | null) => owner.patch<Rejected>(`${TRIPS}/${trip.envelopeId}`, { customerId });

    expect(errorOf(await change(archived.id))).toEqual([409, 'customer_archived', expect.any(Object)]);
    expect(errorOf(await change('cus_01k0dem000e000000000099999'))).toEqual([
      404,
      'not_found',
      { field: 'customerId' },
    ]);
    expect((await change(customer.id)).status).toBe(200);
    expect(await readTrip(owner, trip.envelopeId)).toMatchObject({ status: 'reserved', customerId: customer.id });
    const archival = await owner.post<Rejected>(`${CUSTOMERS}/${customer.id}/archival`);
    expect(errorOf(archival)).toEqual([409, 'customer_in_use', { trips: 1 }]);
    expect((await cancel(owner, trip.envelopeId)).status).toBe(200);
    expect(errorOf(await change(null))).toMatchObject([409, 'invalid_transition', { from: 'cancelled' }]);
  });

  it('trips follow a merge of customers, and its reversal moves them back', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const trip = await reserved({ customerId: duplicate.id });
    const merge = await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect(merge.status).toBe(200);
    expect(await idsOf(`customerId=${survivor.id}`)).toEqual([trip.envelopeId]);

    const entries = '/v1/admin/action-ledger/entries';
    const { body } = await owner.get<Page<{ id: string }>>(
      `${entries}?subjectId=${survivor.id}&action=customers.customer.merge`,
    );
    const reversal = await owner.post(`${entries}/${body.data[0]?.id}/reversals`, { reason: 'Not the same' });
    expect(reversal.status).toBe(201);
    expect((await readTrip(owner, trip.envelopeId))['customerId']).toBe(duplicate.id);
  });

  it('bookings of trips and merges of their customers at the same time end with the customer that remains', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
      const trip = await reserved({ customerId: duplicate.id });
      const [sale, merge] = await Promise.all([
        book(owner, trip.envelopeId),
        owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] }),
      ]);
      expect(merge.status).toBe(200);
      expect([200, 409]).toContain(sale.status);
      if (sale.status === 409) await booked(trip);
      const { bookingId, customerId } = await readTrip(owner, trip.envelopeId);
      expect(customerId).toBe(survivor.id);
      expect((await readBooking(owner, bookingId ?? ''))['customerId']).toBe(survivor.id);
    }
  });
});
