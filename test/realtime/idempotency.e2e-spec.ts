import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, type Message, newChannelName, pathOf, publish, read } from './channel.js';
import { withSession } from './session.js';

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

const newKey = () => `key-${randomBytes(8).toString('hex')}`;
const send = (channel: string, data: unknown, key: string) =>
  client.post<{ data: Message }>(pathOf(channel), { event: 'e', data }, { headers: { 'Idempotency-Key': key } });

describe('publishing with an Idempotency-Key', () => {
  it('publishing with an Idempotency-Key stores one message, and a repetition gets the first response', async () => {
    const [channel, key] = [newChannelName(), newKey()];

    const first = await send(channel, { n: 1 }, key);
    const again = await send(channel, { n: 1 }, key);

    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect((await read(client, channel)).messages).toEqual([first.body.data]);
  });

  it('publishing with the Idempotency-Key of another message is 422 with only an error, and publishes nothing', async () => {
    const [channel, key] = [newChannelName(), newKey()];
    await send(channel, 1, key);

    for (const other of [await send(channel, 2, key), await send(newChannelName(), 1, key)]) {
      expect([other.status, other.body]).toEqual([
        422,
        { error: 'The Idempotency-Key was used for a different request' },
      ]);
    }
    expect(dataOf(await read(client, channel))).toEqual([1]);
  });

  it('concurrent repetitions beside other publishers store one message; the others are its replay or 409 with retryAfterMs', async () => {
    const [channel, key] = [newChannelName(), newKey()];

    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? send(channel, 'once', key) : send(channel, n, newKey()))),
    );
    await publish(client, channel, 'last');

    const repeated = answers.filter((_, n) => n % 2);
    for (const { status, body } of repeated.filter((answer) => answer.status !== 201)) {
      expect([status, body]).toEqual([
        409,
        { error: 'The first request with this key is still running', retryAfterMs: expect.any(Number) },
      ]);
    }
    const data = dataOf(await read(client, channel));
    expect(data.filter((one) => one === 'once')).toHaveLength(1);
    expect(data).toHaveLength(8);
    expect(data.at(-1)).toBe('last');
  });

  it('a publication that fails publishes nothing and leaves its Idempotency-Key usable', async () => {
    const [channel, key] = [newChannelName(), newKey()];
    await publish(client, channel, 'first');
    await withSession(async (session) => {
      await session.query('begin');
      await session.query('select from realtime_channels where name = $1 for update', [channel]);
      expect((await send(channel, 'second', key)).status).toBe(503);
    });

    expect((await send(channel, 'second', key)).status).toBe(201);
    expect(dataOf(await read(client, channel))).toEqual(['first', 'second']);
  });
});
