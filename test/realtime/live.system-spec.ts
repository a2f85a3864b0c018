import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { fill, keyWith, newChannelName, publish, read, tokenWith } from './channel.js';
import { closeStreams, eventsOf, StreamClient, idsIn, listenersOf, rawStream, streamsOf, textOf } from './following.js';
import { withSession } from './session.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

let apps: [TestApp, TestApp];
let clients: [TestClient, TestClient];
let token: string;

beforeAll(async () => {
  apps = [await startApp(), await startApp()];
  clients = [apps[0].as('platform'), apps[1].as('platform')];
  token = apps[0].credentials.platformKey;
});

afterEach(closeStreams);

const place = (channel: string, node: 0 | 1 = 0) => ({ url: apps[node].url, token, channel });
const follow = (channel: string, more: { node?: 0 | 1; sinceId?: string } = {}) =>
  StreamClient.open({ ...place(channel, more.node), ...(more.sinceId === undefined ? {} : { sinceId: more.sinceId }) });

describe('a live stream', () => {
  it('a live stream delivers each message to a standard EventSource client as in the history, from any process', async () => {
    const channel = newChannelName();
    await publish(clients[0], channel, 'before');
    const followers = [await follow(channel), await follow(channel, { node: 1 })];

    for (let n = 0; n < 6; n += 1) await publish(clients[n % 2 ? 1 : 0], channel, { n, text: 'ä\u2028\n\u0000' });
    for (const follower of followers) await follower.until(6);

    const { messages } = await read(clients[0], channel);
    expect(followers.map((follower) => follower.messages)).toEqual(followers.map(() => messages.slice(1)));
    expect(followers.map(({ gaps }) => gaps)).toEqual([0, 0]);
  });

  it('a live stream starts with retry, after the given id; Last-Event-ID takes precedence over sinceId', async () => {
    const channel = newChannelName();
    const [first, second] = await fill(apps[0], channel, 3);

    const { response, call } = await rawStream(
      { ...place(channel), sinceId: first?.id ?? '' },
      { headers: { 'Last-Event-ID': second?.id ?? '' } },
    );
    let received = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    await eventually(async () => (received.includes('event: message') ? true : null));
    call.destroy();

    const { messages } = await read(clients[0], channel);
    expect(response.statusCode).toBe(200);
    expect(received).toBe(
      `retry: 2000\n\nid: ${messages[2]?.id}\nevent: message\ndata: ${JSON.stringify(messages[2])}\n\n`,
    );
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'ratelimit-policy': '"realtime-stream";q=30000;w=60',
    });
  });

  it('a live stream replays a long history and continues live without a missing or duplicate message', async () => {
    const channel = newChannelName();
    const [first] = await fill(apps[0], channel, 730);
    const follower = await follow(channel, { sinceId: first?.id ?? '' });
    await publish(clients[1], channel, 'live');
    await follower.until(730);

    expect(follower.data).toEqual([...Array.from({ length: 729 }, (_, n) => n + 2), 'live']);
  });

  it('a live stream opened during heavy publishing receives each message once, from the first or from the newest', async () => {
    const channel = newChannelName();
    const first = await publish(clients[0], channel, 'first');
    const publishing = Promise.all(
      Array.from({ length: 20 }, async (_, publisher) => {
        for (let n = 0; n < 15; n += 1)
          await publish(clients[(publisher + n) % 2 ? 1 : 0], channel, `${publisher}.${n}`);
      }),
    );
    const joining = Array.from({ length: 8 }, (_, n) =>
      follow(channel, { node: n % 2 ? 1 : 0, ...(n < 4 ? { sinceId: first.id } : {}) }),
    );
    const followers = await Promise.all(joining);
    await publishing;
    const last = await publish(clients[0], channel, 'last');
    for (const one of followers) await eventually(async () => (one.messages.at(-1)?.id === last.id ? true : null));

    const all = (await read(clients[0], channel, 'limit=1000')).messages;
    expect(all).toHaveLength(302);
    followers.forEach((follower, n) => {
      // A stream that starts with the newest message has an unbroken end of the history.
      const from = n < 4 ? 1 : all.findIndex(({ id }) => id === follower.messages[0]?.id);
      expect(from).toBeGreaterThanOrEqual(1);
      expect(follower.messages).toEqual(all.slice(from));
    });
  }, 60_000);

  it('a live stream answers HEAD with only the headers', async () => {
    const { response } = await rawStream(place(newChannelName()), { method: 'HEAD' });
    expect([response.statusCode, await text(response)]).toEqual([200, '']);
  });

  it('a live stream of an empty channel starts with its first message', async () => {
    const channel = newChannelName();
    const follower = await follow(channel, { node: 1 });
    await publish(clients[0], channel, 'first');
    await follower.until(1);
    expect(follower.data).toEqual(['first']);
  });

  it('a live stream sends a gap and then the kept messages if messages after the id were deleted', async () => {
    const channel = newChannelName();
    const [first] = await fill(apps[0], channel, 10_050);

    const follower = await follow(channel, { sinceId: first?.id ?? '' });
    await follower.until(10_000);

    expect(follower.gaps).toBe(1);
    expect(follower.data).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 51));
  }, 60_000);
});

describe('a rejected stream', () => {
  it.each([
    ['an id of another form', 'x'],
    ['an id that is no message of the channel', 'rtm_01k0dem000e008000000000001'],
  ])('a stream request with %s, in sinceId and in Last-Event-ID, is 400', async (_, id) => {
    const channel = newChannelName();
    await publish(clients[0], channel, 1);
    const answers = [
      await clients[0].get(`${eventsOf(channel)}?sinceId=${id}`),
      await clients[0].get(eventsOf(channel), { headers: { 'Last-Event-ID': id } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[1]?.body).toEqual({ error: 'sinceId: is not the id of a message of this channel' });
    expect(answers[0]?.body).toEqual({ error: expect.stringMatching(/^sinceId: /) });
  });

  it('a stream request answers 401, 403 and 429 like the other routes of the surface', async () => {
    const path = eventsOf(newChannelName());
    const slow = (await startApp({ env: { RATE_LIMIT_FACTOR: '0.1', DATABASE_POOL_SIZE: '4' } })).as('platform');
    const publisher = await keyWith(apps[0], 'realtime:publish');
    const answers = [await apps[0].get(path), await publisher.get(path), await slow.get(path), await slow.get(path)];

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 200, 429]);
    expect(answers[0]?.body).toEqual({ error: UNAUTHORIZED_TEXT.realtime });
    expect(answers[1]?.body).toEqual({ error: 'Requires the scope realtime:subscribe' });
    expect(answers[3]?.body).toEqual({
      error: 'Too many requests; wait before the next one',
      retryAfterMs: expect.any(Number),
    });
  });
});

describe('the end of a stream', () => {
  it('a live stream ends within a second after its credential was revoked, also on another process; others continue', async () => {
    const channel = newChannelName();
    const own = await tokenWith(apps[0], 'realtime:subscribe');
    const { response } = await rawStream({ ...place(channel, 1), token: own });
    const follower = await follow(channel, { node: 1 });
    response.resume();
    const began = performance.now();
    const ended = new Promise<number>((resolve) => {
      response.once('close', () => resolve(performance.now() - began));
    });
    await apps[0].sql('update api_tokens set revoked_at = now() where public_id = $1', [own.split('_')[1]]);

    // The limit is a second plus the time that a busy machine needs for the statement.
    expect(await ended).toBeLessThan(2_000);
    const { response: after } = await rawStream({ ...place(channel, 1), token: own });
    expect(after.statusCode).toBe(401);
    await publish(clients[0], channel, 'goes on');
    await follower.until(1);
    expect(follower.opened).toBe(1);
  });

  it('a live stream of a client that does not read ends, and can resume without a loss', async () => {
    const channel = newChannelName();
    const first = await publish(clients[0], channel, 'first');
    const { response, call } = await rawStream(place(channel));
    response.pause();
    const cut = new Promise((resolve) => call.once('close', resolve));
    const fast = await follow(channel);
    const open = await streamsOf(apps[0]);

    const big = 'x'.repeat(60_000);
    let published = 0;
    // The socket buffers of both systems come in addition to the buffer of the service.
    while ((await streamsOf(apps[0])) >= open) {
      await Promise.all(Array.from({ length: 10 }, () => publish(clients[0], channel, big)));
      published += 10;
      expect(published).toBeLessThan(500);
    }
    const received = await textOf(response);
    await cut;

    const seen = idsIn(received);
    const resumed = await follow(channel, { sinceId: seen.at(-1) ?? first.id });
    await resumed.until(published - seen.length);
    await fast.until(published);
    const { messages } = await read(clients[0], channel, 'limit=1000');
    const all = messages.slice(1).map(({ id }) => id);
    expect(seen.length).toBeLessThan(published);
    expect([...seen, ...resumed.messages.map(({ id }) => id)]).toEqual(all);
    expect(fast.messages.map(({ id }) => id)).toEqual(all);
    expect([fast.opened, fast.gaps]).toEqual([1, 0]);
  }, 60_000);

  it('a live stream ends with its process and leaves nothing on the others', async () => {
    const node = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
    const { response } = await rawStream({ url: node.url, token, channel: newChannelName() });
    response.resume();
    const ended = new Promise((resolve) => response.once('end', resolve));
    await node.close();
    await ended;
    expect(response.complete).toBe(true);
  });
});

describe('notifications between processes', () => {
  it('lost notifications between processes, caused by a killed listening connection, do not change the order of messages', async () => {
    const channel = newChannelName();
    const follower = await follow(channel, { node: 1 });
    for (let n = 0; n < 5; n += 1) {
      const killed = await withSession((session) =>
        session.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'travel-operations-notifier' and datname = current_database()`,
        ),
      );
      expect(killed.rows.length + n).toBeGreaterThan(0);
      await publish(clients[0], channel, n);
      await follower.until(n + 1);
    }
    expect(follower.data).toEqual([0, 1, 2, 3, 4]);
    expect(follower.opened).toBe(1);
    await eventually(async () => ((await listenersOf(apps[0])) > 0 ? true : null));
  }, 30_000);
});
