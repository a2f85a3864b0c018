import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addItem,
  confirmedBooking,
  invalid,
  makeBooking,
  type Page,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { addTraveler, assign } from '../bookings/travelers.js';
import { newAllotment } from '../distribution/allotments/allotments.js';
import { newChannel } from '../distribution/channels.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

interface Row extends Record<string, unknown> {
  id: string;
  attention: { code: string }[];
}

const BOARD = '/v1/admin/desk/departures';
const DAYS = 'from=2126-06-01&to=2126-07-31';
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function board(query: string, client = owner): Promise<Row[]> {
  const { status, body } = await client.get<Page<Row>>(`${BOARD}?${query}`);
  expect(status).toBe(200);
  expect(body.total).toBe(body.data.length);
  return body.data;
}

describe('the board of departures', () => {
  it('a departure shows the name of its product, its local times, its units, people and the units of each channel', async () => {
    const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
    const departure = await newDeparture(app, {
      ...{ productId, startsAt: '2126-06-10T05:00:00Z', endsAt: '2126-06-10T14:30:00Z', timeZone: 'Europe/Bucharest' },
      ...{ capacity: 20, minParticipants: 6, decideBy: '2126-06-05T12:00:00Z' },
    });
    const channel = await newChannel(app, { name: 'Alpine Tours' });
    const range = { validFrom: '2126-06-01', validTo: '2126-06-30' };
    await newAllotment(app, { channelId: channel.id, productId, type: 'guaranteed', defaultQuantity: 5, ...range });
    const web = await newChannel(app, { name: 'Web shop' });
    await newAllotment(app, { channelId: web.id, productId, type: 'cap', defaultQuantity: 30, ...range });
    await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 3 } });
    const draft = await makeBooking(owner);
    await addItem(owner, draft.id, { departureId: departure.id, quantity: 2 });

    expect(await board(`${DAYS}&productId=${productId}`)).toEqual([
      {
        ...{ id: departure.id, productId, productName: 'Delta by boat', timeZone: 'Europe/Bucharest' },
        ...{ startsAt: '2126-06-10T05:00:00.000Z', endsAt: '2126-06-10T14:30:00.000Z' },
        ...{ localStart: '2126-06-10 08:00', localEnd: '2126-06-10 17:30' },
        ...{ salesState: 'open', runState: 'tentative', capacity: 20, sold: 5, held: 0, free: 10, people: 5 },
        ...{ confirmedPeople: 3, minParticipants: 6 },
        channels: [
          { channelId: channel.id, name: 'Alpine Tours', allotted: 5, sold: 0, remaining: 5 },
          // A cap sells from the pool, which has fewer units.
          { channelId: web.id, name: 'Web shop', allotted: 30, sold: 0, remaining: 10 },
        ],
        attention: [{ code: 'travelers_incomplete' }],
      },
    ]);
    expect((await board(`${DAYS}&channelId=${channel.id}`)).map(({ id }) => id)).toEqual([departure.id]);
    expect((await board(`${DAYS}&search=boat%20DELTA&productId=${productId}`)).map(({ id }) => id)).toEqual([
      departure.id,
    ]);
    expect((await board(`${DAYS}&salesState=open,departed&productId=${productId}`)).map(({ id }) => id)).toEqual([
      departure.id,
    ]);
    expect(await board(`${DAYS}&salesState=sold_out,departed&productId=${productId}`)).toEqual([]);
  });

  it('named travelers and paid installments need no attention, and an overdue one is shown only with finance:receivables', async () => {
    const departure = await newDeparture(app, { startsAt: '2126-07-03T06:00:00Z', endsAt: '2126-07-03T15:00:00Z' });
    const sale = await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 1 } });
    const query = `${DAYS}&productId=${String(departure['productId'])}`;
    const codes = async (client = owner) => (await board(query, client))[0]?.attention.map(({ code }) => code);
    expect(await codes()).toEqual(['travelers_incomplete']);
    const { id } = await addTraveler(owner, sale.booking.id, { lastName: 'Ionescu' });
    await assign(owner, sale.item, [id]);
    expect(await codes()).toEqual([]);

    const plan = `/v1/admin/finance/bookings/${sale.booking.id}/payment-schedules`;
    const { body } = await owner.get<{ data: { id: string; dueDate: string }[] }>(plan);
    const [first] = body.data;
    const moved = await owner.patch(`${plan}/${String(first?.id)}`, { dueDate: '2020-01-01' });
    expect([moved.status, moved.text]).toEqual([200, moved.text]);
    expect(await codes()).toEqual(['payment_overdue']);
    const guide = await staffWith(app, 'operations:read');
    expect(await codes(guide)).toEqual([]);
    expect((await board(query, guide))[0]).toMatchObject({ channels: null });
    const { status, body: refusal } = await guide.get(`${BOARD}?channelId=chan_01k0dem000e000000000000001`);
    expect([status, refusal]).toEqual([403, problem('forbidden', { requiredScope: 'distribution:read' })]);
  });

  it('a traveler without data that the product requires needs attention', async () => {
    const { id: productId } = await newProduct(app, { requiredTravelerFields: ['birthDate'] });
    const departure = await newDeparture(app, {
      productId,
      startsAt: '2126-07-08T06:00:00Z',
      endsAt: '2126-07-08T15:00:00Z',
    });
    const sale = await confirmedBooking(owner, { item: { departureId: departure.id } });
    const { id } = await addTraveler(owner, sale.booking.id, { lastName: 'Ionescu' });
    await assign(owner, sale.item, [id]);
    expect((await board(`${DAYS}&productId=${productId}`))[0]?.attention).toEqual([{ code: 'travelers_incomplete' }]);
  });

  it('a departure of a product without a record is found by the name in the catalog, and pages are sorted by start', async () => {
    const [first, second] = ['2126-07-20T06:00:00Z', '2126-07-21T06:00:00Z'];
    const early = await newDeparture(app, { startsAt: first, endsAt: '2126-07-20T15:00:00Z' });
    const productId = String(early['productId']);
    const late = await newDeparture(app, { productId, startsAt: second, endsAt: '2126-07-21T15:00:00Z' });
    const document = `/v1/admin/catalog/documents/products/${productId}`;
    expect((await owner.put(document, { fields: { name: 'Ghost village' } })).status).toBeLessThan(300);

    const found = await board(`${DAYS}&search=GHOST%20village`);
    expect(found.map(({ id }) => id)).toEqual([early.id, late.id]);
    expect(found[0]).toMatchObject({ productName: 'Ghost village' });
    const { body } = await owner.get<Page<Row>>(
      `${BOARD}?${DAYS}&productId=${productId}&sort=-startsAt&limit=1&offset=1`,
    );
    expect([body.total, body.data.map(({ id }) => id)]).toEqual([2, [early.id]]);
  });

  it('the board begins today, covers a week and at most 62 days', async () => {
    const rejected = async (query: string) => (await owner.get(`${BOARD}?${query}`)).body;
    const start = new Date(app.now().getTime() + 3_600_000);
    const soon = await newDeparture(app, {
      startsAt: start.toISOString(),
      endsAt: new Date(start.getTime() + 3_600_000).toISOString(),
    });
    const later = new Date(start.getTime() + 8 * 86_400_000);
    await newDeparture(app, {
      ...{ productId: soon['productId'], startsAt: later.toISOString() },
      endsAt: new Date(later.getTime() + 3_600_000).toISOString(),
    });
    expect((await board(`productId=${String(soon['productId'])}`)).map(({ id }) => id)).toEqual([soon.id]);

    expect(await rejected('from=2126-06-01&to=2126-08-02')).toMatchObject(invalid('to', 'day_out_of_range'));
    expect(await rejected('from=2126-06-02&to=2126-06-01')).toMatchObject(invalid('to', 'end_before_start'));
    expect((await (await staffWith(app, 'bookings:read')).get(BOARD)).status).toBe(403);
  });
});
