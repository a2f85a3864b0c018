import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { domainEvents } from '../../src/bootstrap/domain-events.js';
import { newOperator, provision, uniqueName, withKey } from '../connect/partners.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, keyWith, newChannelName, pathOf, publish, read, tokenWith } from './channel.js';
import { closeStreams, eventsOf, StreamClient, rawStream } from './following.js';

const SCOPES = ['realtime:subscribe', 'realtime:publish'];
const message = { event: 'test.happened', data: 1 };
const NOT_OWN = { error: 'The channel does not belong to the operator of the credential' };
const OF_OPERATOR = { error: 'Only keys of the operator publish on this channel' };
const RELAYED = { error: 'Only the service publishes on this channel' };

let app: TestApp;
let operatorId: string;
let bound: TestClient;
let other: TestClient;
let otherId: string;

beforeAll(async () => {
  app = await startApp();
  [operatorId, otherId] = [await newOperator(app), await newOperator(app)];
  [bound, other] = [await withKey(app, SCOPES, operatorId), await withKey(app, SCOPES, otherId)];
});
afterEach(closeStreams);

describe('a realtime key that is bound to an operator', () => {
  it('a bound realtime key uses the channels of its operator, which need no registration; keys of the platform only read them', async () => {
    const channel = `${operatorId}.news`;
    const own = await publish(bound, channel, 'own');

    expect((await read(bound, channel)).messages).toEqual([own]);
    expect((await read(app.as('platform'), channel)).messages).toEqual([own]);
  });

  it('a bound realtime key reads no channel of another owner: 403 in the history, after an ID and on the live stream, whether or not it has messages', async () => {
    const [theirs, platform] = [`${otherId}.news`, newChannelName()];
    const { id } = await publish(other, theirs, 'secret');
    await publish(app.as('platform'), platform, 'secret');

    const events = ['finance.supplier-invoices', 'bookings'];
    for (const channel of [
      theirs,
      platform,
      `${otherId}.empty`,
      newChannelName(),
      operatorId,
      ...events,
      'demo.news',
    ]) {
      for (const path of [pathOf(channel), eventsOf(channel)]) {
        for (const query of ['', `?sinceId=${id}`]) {
          const { status, body } = await bound.get(`${path}${query}`);
          expect([path, status, body]).toEqual([path, 403, NOT_OWN]);
        }
      }
    }
    expect((await bound.get(pathOf(`${operatorId}.never-used`))).body).toEqual([]);
  });

  it('binding a realtime key to another operator ends its open streams', async () => {
    const token = await tokenWith(app, 'realtime:subscribe');
    const { response } = await rawStream({ url: app.url, token, channel: 'finance.supplier-invoices' });
    expect(response.statusCode).toBe(200);
    response.resume();
    await app.sql('update api_tokens set operator_id = $1 where public_id = $2', [operatorId, token.slice(4, 20)]);
    await eventually(async () => (response.readableEnded ? true : null));
  });

  it('a bound realtime key cannot publish on a foreign channel: 403, and the channel stays as it was', async () => {
    const platform = newChannelName();
    for (const channel of [platform, `${otherId}.forged`, operatorId, `${operatorId}x.a`, otherId.toUpperCase()]) {
      const { status, body } = await bound.post(pathOf(channel), message);
      expect([channel, status, body]).toEqual([channel, 403, NOT_OWN]);
      expect(dataOf(await read(app.as('platform'), channel))).toEqual([]);
    }
  });

  it('a bound realtime key is not confused by an ID that starts with another ID or differs from it in case', async () => {
    const id = uniqueName('Op');
    const similar = [`${id}_b`, `${id}-b`, id.toLowerCase(), id.slice(0, -1)];
    await provision(app, { operators: [id, ...similar].map((one) => ({ id: one, name: 'Partner' })) });
    const key = await withKey(app, SCOPES, id);
    for (const one of similar) {
      const owner = await withKey(app, SCOPES, one);
      await publish(owner, `${one}.news`, one);
      expect((await key.get(pathOf(`${one}.news`))).status).toBe(403);
      expect((await key.post(pathOf(`${one}.news`), message)).status).toBe(403);
      expect((await owner.post(pathOf(`${id}.news`), message)).status).toBe(403);
    }
    await publish(key, `${id}.b.news`, 'with more dots');
    expect(dataOf(await read(key, `${id}.b.news`))).toEqual(['with more dots']);
  });

  it('a bound realtime key cannot be provisioned for an ID with a dot, which could start with another ID and a dot', async () => {
    const operator = { id: `${operatorId}.b`, name: 'Partner' };
    await expect(provision(app, { operators: [operator] })).rejects.toThrow('operators.0.id');
    expect((await app.as('platform').post('/connect/v1/operators', operator)).status).toBe(400);
  });

  it('a bound realtime key does not own the channels of the event catalog, with any operator ID', async () => {
    await provision(app, { operators: ['finance', 'bookings'].map((id) => ({ id, name: 'Partner' })) });
    for (const [id, channel] of [
      ['finance', 'finance.supplier-invoices'],
      ['bookings', 'bookings.book_1'],
    ] as const) {
      const key = await withKey(app, SCOPES, id);
      expect((await key.post(pathOf(channel), message)).status).toBe(403);
    }
    const approved = { channel: 'finance.supplier-invoices', event: 'supplier_invoice.approved' };
    await app.sql(
      `insert into outbox_events (id, channel, event, data, created_at) values ('evt_1', $1, $2, '{}', now())`,
      [approved.channel, approved.event],
    );
    await eventually(async () => {
      const { messages } = await read(app.as('platform'), approved.channel);
      return messages.some(({ event }) => event === approved.event) ? true : null;
    });
    const key = await withKey(app, SCOPES, 'finance');
    expect((await key.get(pathOf(approved.channel))).status).toBe(403);
  });
});

describe('a realtime key of the platform', () => {
  it('a realtime key of the platform cannot publish in the name of an operator: 403 for every channel with its ID and a dot', async () => {
    const narrowed = await keyWith(app, `realtime:publish:${operatorId}.*`);
    for (const channel of [
      `${operatorId}.news`,
      `${operatorId}.b.news`,
      `${operatorId}.`,
      encodeURIComponent(`${operatorId}.x`),
    ]) {
      for (const key of [app.as('platform'), narrowed]) {
        const { status, body } = await key.post(pathOf(channel), message);
        expect([channel, status, body]).toEqual([channel, 403, OF_OPERATOR]);
      }
      expect(dataOf(await read(bound, channel))).not.toContain(message.data);
    }
    for (const channel of [
      operatorId,
      `${operatorId}-x.news`,
      `x.${operatorId}.news`,
      `${operatorId.slice(0, -1)}.news`,
    ]) {
      await publish(app.as('platform'), channel, 'of the platform');
    }
  });
});

describe('the channels of the event catalog', () => {
  const channels = [...new Set(domainEvents.flatMap((group) => group.channels))];

  it.each(channels)('the catalog channel %s is written by the relay only, in any spelling', async (template) => {
    const channel = template.replace(/\{\w+\}/, 'some_01k0dem000e000000000000001');
    const spellings = [channel, channel.toUpperCase(), encodeURIComponent(channel), channel.replace('.', '%2E')];
    for (const spelling of spellings) {
      for (const key of [app.as('platform'), await withKey(app, ['realtime:publish'])]) {
        const { status, body } = await key.post(pathOf(spelling), message);
        expect([spelling, status, body]).toEqual([spelling, 403, RELAYED]);
      }
      expect((await bound.post(pathOf(spelling), message)).body).toEqual(NOT_OWN);
    }
    const forged = await app.sql(
      `select from realtime_messages m join realtime_channels c on c.id = m.channel_id
       where lower(c.name) = lower($1) and m.event = $2`,
      [channel, message.event],
    );
    expect(forged).toEqual([]);
  });

  it('events of the catalog can be distinguished by the publisher of their messages, in answer, history and live stream', async () => {
    const token = await tokenWith(app, ...SCOPES);
    const [key] = await app.sql<{ id: string }>('select id from api_tokens where public_id = $1', [token.slice(4, 20)]);
    for (const [channel, publisher, publishedBy] of [
      [`${operatorId}.publishers`, bound, `operator:${operatorId}`],
      [newChannelName(), app.with(token), `key:${key?.id}`],
    ] as const) {
      const follower = await StreamClient.open({ url: app.url, token, channel });
      const published = await publish(publisher, channel, 1);
      await follower.until(1);
      const { messages } = await read(app.as('platform'), channel);
      for (const [one] of [[published], messages, follower.messages]) expect(one?.publishedBy).toBe(publishedBy);
    }
    const channel = newChannelName();
    const demo = await read(app.as('platform'), 'demo.news', 'limit=1');
    expect(demo.messages.map(({ publishedBy }) => publishedBy)).toEqual(['platform']);
    const forged = await app.as('platform').post(pathOf(channel), { ...message, publishedBy: 'platform' });
    expect(forged.status).toBe(400);
  });
});
