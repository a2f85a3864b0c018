import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTraveler } from '../bookings/travelers.js';
import { confirmedBooking, invalid, makeBooking, staffWith } from '../bookings/bookings.js';
import { newCustomer } from '../customers/customers.js';
import { draft as draftInvoice, issue } from '../finance/invoices/invoicing.js';
import { draft as draftContract } from '../legal/contracts.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { makeTrip } from '../trips/trips.js';

interface Found extends Record<string, unknown> {
  kind: string;
  id: string;
  isExact: boolean;
}

const SEARCH = '/v1/admin/search';
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function find(q: string, { client = owner, more = '' } = {}): Promise<Found[]> {
  const { status, body } = await client.get<{ data: { records: Found[] } }>(
    `${SEARCH}?q=${encodeURIComponent(q)}${more}`,
  );
  expect(status).toBe(200);
  return body.data.records;
}
/** A word that no other record contains. */
const word = (): string => `q${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const idsOf = (found: readonly Found[]) => found.map(({ kind, id }) => [kind, id]);

describe('the search over all records', () => {
  it('a word finds customers, bookings, trips, invoices, contracts and departures, in this order', async () => {
    const mark = word();
    const customer = await newCustomer(app, { firstName: 'José', lastName: `Ñandú-${mark}` });
    const { booking } = await confirmedBooking(owner, { booking: { customerName: `JOSE O’Neil ${mark}` } });
    const { envelopeId } = await makeTrip(owner, [], { title: `Trip of Jose ${mark}` });
    const invoice = await draftInvoice(owner, { bookingId: booking.id });
    const { reference } = await draftContract(app, { title: `Contract of José ${mark}` });
    const { id: productId } = await newProduct(app, { name: `Jose's walk ${mark}` });
    const departure = await newDeparture(app, { productId });

    const found = await find(`${mark} jose`);

    expect(idsOf(found)).toEqual([
      ['customer', customer.id],
      ['booking', booking.id],
      ['trip', envelopeId],
      ['invoice', invoice.id],
      ['contract', reference],
      ['departure', departure.id],
    ]);
    expect(found[1]).toMatchObject({ number: booking.number, title: `JOSE O’Neil ${mark}`, status: 'confirmed' });
    expect(found[5]).toMatchObject({ title: `Jose's walk ${mark}`, status: 'scheduled', isExact: false });
  });

  it('a name that many records contain finds the newest of them, and a number without digits comes first', async () => {
    const name = word().replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
    const { id: numbered } = await makeBooking(owner, { number: name.toUpperCase() });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.unshift((await makeBooking(owner, { customerName: `Ana ${name}` })).id);
    const traveler = await makeBooking(owner);
    await addTraveler(owner, traveler.id, { firstName: 'Ana', lastName: name });
    const newest = [traveler.id, ...ids].map((id) => ['booking', id]);

    const named = await find(`${name} ana`, { more: '&limit=3' });
    const rare = await find(`${name} ana`, { more: '&limit=20' });
    const exact = await find(name, { more: '&limit=3' });

    expect(idsOf(named)).toEqual(newest.slice(0, 3));
    expect(idsOf(rare)).toEqual(newest);
    expect(idsOf(exact)).toEqual([['booking', numbered], ...newest.slice(0, 2)]);
  });

  it('a booking is found by its telephone number and by the names of its travelers', async () => {
    const mark = word();
    const subscriber = String(randomInt(10_000_000, 99_999_999));
    const booking = await makeBooking(owner, {
      customerPhone: `+40 (0)21 ${subscriber.slice(0, 4)} ${subscriber.slice(4)}`,
    });
    await addTraveler(owner, booking.id, { firstName: 'Ana', lastName: `Şerban ${mark}` });

    for (const q of [
      subscriber,
      `21 ${subscriber}`,
      `+40 (0)21 ${subscriber}`,
      `+4021${subscriber}`,
      `${mark} serban ana`,
    ]) {
      expect([q, idsOf(await find(q))]).toEqual([q, [['booking', booking.id]]]);
    }
  });

  it('an exact number or e-mail address comes first, and an invoice is found by the number of its booking', async () => {
    const number = `N-${word()}`;
    const email = `${word()}@example.com`;
    const later = { number: `${number}-2`, customerEmail: `x.${email}` };
    const { booking } = await confirmedBooking(owner, { booking: { number, customerEmail: email } });
    const invoice = await draftInvoice(owner, { bookingId: booking.id });
    await issue(owner, invoice.id);
    const other = await makeBooking(owner, later);

    expect(idsOf(await find(number))).toEqual([
      ['booking', booking.id],
      ['booking', other.id],
      ['invoice', invoice.id],
    ]);
    expect((await find(email.toUpperCase())).map(({ id, isExact }) => [id, isExact])).toEqual([
      [booking.id, true],
      [other.id, false],
    ]);
  });

  it('kinds without their read scope are left out, and a caller without any finds nothing', async () => {
    const mark = word();
    await newCustomer(app, { lastName: mark });
    const booking = await makeBooking(owner, { customerName: mark });

    expect(idsOf(await find(mark, { client: await staffWith(app, 'bookings:read') }))).toEqual([
      ['booking', booking.id],
    ]);
    expect(await find(mark, { client: await staffWith(app, 'identity:read') })).toEqual([]);
  });

  it('wildcards are plain text, and the limit counts per kind', async () => {
    const mark = word();
    const bookings = await Promise.all(
      [1, 2, 3].map((number) => makeBooking(owner, { customerName: `${mark} ${number}` })),
    );
    await newCustomer(app, { lastName: mark });

    for (const q of [`${mark}%`, `${mark}_`, `\\${mark}`]) expect([q, await find(q)]).toEqual([q, []]);
    const found = await find(mark, { more: '&limit=2' });
    expect(found.map(({ kind }) => kind)).toEqual(['customer', 'booking', 'booking']);
    expect(bookings.map(({ id }) => id)).toEqual(expect.arrayContaining(found.slice(1).map(({ id }) => id)));
  });

  it('a query of one character, a long one and an unknown parameter are rejected', async () => {
    const rejected = async (query: string) => (await owner.get(`${SEARCH}?${query}`)).body;
    expect(await rejected('q=a')).toMatchObject(invalid('q', expect.any(String)));
    expect(await rejected(`q=${'a'.repeat(101)}`)).toMatchObject(invalid('q', expect.any(String)));
    expect(await rejected('q=abc&limit=21')).toMatchObject(invalid('limit', expect.any(String)));
    expect(await rejected('q=abc&kind=booking')).toMatchObject(invalid('kind', expect.any(String)));
  });
});
