import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, type Booking, confirmedBooking, makeBooking, type Page } from '../bookings/bookings.js';
import { newAllotment } from '../distribution/allotments/allotments.js';
import { newChannel } from '../distribution/channels.js';
import { newConnection } from '../octo/connections.js';
import { newDeparture } from '../operations/departures.js';
import { newPart, newProduct } from '../products/products.js';
import { read } from '../realtime/channel.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { eventually } from '../launcher/wait.js';
import { actingAs, errorBody, newClient, newOperator, provision, withKey } from './partners.js';

const BOOKINGS = '/connect/v1/bookings';
const DEPARTURES = '/connect/v1/departures';
const COMMISSIONS = '/connect/v1/commissions';
const STATEMENTS = '/connect/v1/commission-statements';
const SCOPES = ['connect:bookings:read', 'connect:departures:read', 'connect:commissions:read'];

interface Row extends Record<string, unknown> {
  id: string;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** A client of a new operator whose connection sells by a new channel. */
async function partner(terms: object = {}) {
  const connection = await newConnection(app, terms);
  const { channelId, operatorId } = connection;
  const client = await actingAs(app, await newClient(app, operatorId ?? '', { scopes: SCOPES }));
  return { client, channelId, operatorId: operatorId ?? '', connection };
}

const idsOf = async (client: TestClient, path: string): Promise<string[]> => {
  const { status, body } = await client.get<Page<Row>>(path);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
};

describe('the bookings of a partner', () => {
  it('a partner sees the bookings that its channels sold, without offers, with the services of each', async () => {
    const { client, channelId } = await partner();
    const other = await partner();
    const { booking, item } = await confirmedBooking(owner, { booking: { channelId, customerName: 'Ada Lovelace' } });
    const offer = await makeBooking(owner, { channelId });
    expect((await owner.post(`/v1/admin/bookings/${offer.id}/cancellation`, { reason: 'Declined' })).status).toBe(200);
    await makeBooking(owner, { channelId });
    const foreign = (await confirmedBooking(owner, { booking: { channelId: other.channelId } })).booking;

    expect(await idsOf(client, BOOKINGS)).toEqual([booking.id]);
    expect(await idsOf(client, `${BOOKINGS}?number=${booking.number}&status=confirmed`)).toEqual([booking.id]);
    expect(await idsOf(client, `${BOOKINGS}?status=cancelled`)).toEqual([]);
    const { status, body, headers } = await client.get<Booking>(`${BOOKINGS}/${booking.id}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ etag: expect.any(String) });
    expect(body).toEqual({
      ...{ id: booking.id, number: booking.number, status: 'confirmed', channelId, customerName: 'Ada Lovelace' },
      ...{ departureDate: null, returnDate: null, currency: 'EUR', totalCents: 10_000 },
      ...{ confirmedAt: expect.any(String), cancelledAt: null, version: expect.any(Number) },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      items: [
        {
          ...{ id: item.id, type: 'unit', title: 'Seat', status: 'confirmed', quantity: 1, totalCents: 10_000 },
          ...{ serviceDate: item['serviceDate'], departureId: item['departureId'] },
        },
      ],
    });
    const unseen = await client.get(`${BOOKINGS}/${foreign.id}`);
    expect([unseen.status, unseen.body]).toEqual([404, errorBody('not_found')]);
    expect((await owner.post(`/v1/admin/bookings/${booking.id}/cancellation`, { reason: 'Illness' })).status).toBe(200);
    const cancelled = await client.get<Booking & { items: Row[] }>(`${BOOKINGS}/${booking.id}`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', items: [{ id: item.id, status: 'cancelled' }] });
  });

  it('bookings sorted by updatedAt come in the order of their changes, so that a partner can follow them', async () => {
    const { client, channelId } = await partner();
    const sold = [1, 2, 3].map(() => confirmedBooking(owner, { booking: { channelId } }));
    const [first, second, third] = (await Promise.all(sold)).map(({ booking }) => booking);
    const { body } = await client.get<Page<Row>>(`${BOOKINGS}?sort=updatedAt`);
    const seen = String(body.data.at(-1)?.['updatedAt']);
    const path = `/v1/admin/bookings/${first?.id}`;
    expect((await owner.patch(path, { notes: 'Changed' })).status).toBe(200);
    const changed = await idsOf(client, `${BOOKINGS}?sort=updatedAt&updatedAfter=${encodeURIComponent(seen)}`);
    expect(changed.at(-1)).toBe(first?.id);
    expect(new Set(await idsOf(client, BOOKINGS))).toEqual(new Set([first?.id, second?.id, third?.id]));
  });

  it('a partner sees nothing without a connection, and after the connection has ended', async () => {
    const stranger = await actingAs(app, await newClient(app, await newOperator(app), { scopes: SCOPES }));
    const { client, channelId, connection } = await partner();
    const { booking } = await confirmedBooking(owner, { booking: { channelId } });
    for (const path of [BOOKINGS, DEPARTURES, COMMISSIONS, STATEMENTS]) {
      const answer = await stranger.get<object>(path);
      expect([path, answer.status, answer.body]).toEqual([path, 200, { data: [], total: 0, limit: 50, offset: 0 }]);
    }
    expect((await stranger.get(`${BOOKINGS}/${booking.id}`)).status).toBe(404);
    expect((await client.get(`${BOOKINGS}/${booking.id}`)).status).toBe(200);
    expect((await owner.patch(`/v1/admin/octo/connections/${connection.id}`, { active: false })).status).toBe(200);
    expect((await client.get(`${BOOKINGS}/${booking.id}`)).status).toBe(404);
  });

  it('the sale and each change of a booking reach the channel of each operator whose connection names its channel', async () => {
    const { channelId, operatorId } = await partner();
    const [colleague, stranger] = [await newOperator(app), (await partner()).operatorId];
    const { id: oauthClientId } = await newClient(app, colleague);
    const { status } = await owner.post('/v1/admin/octo/connections', { name: 'Colleague', channelId, oauthClientId });
    expect(status).toBe(201);
    const draft = await makeBooking(owner, { channelId });
    expect((await owner.post(`/v1/admin/bookings/${draft.id}/cancellation`, { reason: 'Offer' })).status).toBe(200);
    const { booking } = await confirmedBooking(owner, { booking: { channelId } });
    const statuses = async (id: string) => {
      const reader = await withKey(app, ['realtime:subscribe'], id);
      const { messages } = await read(reader, `${id}.bookings`, 'limit=100');
      const published = messages.map(({ event, data }) => ({ event, data: data as Row }));
      expect(published.filter(({ data }) => data['bookingId'] === draft.id)).toEqual([]);
      return published.map(({ event, data }) => [event, data['bookingId'], data['operatorId'], data['status']]);
    };
    const arrived = (id: string, state: string) =>
      eventually(async () => {
        const found = await statuses(id);
        return found.some((one) => one[3] === state) ? found : null;
      });
    expect((await arrived(operatorId, 'confirmed')).at(0)).toEqual([
      ...['partner_booking.changed', booking.id, operatorId, 'confirmed'],
    ]);
    expect((await owner.post(`/v1/admin/bookings/${booking.id}/cancellation`, { reason: 'Illness' })).status).toBe(200);
    expect((await arrived(operatorId, 'cancelled')).at(-1)).toEqual(expect.arrayContaining([booking.id]));
    expect((await arrived(colleague, 'cancelled')).at(-1)).toEqual(expect.arrayContaining([colleague]));
    expect(await statuses(stranger)).toEqual([]);
  });

  it('only the service publishes on the channel of bookings of an operator, and only the operator reads it', async () => {
    const { operatorId } = await partner();
    const channel = `${operatorId}.bookings`;
    const own = await withKey(app, ['connect:events:read', 'realtime:subscribe', 'realtime:publish'], operatorId);
    const other = await withKey(app, ['connect:events:read', 'realtime:subscribe'], await newOperator(app));
    const subscribe = (client: TestClient, path = '/connect/v1/realtime/subscriptions', name = channel) =>
      client.post(path, { channels: [name] });
    expect((await subscribe(own)).status).toBe(201);
    expect((await subscribe(other)).status).toBe(403);
    expect((await other.get(`/realtime/v1/channels/${channel}/messages`)).status).toBe(403);
    for (const name of [channel, `${operatorId}.Bookings`]) {
      expect((await own.post(`/realtime/v1/channels/${name}/messages`, { event: 'forged' })).status).toBe(403);
    }
    await provision(app, { operators: [{ id: 'finance', name: 'Partner' }] });
    for (const name of [channel, 'finance.bookings']) {
      expect((await subscribe(owner, '/v1/admin/realtime/subscriptions', name)).status).toBe(403);
    }
  });

  it('each area needs its scope', async () => {
    const { operatorId } = await partner();
    const client = await withKey(app, ['connect:departures:read'], operatorId);
    expect((await client.get(DEPARTURES)).status).toBe(200);
    for (const path of [BOOKINGS, COMMISSIONS, STATEMENTS]) {
      const { status, body } = await client.get(path);
      expect([status, body]).toEqual([403, errorBody('forbidden', expect.anything() as object)]);
    }
  });
});

describe('the departures of a partner', () => {
  it('a departure shows the seats that the channel can sell, if the connection sells its product', async () => {
    const channel = await newChannel(app);
    const { id: productId } = await newProduct(app);
    const { id: otherId } = await newProduct(app);
    for (const id of [productId, otherId]) await newPart(app, id, 'units', { type: 'adult', name: 'Adult' });
    for (const id of [productId, otherId]) {
      expect((await owner.post(`/v1/admin/products/${id}/activation`)).status).toBe(200);
    }
    const allotment = await newAllotment(app, { channelId: channel.id, productId, defaultQuantity: 4 });
    const day = (days: number) => new Date(app.now().getTime() + days * 86_400_000).toISOString();
    const departure = await newDeparture(app, { productId, capacity: 10, startsAt: day(20), endsAt: day(20.2) });
    const unlisted = await newDeparture(app, { productId: otherId, startsAt: day(21), endsAt: day(21.2) });
    const unsold = await newDeparture(app, { startsAt: day(21), endsAt: day(21.2) });
    const pooled = await partner({ channelId: channel.id, catalogue: 'listed', productIds: [productId] });
    const only = await partner({ channelId: channel.id, poolPolicy: 'allotment_only' });

    const { body } = await pooled.client.get<Page<Row>>(DEPARTURES);
    expect(body.data).toEqual([
      {
        ...{ id: departure.id, productId, startsAt: departure.startsAt, endsAt: departure.endsAt, salesState: 'open' },
        ...{
          timeZone: departure.timeZone,
          startDate: departure.startDate,
          bookableUntil: expect.any(String),
          available: 10,
        },
      },
    ]);
    const one = await only.client.get<Row>(`${DEPARTURES}/${departure.id}`);
    expect(one.body).toMatchObject({ id: departure.id, available: 4 });
    expect((await only.client.get<Row>(`${DEPARTURES}/${unlisted.id}`)).body).toMatchObject({ available: 0 });
    const hidden = await pooled.client.get(`${DEPARTURES}/${unlisted.id}`);
    expect([hidden.status, hidden.body]).toEqual([404, errorBody('not_found')]);
    // A product without a record is sold by staff only.
    expect((await only.client.get(`${DEPARTURES}/${unsold.id}`)).status).toBe(404);

    const { id: bookingId } = await makeBooking(owner, { channelId: channel.id });
    await addItem(owner, bookingId, {
      ...{ departureId: departure.id, allotmentId: allotment.id, quantity: 3 },
      ...{ override: ['price'], overrideReason: 'Agreed with the partner' },
    });
    expect((await only.client.get<Row>(`${DEPARTURES}/${departure.id}`)).body).toMatchObject({ available: 1 });
    expect((await pooled.client.get<Row>(`${DEPARTURES}/${departure.id}`)).body).toMatchObject({ available: 7 });
  });
});

describe('the commissions of a partner', () => {
  it('the commissions that the channels earn add up in a statement for each month and currency', async () => {
    const { client, channelId } = await partner();
    const { booking, item } = await confirmedBooking(owner, { booking: { channelId } });
    const path = `/v1/admin/finance/booking-items/${item.id}/commissions`;
    const terms = { recipientType: 'channel', recipientName: 'Reseller', commissionModel: 'fixed' };
    for (const [amountCents, of] of [
      [700, channelId],
      [500, channelId],
      [300, (await newChannel(app)).id],
    ] as const) {
      expect((await owner.post(path, { ...terms, amountCents, channelId: of })).status).toBe(201);
    }
    const [line] = (await client.get<Page<Row>>(`${COMMISSIONS}?sort=createdAt`)).body.data;
    expect(line).toMatchObject({ channelId, bookingId: booking.id, bookingItemId: item.id, amountCents: 700 });
    expect(line).not.toHaveProperty('notes');
    expect(await idsOf(client, `${COMMISSIONS}?bookingId=${booking.id}`)).toHaveLength(2);
    const voided = `${path}/${line?.id}/voiding`;
    const answer = await owner.post(voided, { reason: 'Not agreed' });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);

    const { body } = await client.get<Page<object>>(STATEMENTS);
    expect(body).toEqual({
      data: [
        {
          ...{ month: `${app.day().slice(0, 7)}-01`, channelId, currency: 'EUR', commissions: 1 },
          ...{ accruedCents: 500, payableCents: 0, paidCents: 0, totalCents: 500 },
        },
      ],
      ...{ total: 1, limit: 50, offset: 0 },
    });
    const [early, late] = [app.day(-400), app.day(-60)];
    expect((await client.get<Page<object>>(`${STATEMENTS}?from=${early}&to=${late}`)).body.total).toBe(0);
  });
});
