import { beforeAll, describe, expect, it } from '@jest/globals';
import { newChannel } from '../distribution/channels.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  confirmedBooking,
  invalid,
  makeBooking,
  type Page,
  problem,
  readBooking,
  staffWith,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;
let mark: string;
const made: Booking[] = [];

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  mark = `List 100%_${app.now().getTime()}`;
  const rows = [
    { number: `C ${mark.slice(-13)}`, startDate: '2027-03-01' },
    { number: `A ${mark.slice(-13)}`, startDate: '2027-01-01' },
    { number: `B ${mark.slice(-13)}` },
    { number: `D ${mark.slice(-13)}`, startDate: '2027-02-01' },
  ];
  for (const row of rows) {
    app.travel({ ms: 2 });
    made.push(await makeBooking(owner, { customerName: mark, ...row }));
  }
  const [, second] = made;
  await addItem(owner, second?.id ?? '', { serviceDate: '2026-12-31' });
  await owner.post(`${BOOKINGS}/${second?.id}/confirmation`);
});

async function list(parameters: Record<string, string> = {}): Promise<Page<Booking>> {
  const query = new URLSearchParams({ search: mark.toLowerCase(), ...parameters });
  const { status, body } = await owner.get<Page<Booking>>(`${BOOKINGS}?${query.toString()}`);
  expect(status).toBe(200);
  return body;
}

const letters = async (parameters: Record<string, string>) =>
  (await list(parameters)).data.map(({ number }) => number[0]).join('');

describe('GET /v1/admin/bookings', () => {
  it('the booking list is {data, total, limit, offset}, newest first, of bookings as they are read', async () => {
    const page = await list();
    expect({ ...page, data: page.data.length }).toEqual({ data: 4, total: 4, limit: 50, offset: 0 });
    for (const booking of page.data) expect(booking).toMatchObject(await readBooking(owner, booking.id));
  });

  it.each([
    [{}, 'DBAC'],
    [{ sort: 'createdAt' }, 'CABD'],
    [{ sort: 'number' }, 'ABCD'],
    [{ sort: '-number' }, 'DCBA'],
    [{ sort: 'startDate' }, 'ADCB'],
    [{ sort: '-startDate' }, 'CDAB'],
    [{ sort: 'departureDate' }, 'ADCB'],
    [{ sort: '-departureDate' }, 'CDAB'],
    [{ sort: 'number', status: 'draft' }, 'BCD'],
    [{ status: 'confirmed' }, 'A'],
    [{ status: 'cancelled' }, ''],
    [{ sort: 'number', status: 'draft,confirmed' }, 'ABCD'],
    [{ sort: 'number', status: 'confirmed,cancelled', startTo: '2027-12-31' }, 'A'],
    [{ sort: 'number', startFrom: '2027-02-01' }, 'CD'],
    [{ sort: 'number', startTo: '2027-02-01' }, 'AD'],
    // The booking departs on the day of its item, one day before its start date.
    [{ startTo: '2026-12-31' }, 'A'],
    [{ startFrom: '2027-01-01', startTo: '2027-01-31' }, ''],
    [{ startFrom: '2027-01-02', startTo: '2027-02-28', status: 'draft' }, 'D'],
    [{ sort: 'number', limit: '2', offset: '1' }, 'BC'],
    [{ search: 'nobody has this name' }, ''],
  ])('the booking list with %j contains %s in this order', async (parameters, expected) =>
    expect(await letters(parameters)).toBe(expected),
  );

  it('the booking list can be searched by a part of the number, and wildcards are literal characters', async () => {
    expect(await letters({ search: `d ${mark.slice(-13)}` })).toBe('D');
    expect((await list({ search: `100_%${mark.slice(-13)}` })).total).toBe(0);
  });

  it('the total of the booking list counts all matches, also beyond the last page', async () => {
    expect(await list({ offset: '100', limit: '2' })).toEqual({ data: [], total: 4, limit: 2, offset: 100 });
  });

  it('an invalid query of the booking list is rejected with 400 and its issues', async () => {
    const { status, body } = await owner.get(`${BOOKINGS}?status=open`);
    expect([status, body]).toEqual([400, invalid('status', 'unknown_value')]);
  });

  it('listing bookings needs bookings:read', async () => {
    const { status, body } = await (await staffWith(app, 'finance:read')).get(BOOKINGS);
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'bookings:read' }));
  });
});

describe('what a row of the booking list shows', () => {
  let due: Booking;
  let paid: Booking;
  let draft: Booking;
  let channel: { id: string };
  let product: string;
  const shown = 'Figures';

  beforeAll(async () => {
    channel = await newChannel(app, { name: 'Alpine Tours' });
    const departure = await newDeparture(app, { startsAt: '2126-04-01T06:00:00Z', endsAt: '2126-04-02T15:00:00Z' });
    product = String(departure['productId']);
    const item = { departureId: departure.id, quantity: 2, title: 'Adult' };
    const customerName = `${shown} ${mark}`;
    due = (
      await confirmedBooking(owner, { item, booking: { customerName: `${customerName} A`, channelId: channel.id } })
    ).booking;
    paid = (
      await confirmedBooking(owner, {
        item: { unitSellCents: 500, title: 'Tour' },
        booking: { customerName: `${customerName} B` },
      })
    ).booking;
    draft = await makeBooking(owner, { customerName: `${customerName} C` });
    const plan = `/v1/admin/finance/bookings/${due.id}/payment-schedules`;
    const { body } = await owner.get<{ data: { id: string }[] }>(plan);
    expect((await owner.patch(`${plan}/${String(body.data[0]?.id)}`, { dueDate: '2020-01-01' })).status).toBe(200);
    const receipt = { direction: 'in', bookingId: paid.id, currency: 'EUR', method: 'cash', paidOn: app.day() };
    expect((await owner.post('/v1/admin/finance/payments', { ...receipt, amountCents: 700 })).status).toBe(201);
  });

  const rows = async (parameters: Record<string, string>, client = owner) => {
    const query = new URLSearchParams({ search: `${shown} ${mark}`, sort: 'createdAt', ...parameters });
    const { status, body } = await client.get<Page<Booking>>(`${BOOKINGS}?${query.toString()}`);
    expect(status).toBe(200);
    return body.data;
  };
  const found = async (parameters: Record<string, string>) => (await rows(parameters)).map(({ id }) => id);

  it('a row shows the channel, the first service, the people and what the customer owes', async () => {
    expect(await rows({})).toMatchObject([
      {
        ...{ id: due.id, channelName: 'Alpine Tours', firstTitle: 'Adult', people: 2 },
        ...{ outstandingCents: 20_000, dueStatus: 'overdue', nextDueOn: '2020-01-01' },
      },
      {
        id: paid.id,
        channelName: null,
        firstTitle: 'Tour',
        people: 0,
        outstandingCents: 0,
        dueStatus: 'credit',
        nextDueOn: null,
      },
      { id: draft.id, firstTitle: null, people: 0, outstandingCents: 0, dueStatus: 'settled' },
    ]);
  });

  it('what a customer owes needs finance:receivables, to be seen and to be filtered by', async () => {
    const clerk = await staffWith(app, 'bookings:read');
    const hidden = { outstandingCents: null, dueStatus: null, nextDueOn: null, people: 2 };
    expect((await rows({}, clerk))[0]).toMatchObject(hidden);
    const { status, body } = await clerk.get(`${BOOKINGS}?balance=open`);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:receivables' })]);
  });

  it('the list is filtered by balance, channel, product and days of travel, and sorted by name and total', async () => {
    expect(await found({ balance: 'open' })).toEqual([due.id]);
    expect(await found({ balance: 'overdue' })).toEqual([due.id]);
    expect(await found({ balance: 'credit' })).toEqual([paid.id]);
    expect(await found({ balance: 'credit,overdue' })).toEqual([due.id, paid.id]);
    expect(await found({ channelId: channel.id })).toEqual([due.id]);
    expect(await found({ productId: product })).toEqual([due.id]);
    expect(await found({ travelFrom: '2126-04-02', travelTo: '2126-04-02' })).toEqual([due.id]);
    expect(await found({ travelFrom: '2126-04-03' })).toEqual([]);
    const between = [due, draft].map(({ createdAt }) => String(createdAt));
    expect(await found({ createdAfter: String(between[0]), createdBefore: String(between[1]) })).toEqual([
      due.id,
      paid.id,
      draft.id,
    ]);
    app.travel({ ms: 2 });
    expect(await found({ createdAfter: app.now().toISOString() })).toEqual([]);
    expect(await found({ sort: '-customerName' })).toEqual([draft.id, paid.id, due.id]);
    expect(await found({ sort: '-totalCents' })).toEqual([due.id, paid.id, draft.id]);
    expect(await found({ sort: 'totalCents' })).toEqual([paid.id, due.id, draft.id]);
  });
});

describe('GET /v1/admin/bookings/{bookingId}', () => {
  it.each(['book_01k0dem000e000000000009999', 'bkit_01k0dem000e000000000000001', 'x', '%00'])(
    'reading the booking %s is 404',
    async (id) => {
      const { status, body } = await owner.get(`${BOOKINGS}/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found'));
    },
  );
});
