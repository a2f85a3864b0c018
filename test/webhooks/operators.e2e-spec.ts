import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { confirmedBooking } from '../bookings/bookings.js';
import { actingAs, entriesOf, errorBody, newClient, newOperator, provision, withKey } from '../connect/partners.js';
import { eventually } from '../launcher/wait.js';
import { newConnection } from '../octo/connections.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { ENDPOINTS as STAFF_ENDPOINTS } from './endpoints.js';
import { type Received, Receiver } from './receiver.js';

const ENDPOINTS = '/connect/v1/webhooks/endpoints';
const DELIVERIES = '/connect/v1/webhooks/deliveries';
/** Other events of the booking come before this one. */
const PUBLISHED = `select from realtime_messages where event = 'partner_booking.changed' and data ->> 'bookingId' = $1`;
const SCOPES = ['connect:webhooks:manage', 'connect:webhooks:read', 'connect:events:read'];

interface Endpoint {
  id: string;
  url: string;
  ownerKind: string;
  ownerId: string;
  status: string;
  disabledReason: string | null;
  disabledAt: string | null;
  secret?: string;
  secrets: object[];
  version: number;
}

interface Delivery {
  id: string;
  status: string;
  subject: string;
  error: string | null;
}

interface Page<Row> {
  data: Row[];
  total: number;
}

interface Partner {
  client: TestClient;
  operatorId: string;
  channelId: string;
}

let app: TestApp;
let owner: TestClient;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'warn' } });
  owner = app.as('owner');
  receiver = await Receiver.start();
});

/** A client of a new operator whose connection sells by a new channel. */
async function partner(scopes = SCOPES): Promise<Partner> {
  const { channelId, operatorId } = await newConnection(app);
  const id = operatorId ?? '';
  return { client: await actingAs(app, await newClient(app, id, { scopes })), operatorId: id, channelId };
}

async function endpointAt(client: TestClient, path: string, terms: object = {}): Promise<Endpoint> {
  const body = { url: `${receiver.origin}${path}`, eventTypes: ['partner_booking.*'], ...terms };
  const { status, body: endpoint } = await client.post<Endpoint>(ENDPOINTS, body);
  expect(status).toBe(201);
  return endpoint;
}

const newPath = () => `/${randomUUID()}`;
const sell = async ({ channelId }: Partner) => (await confirmedBooking(owner, { booking: { channelId } })).booking.id;

const isAbout =
  (bookingId: string) =>
  ({ data }: Received): boolean =>
    data['bookingId'] === bookingId;

const arrived = (path: string, is: (received: Received) => boolean): Promise<Received> =>
  eventually(
    () => receiver.at(path).find(is) ?? null,
    () => JSON.stringify(receiver.at(path)),
    20,
  );

const deliveryAs = (client: TestClient, { id }: Endpoint, is: (delivery: Delivery) => boolean): Promise<Delivery> =>
  eventually(
    async () => (await client.get<Page<Delivery>>(`${ENDPOINTS}/${id}/deliveries`)).body.data.find(is) ?? null,
    () => 'no such delivery',
    20,
  );

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

describe('the webhooks of an operator', () => {
  it('a booking of the operator arrives with a signature, also at an endpoint for all events, and one of another operator does not', async () => {
    const [one, other] = [await partner(), await partner()];
    const [path, all] = [newPath(), newPath()];
    const { secret = '', ...endpoint } = await endpointAt(one.client, path);
    await endpointAt(one.client, all, { eventTypes: ['*'] });
    expect(endpoint).toMatchObject({ ownerKind: 'operator', ownerId: one.operatorId, status: 'active' });
    const foreign = await sell(other);
    const bookingId = await sell(one);
    const received = await arrived(path, ({ data }) => data['status'] === 'confirmed');
    expect(new Webhook(secret).verify(received.body, headersOf(received))).toMatchObject({
      type: 'partner_booking.changed',
      data: { id: received.id, bookingId, operatorId: one.operatorId },
    });
    await arrived(all, ({ data }) => data['bookingId'] === bookingId);
    const seen = [...receiver.at(path), ...receiver.at(all)];
    expect(seen.filter(({ type, data }) => type !== received.type || data['bookingId'] === foreign)).toEqual([]);
  });

  it('an operator that is not active gets nothing more until it is active, and no replay brings what it missed', async () => {
    const one = await partner();
    const path = newPath();
    const endpoint = await endpointAt(one.client, path);
    await arrived(path, isAbout(await sell(one)));
    const setStatus = (status: string) =>
      provision(app, { operators: [{ id: one.operatorId, name: 'Partner', status }] });
    const seen = receiver.at(path).length;
    await setStatus('inactive');
    const missed = await sell(one);
    await eventually(
      async () => (await app.sql(PUBLISHED, [missed])).length > 0 || null,
      () => 'the event was not published',
      20,
    );
    expect((await one.client.get(ENDPOINTS)).status).toBe(401);
    await setStatus('active');
    expect(receiver.at(path)).toHaveLength(seen);
    await arrived(path, isAbout(await sell(one)));
    expect(receiver.at(path).filter(({ data }) => data['bookingId'] === missed)).toEqual([]);
    const from = new Date(app.now().getTime() - 3_600_000).toISOString();
    const replayed = await one.client.post(`${ENDPOINTS}/${endpoint.id}/replays`, { from });
    expect(replayed).toMatchObject({ status: 200, body: { deliveries: 0 } });
  });

  it('every credential of the operator with the scope changes an endpoint, which is not found by other operators', async () => {
    const [one, other] = [await partner(), await partner()];
    const colleague = await withKey(app, SCOPES, one.operatorId);
    const endpoint = await endpointAt(one.client, newPath());
    const path = `${ENDPOINTS}/${endpoint.id}`;
    const delivery = (await colleague.post<Delivery>(`${path}/test-events`)).body;
    await deliveryAs(colleague, endpoint, ({ status }) => status === 'succeeded');
    const detail = `${DELIVERIES}/${delivery.id}`;
    expect(await colleague.get(detail)).toMatchObject({ status: 200, body: { attemptLog: [{ responseStatus: 204 }] } });
    expect(await colleague.get<Page<Endpoint>>(ENDPOINTS)).toMatchObject({
      status: 200,
      body: { data: [{ id: endpoint.id }], total: 1, limit: 50, offset: 0 },
    });
    const calls: [keyof TestClient & ('get' | 'post' | 'patch' | 'delete'), string, object?][] = [
      ['get', path],
      ['patch', path, { description: 'Ours' }],
      ['post', `${path}/secret-rotations`, {}],
      ['post', `${path}/test-events`],
      ['post', `${path}/replays`, { from: '2026-01-01T00:00:00Z' }],
      ['post', `${path}/activation`],
      ['get', `${path}/deliveries`],
      ['get', detail],
      ['post', `${detail}/replays`],
      ['delete', path],
    ];
    const request = (client: TestClient, [method, where, body]: (typeof calls)[number]) =>
      method === 'post' || method === 'patch' ? client[method](where, body) : client[method](where);
    for (const call of calls) {
      const answer = await request(other.client, call);
      expect([...call, answer.status, answer.body]).toEqual([...call, 404, errorBody('not_found')]);
    }
    expect((await other.client.get<Page<Endpoint>>(ENDPOINTS)).body).toMatchObject({ data: [], total: 0 });
    const [statuses, expected] = [[] as number[], [200, 200, 200, 200, 200, 409, 200, 200, 200, 200]];
    for (const call of calls) statuses.push((await request(colleague, call)).status);
    expect(statuses).toEqual(expected);
  });

  it('a platform key without an operator, and a credential that may not read events, are rejected with 403', async () => {
    const body = { url: `${receiver.origin}/`, eventTypes: ['partner_booking.changed'] };
    const unbound = await withKey(app, ['connect:*']);
    for (const answer of [await unbound.get(ENDPOINTS), await unbound.post(ENDPOINTS, body)]) {
      expect([answer.status, answer.body]).toEqual([403, errorBody('forbidden')]);
    }
    const operatorId = await newOperator(app);
    const blind = await withKey(app, ['connect:webhooks:manage'], operatorId);
    expect(await blind.post(ENDPOINTS, body)).toMatchObject({
      status: 403,
      body: { details: { eventTypes: ['partner_booking.changed'] } },
    });
    expect((await blind.get(ENDPOINTS)).status).toBe(403);
    const able = await withKey(app, SCOPES, operatorId);
    for (const eventTypes of [['invoice.issued'], ['webhook.test']]) {
      expect(await able.post(ENDPOINTS, { ...body, eventTypes })).toMatchObject({
        status: 422,
        body: { code: 'unknown_event_type', details: { field: 'eventTypes.0' } },
      });
    }
  });

  it('an endpoint that answers 410 is disabled without a mail, and its operator reads why', async () => {
    const one = await partner();
    const path = newPath();
    const endpoint = await endpointAt(one.client, path);
    const mails = async () => (await app.sql('select from notification_messages')).length;
    const before = await mails();
    receiver.answer = (received, response) => void response.writeHead(received.path === path ? 410 : 204).end();
    expect((await one.client.post(`${ENDPOINTS}/${endpoint.id}/test-events`)).status).toBe(200);
    await deliveryAs(one.client, endpoint, ({ status }) => status === 'failed');
    receiver.answer = (_, response) => void response.writeHead(204).end();
    expect((await one.client.get(`${ENDPOINTS}/${endpoint.id}`)).body).toMatchObject({
      ...{ status: 'disabled', disabledReason: 'gone', disabledAt: expect.any(String) },
    });
    expect(await mails()).toBe(before);
    expect((await entriesOf(app, endpoint.id)).map(({ action }) => action)).toContain('webhooks.endpoint.disable');
    expect(await one.client.post(`${ENDPOINTS}/${endpoint.id}/activation`)).toMatchObject({
      ...{ status: 200, body: { status: 'active' } },
    });
  });

  it('staff read the endpoints of operators in a list of their own, and only the operator changes them', async () => {
    const one = await partner();
    const { id } = await endpointAt(one.client, newPath());
    const idsOf = async (query: string) =>
      (await owner.get<Page<Endpoint>>(`${STAFF_ENDPOINTS}?limit=200${query}`)).body.data.map((found) => found.id);
    expect(await idsOf('')).not.toContain(id);
    expect(await idsOf('&ownerKind=operator')).toContain(id);
    expect((await owner.get(`${STAFF_ENDPOINTS}/${id}/deliveries`)).status).toBe(200);
    for (const answer of [
      await owner.patch(`${STAFF_ENDPOINTS}/${id}`, { description: 'Ours' }),
      await owner.post(`${STAFF_ENDPOINTS}/${id}/secret-rotations`, {}),
      await owner.post(`${STAFF_ENDPOINTS}/${id}/test-events`),
      await owner.delete(`${STAFF_ENDPOINTS}/${id}`),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
  });
});
