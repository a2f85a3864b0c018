import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { domainEvents } from '../../src/bootstrap/domain-events.js';
import { isForOperators } from '../../src/platform/outbox/outbox.js';
import { confirmedBooking } from '../bookings/bookings.js';
import { actingAs, newClient, newKey, newOperator } from '../connect/partners.js';
import { hire, USERS } from '../identity/staff.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { fill, newChannelName, pathOf, publish, tokenWith } from './channel.js';
import { closeStreams, rawStream, StreamClient } from './following.js';
import {
  EVENTS,
  STAFF_SUBSCRIPTIONS,
  subscribe,
  type Subscription,
  subscriptionToken,
  ticketPath,
  TICKETS,
} from './subscriptions.js';

const PARTNERS = '/connect/v1/realtime/subscriptions';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { LOG_LEVEL: 'info' } });
});

afterEach(closeStreams);

const follow = (token: string, sinceId?: string) =>
  StreamClient.open({ url: app.url, path: EVENTS, token, ...(sinceId === undefined ? {} : { sinceId }) });

describe('a subscription of staff', () => {
  it('covers the channels of the modules that its caller may read, for ten minutes', async () => {
    const { client } = await hire(app, ['sales']);
    const asked = ['bookings', 'customers', 'identity.secrets', 'finance.periods', newChannelName()];
    const { body, headers } = await client.post<{ data: Subscription }>(STAFF_SUBSCRIPTIONS, { channels: asked });
    expect(headers['cache-control']).toContain('no-store');
    const { channels, expiresAt } = body.data;
    expect(channels).toEqual(['bookings', 'customers']);
    expect(new Date(expiresAt).getTime() - app.now().getTime()).toBeGreaterThan(590_000);
    expect(new Date(expiresAt).getTime() - app.now().getTime()).toBeLessThanOrEqual(600_000);

    const none = await client.post(STAFF_SUBSCRIPTIONS, { channels: ['finance.periods'] });
    expect(none).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it('covers each channel of the event catalog for its owner, but those of operators', async () => {
    const names = domainEvents.flatMap(({ channels }) => channels.filter((channel) => !isForOperators(channel)));
    const declared = [...new Set(names.map((channel) => channel.replace(/\{\w+\}/, 'x')))];
    for (let at = 0; at < declared.length; at += 20) {
      const asked = declared.slice(at, at + 20);
      expect((await subscribe(app.as('owner'), asked)).channels).toEqual(asked);
    }
  });

  it('is rejected for no channel, for more than 20 and for a name that no channel can have', async () => {
    const many = Array.from({ length: 21 }, (_, n) => `bookings.${n}`);
    for (const channels of [[], many, ['a b'], ['bookings', 'bookings'], 'bookings', [null]]) {
      expect(await app.as('owner').post(STAFF_SUBSCRIPTIONS, { channels })).toMatchObject({ status: 400 });
    }
  });

  it('streams all of its channels, and resumes in each of them after the ID of the last event', async () => {
    const owner = app.as('owner');
    const { token } = await subscribe(owner, ['bookings', 'finance.payment-schedules', 'customers']);
    const first = await follow(token);
    const { booking } = await confirmedBooking(owner);
    await eventually(async () => (eventsOf(first).has('booking.confirmed') ? true : null));
    first.close();
    const seen = new Set(first.messages.map(({ id }) => id));
    const missed = await confirmedBooking(owner);

    const later = await subscribe(owner, ['customers', 'bookings', 'finance.payment-schedules']);
    const second = await follow(later.token, first.lastEventId);
    await eventually(async () => (eventsOf(second, missed.booking.id).has('booking.confirmed') ? true : null));
    expect(second.messages.some(({ id }) => seen.has(id))).toBe(false);
    expect(new Set(first.messages.map(({ channel }) => channel))).toEqual(
      new Set(['bookings', 'finance.payment-schedules']),
    );
    expect(eventsOf(second, booking.id).size).toBe(0);
    const histories = [first, second].flatMap(({ messages }) => messages);
    const stored = await app.sql<{ id: string }>(
      `select m.id from realtime_messages m join realtime_channels c on c.id = m.channel_id
       where c.name = any ($1) and m.data::jsonb ->> 'bookingId' = any ($2)`,
      [later.channels, [booking.id, missed.booking.id]],
    );
    expect(histories.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
  });

  it('resumes a stream that has received no message', async () => {
    const channel = newChannelName();
    const key = app.with(await tokenWith(app, 'connect:events:read', `realtime:subscribe:${channel}`));
    const { token } = await subscribe(key, [channel], PARTNERS);
    const first = await follow(token);
    await eventually(async () => (first.lastEventId === '' ? null : true));
    first.close();
    const messages = await fill(app, channel, 120);
    const second = await follow(token, first.lastEventId);
    await second.until(120);
    expect(second.messages).toEqual(messages);
    expect(second.gaps).toBe(0);
    expect(await app.with(token).get(`${EVENTS}?sinceId=${'x'.repeat(40)}`)).toMatchObject({ status: 400 });
  });

  it('reads the history of its channels only, and publishes nothing', async () => {
    const { token } = await subscribe(app.as('owner'), ['bookings']);
    const client = app.with(token);
    expect(await client.get(pathOf('bookings'))).toMatchObject({ status: 200 });
    expect(await client.get(pathOf('customers'))).toMatchObject({ status: 403 });
    expect(await client.post(pathOf('bookings'), { event: 'e' })).toMatchObject({ status: 403 });
    expect(await client.get('/v1/admin/bookings')).toMatchObject({ status: 401 });
    expect(await app.as('platform').get(EVENTS)).toMatchObject({ status: 401 });
    expect(await app.as('platform').post(TICKETS)).toMatchObject({ status: 401 });
    expect(await app.get(EVENTS)).toMatchObject({ status: 401 });
  });
});

describe('the stream of a ticket', () => {
  it('opens once, without a header, and neither its ticket nor its token is in a log', async () => {
    const channel = newChannelName();
    const key = app.with(await tokenWith(app, 'connect:events:read', 'realtime:subscribe'));
    const subscription = await subscribe(key, [channel], PARTNERS);
    const path = await ticketPath(app, subscription.token);
    const ticket = path.split('/').at(-2) ?? '';
    const stream = await StreamClient.open({ url: app.url, path });
    await publish(app.as('platform'), channel, 1);
    await stream.until(1);
    expect(stream.data).toEqual([1]);

    expect(await app.get(path)).toMatchObject({ status: 404 });
    const logged = app.logs.filter((line) => line.includes(TICKETS));
    expect(logged.length).toBeGreaterThan(0);
    for (const secret of [ticket, ticket.split('_')[2], subscription.token.split('_')[2]]) {
      expect(app.logs.filter((line) => line.includes(secret ?? ''))).toEqual([]);
    }
  });

  it('does not open with a ticket that has expired, that is another text, or whose subscription has expired', async () => {
    const subscription = await subscribe(app.as('owner'), ['bookings']);
    const [expired, late] = [await ticketPath(app, subscription.token), await ticketPath(app, subscription.token)];
    app.travel({ ms: 61_000 });
    for (const path of [expired, `${TICKETS}/x/events`, `${TICKETS}/${subscription.token}/events`]) {
      expect(await app.get(path)).toMatchObject({ status: 404 });
    }
    await app.sql(`update realtime_tickets set expires_at = now() + interval '1 day'`);
    await app.sql(`update realtime_subscriptions set expires_at = now()`);
    expect(await app.get(late)).toMatchObject({ status: 404 });
  });

  it('opens for one of parallel callers, and is used up neither by HEAD nor by an invalid position', async () => {
    const path = await ticketPath(app, await subscriptionToken(app));
    expect(await app.request('HEAD', path)).toMatchObject({ status: 200 });
    expect(await app.get(path, { headers: { 'Last-Event-ID': 'x' } })).toMatchObject({ status: 400 });
    const opened = await Promise.all(Array.from({ length: 4 }, () => rawStream({ url: app.url, path })));
    expect(opened.map(({ response }) => response.statusCode).sort()).toEqual([200, 404, 404, 404]);
  });
});

describe('an open stream', () => {
  it('outlives its token and ends with the session', async () => {
    const { client } = await hire(app, ['sales']);
    const { token } = await subscribe(client, ['bookings']);
    const stream = await follow(token);
    app.travel({ ms: 601_000 });
    expect(await app.with(token).get(EVENTS)).toMatchObject({ status: 401 });
    await confirmedBooking(app.as('owner'));
    await eventually(async () => (eventsOf(stream).has('booking.confirmed') ? true : null));

    expect(await client.delete('/v1/admin/identity/sessions/current')).toMatchObject({ status: 200 });
    await eventually(async () => (stream.rejectedStatuses.includes(401) ? true : null));
  });

  it('ends when its user may no longer read one of its channels', async () => {
    const { client, user } = await hire(app, ['sales', 'finance']);
    const { token } = await subscribe(client, ['bookings', 'finance.periods']);
    const stream = await follow(token);
    await app.as('owner').patch(`${USERS}/${user.id}`, { roles: ['sales'] });
    await eventually(async () => (stream.opened > 1 ? true : null));
    const { body } = await client.post<{ data: Subscription }>(STAFF_SUBSCRIPTIONS, {
      channels: ['bookings', 'finance.periods'],
    });
    expect(body.data.channels).toEqual(['bookings']);
  });
});

describe('a subscription of a partner', () => {
  it('covers the channels of the operator of the client, and no others', async () => {
    const [operatorId, other] = [await newOperator(app), await newOperator(app)];
    const client = await newClient(app, operatorId, { scopes: ['connect:events:read'] });
    const caller = await actingAs(app, client);
    const asked = [`${operatorId}.news`, `${other}.news`, 'bookings', 'demo.news'];
    const { token, channels } = await subscribe(caller, asked, PARTNERS);
    expect(channels).toEqual([`${operatorId}.news`]);

    const stream = await follow(token);
    await publish(app.with(await newKey(app, ['realtime:publish'], operatorId)), `${operatorId}.news`, 'hello');
    await stream.until(1);
    expect(stream.data).toEqual(['hello']);
    await app.as('platform').delete(`/connect/v1/operators/${operatorId}/oauth-clients/${client.clientId}`);
    await eventually(async () => (stream.rejectedStatuses.includes(401) ? true : null));

    const without = await actingAs(app, await newClient(app, operatorId));
    expect(await without.post(PARTNERS, { channels: [`${operatorId}.news`] })).toMatchObject({ status: 403 });
  });
});

function eventsOf({ messages }: StreamClient, bookingId?: string): Set<string> {
  const own = messages.filter(
    ({ data }) => bookingId === undefined || (data as { bookingId?: string }).bookingId === bookingId,
  );
  return new Set(own.map(({ event }) => event));
}
