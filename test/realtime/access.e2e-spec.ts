import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { dataOf, keyWith, newChannelName, pathOf, publish, read } from './channel.js';
import { withSession } from './session.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

const UNAUTHORIZED = { error: UNAUTHORIZED_TEXT.realtime };
const PATH = pathOf('demo.news');

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('access to realtime', () => {
  it('realtime without a credential, with an unknown key or with a staff token is 401 with only an error', async () => {
    const unknown = app.credentials.platformKey.replace(/_[0-9A-Za-z]{16}_/, '_0000000000000000_');
    const clients = [app, app.with(unknown), app.as('owner'), app.with('x')];
    const answers = await Promise.all(
      clients.flatMap((client) => [client.get(PATH), client.post(PATH, { event: 'e' })]),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => UNAUTHORIZED));
    expect(answers[0]?.headers['www-authenticate']).toBe('Bearer realm="realtime"');
    expect(answers[2]?.headers['www-authenticate']).toBe('Bearer realm="realtime", error="invalid_token"');
  });

  it('realtime requires realtime:subscribe to read and realtime:publish to publish; neither implies the other', async () => {
    const channel = newChannelName();
    const subscriber = await keyWith(app, 'realtime:subscribe');
    const publisher = await keyWith(app, 'realtime:publish');

    const message = await publish(publisher, channel, 1);
    expect((await read(subscriber, channel)).messages).toEqual([message]);

    const rejected = [await publisher.get(pathOf(channel)), await subscriber.post(pathOf(channel), { event: 'e' })];
    expect(rejected.map(({ status }) => status)).toEqual([403, 403]);
    expect(rejected.map(({ body }) => body)).toEqual([
      { error: 'Requires the scope realtime:subscribe' },
      { error: 'Requires the scope realtime:publish' },
    ]);
    expect(dataOf(await read(subscriber, channel))).toEqual([1]);
  });

  it('realtime checks the credential before path and body', async () => {
    const limited = app.as('limited');
    const answers = [
      await app.get(`${pathOf('~')}?limit=0`),
      await limited.get(`${pathOf('~')}?limit=0`),
      await limited.post(pathOf('~'), {}),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403]);
  });
});

describe('rate limits of realtime', () => {
  it('rate limits of realtime are 300 a minute for history and 1,200 for publishing, counted separately', async () => {
    const slow = (await startApp({ env: { RATE_LIMIT_FACTOR: '1' } })).as('platform');

    const history = await slow.get(PATH);
    const publishing = await slow.post(PATH, { event: 'e' });

    expect(history.headers['ratelimit-policy']).toBe('"realtime-history";q=300;w=60');
    expect(history.headers['ratelimit']).toMatch(/^"realtime-history";r=74;/);
    expect(publishing.headers['ratelimit-policy']).toBe('"realtime-publish";q=1200;w=60');
    expect(publishing.headers['ratelimit']).toMatch(/^"realtime-publish";r=299;/);
  });

  it('rate limits of realtime answer 429 with error and retryAfterMs, and accept a request after exactly that time', async () => {
    const slow = await startApp({ env: { RATE_LIMIT_FACTOR: '0.01' } });
    const client = slow.as('platform');
    const channel = newChannelName();
    // Sends a burst of three.
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await client.post(pathOf(channel), { event: 'e' })).status);
    expect(statuses).toEqual([201, 201, 201]);

    const rejected = await client.post<{ retryAfterMs: number }>(pathOf(channel), { event: 'e' });

    expect(rejected.status).toBe(429);
    expect(rejected.body).toEqual({
      error: 'Too many requests; wait before the next one',
      retryAfterMs: expect.any(Number),
    });
    const { retryAfterMs } = rejected.body;
    expect(rejected.headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));
    slow.travel({ ms: retryAfterMs });
    expect((await client.post(pathOf(channel), { event: 'e' })).status).toBe(201);
  });
});

describe('other errors of realtime', () => {
  it('a message over 1 MiB is rejected with 413 and only an error', async () => {
    const answer = await app.as('platform').post(PATH, { event: 'e', data: 'x'.repeat(1_048_576) });

    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ error: 'The body is too large' });
  });

  it('a message that is not JSON is rejected with 415 and only an error', async () => {
    const answer = await app.as('platform').post(PATH, undefined, {
      raw: 'event=e',
      headers: { 'Content-Type': 'text/plain' },
    });

    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({ error: 'The body must be application/json' });
  });

  it('an unknown route of realtime is 404 with only an error', async () => {
    const answer = await app.as('platform').get('/realtime/v1/channels');

    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'No operation has this path' });
  });

  it('another method of a realtime route is 405 with Allow', async () => {
    const answer = await app.as('platform').delete(PATH);

    expect(answer.status).toBe(405);
    expect(answer.body).toEqual({ error: 'Method not allowed; use GET, HEAD, POST' });
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
  });

  it('a locked channel is 503 with retryAfterMs and Retry-After, and nothing is published', async () => {
    const channel = newChannelName();
    const client = app.as('platform');
    await publish(client, channel, 1);

    await withSession(async (session) => {
      await session.query('begin');
      await session.query('select from realtime_channels where name = $1 for update', [channel]);
      const answer = await client.post<{ retryAfterMs: number }>(pathOf(channel), { event: 'e' });

      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({ error: 'Too many requests at once', retryAfterMs: expect.any(Number) });
      expect(answer.body.retryAfterMs).toBeGreaterThanOrEqual(1);
      expect(answer.headers['retry-after']).toBe(String(Math.ceil(answer.body.retryAfterMs / 1000)));
    });

    expect(dataOf(await read(client, channel))).toEqual([1]);
  });
});
