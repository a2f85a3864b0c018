import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WebhookDeliveriesService } from '../../src/modules/webhooks/deliveries/webhook-deliveries.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newId } from '../../src/platform/ids/id.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { type ErrorBody } from '../distribution/channels.js';
import { hire, USERS } from '../identity/staff.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DELIVERIES, ENDPOINTS } from './endpoints.js';
import { type Received, Receiver } from './receiver.js';

const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const DAY_MS = 86_400_000;

interface Endpoint {
  id: string;
  url: string;
  status: string;
  disabledReason: string | null;
  secret?: string;
  secrets: { id: string; signatureType: string; publicKey: string | null; endsAt: string | null }[];
  version: number;
}

interface Delivery {
  id: string;
  eventId: string;
  eventType: string;
  subject: string;
  status: string;
  attempts: number;
  error: string | null;
  responseStatus: number | null;
  attemptLog?: { number: number; responseStatus: number | null; error: string | null }[];
}

let app: TestApp;
let owner: TestClient;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'warn' } });
  owner = app.as('owner');
  receiver = await Receiver.start();
});

const newPath = () => `/${randomUUID()}`;

/** An endpoint at a path of its own. */
async function endpointAt(path: string, terms: object = {}, client: TestClient = owner): Promise<Endpoint> {
  const body = { url: `${receiver.origin}${path}`, eventTypes: ['customer.*'], ...terms };
  const answer = await client.post<{ data: Endpoint }>(ENDPOINTS, body);
  expect(answer.status).toBe(201);
  return answer.body.data;
}

/** An endpoint that has received an event: only one that has not pauses after its first failure. */
async function trustedEndpointAt(path: string): Promise<Endpoint> {
  const endpoint = await endpointAt(path);
  const { id } = await newCustomer(app);
  await deliveryAs(endpoint, ({ status, subject }) => status === 'succeeded' && subject === id);
  return endpoint;
}

/** Waits until something is received at the path that satisfies the condition. */
const arrived = (path: string, is: (received: Received) => boolean = () => true): Promise<Received> =>
  eventually(
    () => receiver.at(path).find(is) ?? null,
    () => JSON.stringify(receiver.at(path)),
    20,
  );

const deliveriesOf = async (endpoint: Endpoint, query = ''): Promise<Delivery[]> =>
  (await owner.get<{ data: Delivery[] }>(`${ENDPOINTS}/${endpoint.id}/deliveries${query}`)).body.data;

const deliveryAs = (endpoint: Endpoint, is: (delivery: Delivery) => boolean): Promise<Delivery> =>
  eventually(
    async () => (await deliveriesOf(endpoint)).find(is) ?? null,
    () => 'no such delivery',
    20,
  );

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const renamed = (id: string) => owner.patch(`${CUSTOMERS}/${id}`, { lastName: `Customer ${randomUUID()}` });

describe('a webhook', () => {
  it('is signed as the specification says, with the event in its body', async () => {
    const path = newPath();
    const { secret = '' } = await endpointAt(path);
    const { id } = await newCustomer(app);
    const received = await arrived(path, ({ data }) => data['customerId'] === id);
    expect(new Webhook(secret).verify(received.body, headersOf(received))).toMatchObject({
      type: 'customer.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { id: received.id, customerId: id, version: 1 },
    });
    expect(received.headers['content-type']).toBe('application/json');
    const forged = received.body.replace(id, 'cus_01k0dem000e000000000000001');
    expect(() => new Webhook(secret).verify(forged, headersOf(received))).toThrow();
  });

  it('is signed with both secrets during a rotation, and only with the new one after its end', async () => {
    const path = newPath();
    const created = await endpointAt(path);
    const rotated = await owner.post<{ data: Endpoint }>(`${ENDPOINTS}/${created.id}/secret-rotations`, {
      overlapHours: 1,
    });
    expect(rotated.body.data.secrets.map(({ endsAt }) => endsAt === null)).toEqual([true, false]);
    const [former, next] = [new Webhook(created.secret ?? ''), new Webhook(rotated.body.data.secret ?? '')];
    const third = await owner.post<ErrorBody>(`${ENDPOINTS}/${created.id}/secret-rotations`, {});
    expect(third).toMatchObject({ status: 409, body: { code: 'secret_limit_reached' } });

    const first = await newCustomer(app);
    const received = await arrived(path, ({ data }) => data['customerId'] === first.id);
    for (const webhook of [former, next]) webhook.verify(received.body, headersOf(received));
    app.travel({ hours: 2 });
    const second = await newCustomer(app);
    const later = await arrived(path, ({ data }) => data['customerId'] === second.id);
    app.travel({ hours: -2 });
    expect(String(later.headers['webhook-signature']).split(' ')).toHaveLength(1);
    const sent = Number(later.headers['webhook-timestamp']);
    expect(String(later.headers['webhook-signature'])).toBe(next.sign(later.id, new Date(sent * 1000), later.body));
  });

  it('is signed only with the new secret at once after a rotation without an overlap, even while two are live', async () => {
    const path = newPath();
    const created = await endpointAt(path);
    const rotate = (overlapHours: number) =>
      owner.post<{ data: Endpoint }>(`${ENDPOINTS}/${created.id}/secret-rotations`, { overlapHours });
    expect(await rotate(24)).toMatchObject({ status: 200 });
    const last = await rotate(0);
    expect(last).toMatchObject({ status: 200, body: { data: { secrets: [{ endsAt: null }] } } });
    expect(last.body.data.secrets).toHaveLength(1);
    const { id } = await newCustomer(app);
    const received = await arrived(path, ({ data }) => data['customerId'] === id);
    expect(String(received.headers['webhook-signature']).split(' ')).toHaveLength(1);
    new Webhook(last.body.data.secret ?? '').verify(received.body, headersOf(received));
  });

  it('is not sent, and its attempt fails, if a secret cannot be opened', async () => {
    const path = newPath();
    const endpoint = await endpointAt(path);
    await app.sql(`update webhook_secrets set sealed = decode(repeat('00', 80), 'hex') where endpoint_id = $1`, [
      endpoint.id,
    ]);
    await newCustomer(app);
    await deliveryAs(endpoint, ({ status, error }) => status === 'pending' && error === 'secret_unavailable');
    expect(receiver.at(path)).toEqual([]);
  });

  it('that waits is sent to a changed URL at once, and an answer 410 of the former URL does not disable the endpoint', async () => {
    const [former, next] = [newPath(), newPath()];
    const endpoint = await trustedEndpointAt(former);
    let answerLate: () => void = () => undefined;
    let failingId: unknown = null;
    receiver.answer = ({ path, data }, response) => {
      if (path !== former) return void response.writeHead(204).end();
      if (data['customerId'] === (failingId ??= data['customerId'])) response.writeHead(500).end();
      else answerLate = () => void response.writeHead(410).end();
    };
    const waiting = await newCustomer(app);
    await deliveryAs(endpoint, ({ error, subject }) => error !== null && subject === waiting.id);
    const late = await newCustomer(app);
    await arrived(former, ({ data }) => data['customerId'] === late.id);
    const changed = await owner.patch(`${ENDPOINTS}/${endpoint.id}`, { url: `${receiver.origin}${next}` });
    expect(changed.status).toBe(200);
    answerLate();
    await deliveryAs(endpoint, ({ responseStatus, subject }) => responseStatus === 410 && subject === late.id);
    await arrived(next, ({ data }) => data['customerId'] === waiting.id);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    expect(await owner.get(`${ENDPOINTS}/${endpoint.id}`)).toMatchObject({ body: { data: { status: 'active' } } });
  });

  it('of an event on two channels is sent once although the owner gains the right to read the first one meanwhile', async () => {
    const path = newPath();
    const endpoint = await trustedEndpointAt(path);
    await app.sql(`update webhook_endpoints set event_types = '{payment.recorded}' where id = $1`, [endpoint.id]);
    const eventId = newId('evt');
    // The delivery was added when the owner could read only the second channel.
    await app.sql(
      `insert into webhook_events (id, type, channel, subject, data, created_at, stored_at)
       values ($1, 'payment.recorded', 'bookings.bk_1', 'pay_1', '{"paymentId":"pay_1","bookingId":"bk_1"}', now(), now())`,
      [eventId],
    );
    await app.sql(
      `with queue as (insert into webhook_queues (endpoint_id, subject, waiting, due_at) values ($1, 'pay_1', 1, now()))
       insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, attempts, tries, created_at,
         updated_at)
       values ($3, $1, $2, 'payment.recorded', 'pay_1', 'pending', 0, 0, now(), now())`,
      [endpoint.id, eventId, newId('whd')],
    );
    expect(await arrived(path, ({ id }) => id === eventId)).toMatchObject({ type: 'payment.recorded' });
    await deliveryAs(endpoint, ({ status, eventType }) => status === 'succeeded' && eventType === 'payment.recorded');
    const from = new Date(app.now().getTime() - DAY_MS).toISOString();
    const replayed = await owner.post(`${ENDPOINTS}/${endpoint.id}/replays`, { from, includeSucceeded: true });
    expect(replayed).toMatchObject({ status: 200, body: { data: { deliveries: 1 } } });
  });

  it('is added for each of 100 endpoints that want 500 events, in several batches of the relay', async () => {
    const { client } = await hire(app, ['owner']);
    const url = 'http://127.0.0.1:9/';
    const { id } = await endpointAt(newPath(), { eventTypes: ['customer.erased'], url }, client);
    await app.sql(
      `insert into webhook_endpoints (id, owner_kind, owner_id, url, event_types, signature_type, status, version, created_at,
         updated_at)
       select 'whe_many_' || n, owner_kind, owner_id, url, event_types, signature_type, status, 1, created_at, updated_at
       from webhook_endpoints, generate_series(1, 99) n where id = $1`,
      [id],
    );
    await app.sql(
      `insert into outbox_events (id, channel, event, data, created_at)
       select id, 'customers', 'customer.erased', json_build_object('customerId', 'cus_many'), now()
       from unnest($1::text[]) as id`,
      [Array.from({ length: 500 }, () => newId('evt'))],
    );
    const count = async () =>
      (
        await app.sql<{ count: number }>(
          `select count(*)::int as count from webhook_deliveries where endpoint_id = $1 or endpoint_id like 'whe_many_%'`,
          [id],
        )
      )[0]?.count;
    await eventually(
      async () => ((await count()) === 50_000 ? true : null),
      () => 'not all deliveries were added',
      60,
    );
    await app.sql(`delete from webhook_endpoints where id = $1 or id like 'whe_many_%'`, [id]);
  }, 90_000);

  it('of an endpoint with Ed25519 is verified with its public key', async () => {
    const path = newPath();
    const { secrets, secret } = await endpointAt(path, { signatureType: 'ed25519' });
    expect(secret).toBeUndefined();
    const key = Buffer.from((secrets[0]?.publicKey ?? '').replace('whpk_', ''), 'base64');
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' });
    const { id } = await newCustomer(app);
    const { headers, body } = await arrived(path, ({ data }) => data['customerId'] === id);
    const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const [version, signature = ''] = String(headers['webhook-signature']).split(',');
    expect(version).toBe('v1a');
    expect(verify(null, Buffer.from(content), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  });

  it('is sent once for an event on several channels, and only to endpoints that want the event', async () => {
    const [wanted, other] = [newPath(), newPath()];
    await endpointAt(wanted, { eventTypes: ['customer.created'] });
    await endpointAt(other, { eventTypes: ['customer.updated', 'booking.*'] });
    const { id } = await newCustomer(app);
    await renamed(id);
    await arrived(other, ({ type }) => type === 'customer.updated');
    await arrived(wanted);
    const about = (path: string) =>
      receiver.at(path).flatMap(({ type, data }) => (data['customerId'] === id ? [type] : []));
    expect([about(wanted), about(other)]).toEqual([['customer.created'], ['customer.updated']]);
  });

  it('waits for the former one about the same subject, and others do not', async () => {
    const path = newPath();
    const endpoint = await trustedEndpointAt(path);
    let failingId: unknown = null;
    receiver.answer = ({ path: at, data }, response) => {
      const fails = at === path && data['customerId'] === (failingId ??= data['customerId']);
      response.writeHead(fails ? 500 : 200).end();
    };
    const failing = await newCustomer(app);
    await deliveryAs(endpoint, ({ error, subject }) => error !== null && subject === failing.id);
    await renamed(failing.id);
    const other = await newCustomer(app);
    await deliveryAs(endpoint, ({ status, subject }) => status === 'succeeded' && subject === other.id);
    const versions = () =>
      receiver.at(path).flatMap(({ data }) => (data['customerId'] === failing.id ? [data['version']] : []));
    expect(versions()).toEqual([1]);

    receiver.answer = (_, response) => void response.writeHead(204).end();
    app.travel({ ms: 30_000 });
    await arrived(path, ({ data }) => data['customerId'] === failing.id && data['version'] === 2);
    app.travel({ ms: -30_000 });
    expect(versions()).toEqual([1, 1, 2]);
    const listed = await deliveriesOf(endpoint, '?eventType=customer.created&status=succeeded&sort=createdAt');
    const delivery = listed.find(({ subject }) => subject === failing.id);
    const { body } = await owner.get<{ data: Delivery }>(`${DELIVERIES}/${delivery?.id}`);
    expect(body.data.attemptLog?.map(({ number, responseStatus, error }) => [number, responseStatus, error])).toEqual([
      [2, 204, null],
      [1, 500, 'unexpected_status'],
    ]);
  });

  it('is not sent when its owner may not read the event any more', async () => {
    const path = newPath();
    const { user, client } = await hire(app, ['manager']);
    const endpoint = await endpointAt(path, {}, client);
    const { id } = await newCustomer(app);
    await arrived(path, ({ data }) => data['customerId'] === id);
    receiver.answer = ({ path: at }, response) => void response.writeHead(at === path ? 500 : 204).end();
    await renamed(id);
    await deliveryAs(endpoint, ({ error }) => error === 'unexpected_status');
    const demoted = await owner.patch(`${USERS}/${user.id}`, { roles: ['finance'], active: false });
    expect(demoted.status).toBe(200);
    const before = receiver.at(path).length;
    app.travel({ ms: 30_000 });
    await deliveryAs(endpoint, ({ status, error }) => status === 'skipped' && error === 'not_permitted');
    app.travel({ ms: -30_000 });
    await renamed(id);
    await newCustomer(app);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    expect(receiver.at(path)).toHaveLength(before);
    expect((await deliveriesOf(endpoint)).map(({ status }) => status).sort()).toEqual(['skipped', 'succeeded']);
  });
});

describe('an endpoint', () => {
  it('that fails for 72 hours is disabled with a mail, and gets what it missed by a replay after its activation', async () => {
    const path = newPath();
    const endpoint = await trustedEndpointAt(path);
    receiver.answer = (received, response) => void response.writeHead(received.path === path ? 503 : 204).end();
    const { id } = await newCustomer(app);
    const failed = await deliveryAs(endpoint, ({ error, subject }) => error !== null && subject === id);
    app.travel({ days: 4 });
    await deliveryAs(endpoint, ({ status }) => status === 'failed');
    const disabled = await owner.get<{ data: Endpoint }>(`${ENDPOINTS}/${endpoint.id}`);
    expect(disabled.body.data).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    const [{ mails = 0 } = {}] = await app.sql<{ mails: number }>(
      `select count(*)::int as mails from notification_messages where subject = 'Webhook endpoint disabled: 127.0.0.1'`,
    );
    expect(mails).toBeGreaterThan(0);

    await renamed(id);
    // Otherwise the endpoint gets the new event at once if it is published after the activation.
    await eventually(
      async () => {
        const stored = `select 1 from webhook_events where type = 'customer.updated' and data::jsonb ->> 'customerId' = $1`;
        return (await app.sql(stored, [id])).length > 0 ? true : null;
      },
      () => 'the event was not stored',
      20,
    );
    expect(await owner.post<ErrorBody>(`${DELIVERIES}/${failed.id}/replays`)).toMatchObject({
      status: 409,
      body: { code: 'endpoint_disabled' },
    });
    receiver.answer = (_, response) => void response.writeHead(204).end();
    expect(await owner.post(`${ENDPOINTS}/${endpoint.id}/activation`)).toMatchObject({ status: 200 });
    const seen = receiver.at(path).length;
    const from = new Date(app.now().getTime() - 5 * DAY_MS).toISOString();
    const replayed = await eventually(
      async () => {
        const { body } = await owner.post<{ data: { deliveries: number } }>(`${ENDPOINTS}/${endpoint.id}/replays`, {
          from,
        });
        return body.data.deliveries > 0 ? body.data.deliveries : null;
      },
      () => 'no event of the range',
      20,
    );
    expect(replayed).toBeGreaterThanOrEqual(1);
    await arrived(path, ({ data }) => data['customerId'] === id && data['version'] === 2);
    const again = receiver
      .at(path)
      .slice(seen)
      .find(({ type, data }) => type === 'customer.created' && data['customerId'] === id);
    expect(again?.id).toBe(failed.eventId);
    app.travel({ days: -4 });
  });

  it('that answers 410 is disabled at once', async () => {
    const path = newPath();
    const endpoint = await endpointAt(path);
    receiver.answer = (received, response) => void response.writeHead(received.path === path ? 410 : 204).end();
    await newCustomer(app);
    await deliveryAs(endpoint, ({ status }) => status === 'failed');
    receiver.answer = (_, response) => void response.writeHead(204).end();
    const { body } = await owner.get<{ data: Endpoint }>(`${ENDPOINTS}/${endpoint.id}`);
    expect(body.data).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  });

  it('gets a test event, and a delivery again on request with the same ID', async () => {
    const path = newPath();
    const endpoint = await endpointAt(path);
    const tested = await owner.post<{ data: Delivery }>(`${ENDPOINTS}/${endpoint.id}/test-events`);
    expect(tested).toMatchObject({ status: 200, body: { data: { eventType: 'webhook.test', status: 'pending' } } });
    const received = await arrived(path);
    expect(received.data).toEqual({ id: tested.body.data.eventId, endpointId: endpoint.id });
    await deliveryAs(endpoint, ({ status }) => status === 'succeeded');
    const replays = `${DELIVERIES}/${tested.body.data.id}/replays`;
    expect(await owner.post(replays)).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    await eventually(
      () => (receiver.at(path).length === 2 ? true : null),
      () => 'no second one',
      20,
    );
    expect(new Set(receiver.at(path).map(({ id }) => id)).size).toBe(1);
  });

  it('is rejected for an address that is not allowed, an unknown event, and an event that the caller may not read', async () => {
    const eventTypes = ['customer.created'];
    for (const url of [
      'http://127.0.0.2/',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'http://a:b@example.com/',
    ]) {
      expect(await owner.post<ErrorBody>(ENDPOINTS, { url, eventTypes })).toMatchObject({
        status: 422,
        body: { code: 'url_not_allowed', details: { field: 'url' } },
      });
    }
    const url = `${receiver.origin}/`;
    for (const unknown of ['customer.exploded', 'nothing.*']) {
      expect(await owner.post<ErrorBody>(ENDPOINTS, { url, eventTypes: ['customer.created', unknown] })).toMatchObject({
        status: 422,
        body: { code: 'unknown_event_type', details: { field: 'eventTypes.1' } },
      });
    }
    const { client } = await hire(app, ['manager']);
    expect(await client.post(ENDPOINTS, { url, eventTypes: ['*'] })).toMatchObject({ status: 201 });
    const token = await owner.post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', {
      name: randomUUID(),
      scopes: ['webhooks:write', 'customers:read'],
    });
    const narrow = app.with(token.body.data.token);
    expect(await narrow.post(ENDPOINTS, { url, eventTypes })).toMatchObject({ status: 201 });
    expect(await narrow.post(ENDPOINTS, { url, eventTypes: ['invoice.issued'] })).toMatchObject({ status: 403 });
    const invoices = await endpointAt(newPath(), { eventTypes: ['invoice.issued'] });
    expect(await narrow.patch(`${ENDPOINTS}/${invoices.id}`, { url })).toMatchObject({ status: 403 });
    expect(await narrow.post(`${ENDPOINTS}/${invoices.id}/secret-rotations`, {})).toMatchObject({ status: 403 });
  });

  it('whose name resolves to an address that is not allowed receives nothing, nor does a redirect lead there', async () => {
    const redirected = newPath();
    const local = await endpointAt('', { url: `${receiver.origin.replace('127.0.0.1', 'localhost')}/local` });
    const moved = await endpointAt(redirected);
    receiver.answer = ({ path }, response) =>
      void (
        path === redirected
          ? response.writeHead(302, { location: `${receiver.origin}/stolen` })
          : response.writeHead(204)
      ).end();
    await newCustomer(app);
    await deliveryAs(local, ({ error }) => error === 'address_not_allowed');
    await deliveryAs(moved, ({ error, responseStatus }) => error === 'unexpected_status' && responseStatus === 302);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    expect([...receiver.at('/local'), ...receiver.at('/stolen')]).toEqual([]);
  });

  it('is one of at most 50 of its owner, also if they are created at the same time', async () => {
    const { client } = await hire(app, ['manager']);
    const body = { url: `${receiver.origin}/`, eventTypes: ['period.closed'] };
    const answers = await Promise.all(Array.from({ length: 55 }, () => client.post(ENDPOINTS, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  });

  it('is one of at most 2,000 of all staff', async () => {
    const { id } = await endpointAt(newPath(), { eventTypes: ['period.reopened'] });
    await app.sql(
      `insert into webhook_endpoints (id, owner_kind, owner_id, url, event_types, signature_type, status, version, created_at,
         updated_at)
       select 'whe_limit_' || n, owner_kind, 'user_limit', url, event_types, signature_type, status, 1, created_at, updated_at
       from webhook_endpoints, generate_series(1, 2000) n where id = $1`,
      [id],
    );
    const body = { url: `${receiver.origin}/`, eventTypes: ['period.closed'] };
    const rejected = await owner.post<ErrorBody>(ENDPOINTS, body);
    await app.sql(`delete from webhook_endpoints where id like 'whe_limit_%'`);
    expect(rejected).toMatchObject({
      status: 409,
      body: { code: 'endpoint_limit_reached', details: { limit: 2_000 } },
    });
  });

  it('that is deleted receives nothing more, and its secrets are stored sealed', async () => {
    const path = newPath();
    const endpoint = await endpointAt(path);
    const bytes = Buffer.from((endpoint.secret ?? '').replace('whsec_', ''), 'base64');
    const [row] = await app.sql<{ sealed: Buffer }>('select sealed from webhook_secrets where endpoint_id = $1', [
      endpoint.id,
    ]);
    expect(row?.sealed.includes(bytes)).toBe(false);
    expect(await owner.delete(`${ENDPOINTS}/${endpoint.id}`)).toMatchObject({
      status: 200,
      body: { data: { id: endpoint.id } },
    });
    const control = newPath();
    await endpointAt(control);
    await newCustomer(app);
    await arrived(control);
    expect(receiver.at(path)).toEqual([]);
    expect(await owner.get(`${ENDPOINTS}/${endpoint.id}/deliveries`)).toMatchObject({ status: 404 });
  });

  it('keeps its deliveries for 30 days, and what waits for it is skipped after it was deleted', async () => {
    const path = newPath();
    const endpoint = await trustedEndpointAt(path);
    receiver.answer = (received, response) => void response.writeHead(received.path === path ? 500 : 204).end();
    const { id } = await newCustomer(app);
    await deliveryAs(endpoint, ({ error, subject }) => error !== null && subject === id);
    await owner.delete(`${ENDPOINTS}/${endpoint.id}`);
    receiver.answer = (_, response) => void response.writeHead(204).end();
    const purge = () => asSystem(() => app.nest.get(WebhookDeliveriesService, { strict: false }).purge());
    const statuses = async () =>
      (
        await app.sql<{ status: string }>(
          'select status from webhook_deliveries where endpoint_id = $1 and subject = $2',
          [endpoint.id, id],
        )
      ).map(({ status }) => status);
    await purge();
    expect(await statuses()).toEqual(['skipped']);
    app.travel({ days: 31 });
    await purge();
    app.travel({ days: -31 });
    expect(await statuses()).toEqual([]);
  });
});
