import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isId } from '../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, type Message, newChannelName, pathOf, publish, read } from './channel.js';

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

describe('publishing', () => {
  it('publishing answers 201 with the message under data: id, channel, event, data, publishedAt and publishedBy', async () => {
    const channel = newChannelName();

    const { status, body } = await client.post<{ data: Message }>(pathOf(channel), { event: 'a.b', data: { x: 1 } });

    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        channel,
        event: 'a.b',
        data: { x: 1 },
        publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        publishedBy: expect.stringMatching(/^key:atok_/),
      },
    });
    expect(Object.keys(body)).toEqual(['data']);
  });

  it('publishing returns an id that is a TypeID with the prefix rtm and the time of publishedAt', async () => {
    const { id, publishedAt } = await publish(client, newChannelName(), 1);

    expect(isId('rtm', id)).toBe(true);
    // Ten base32 characters contain the 48 bits of a UUIDv7's milliseconds.
    const digits = [...id.slice(4, 14)].map((digit) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit));
    expect(digits.reduce((time, digit) => time * 32 + digit, 0)).toBe(Date.parse(publishedAt));
  });

  it('publishing stores null if data is absent', async () => {
    const channel = newChannelName();

    const { body } = await client.post<{ data: Message }>(pathOf(channel), { event: 'x' });

    expect(body.data.data).toBeNull();
    expect(dataOf(await read(client, channel))).toEqual([null]);
  });

  it('publishing creates the channel with its first message, under every permitted name', async () => {
    for (const name of ['a', 'Az09_-=@,.;:', `${newChannelName()}${'x'.repeat(147)}`]) {
      const message = await publish(client, name, name);
      expect((await read(client, name, 'limit=1')).messages).toEqual([message]);
    }
  });

  it.each([
    ['an unknown member', { event: 'e', id: 'mine' }, 'id: id is not recognized'],
    ['a body that is a list', [], 'The body must be a JSON object'],
  ])('publishing rejects %s with 400 and nothing but error, and publishes nothing', async (_, body, error) => {
    const channel = newChannelName();
    const answer = await client.post(pathOf(channel), body);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error });
    expect((await client.get(pathOf(channel))).body).toEqual([]);
  });

  it('publishing accepts an event of 200 characters and data of exactly 64 KiB', async () => {
    const channel = newChannelName();
    const data = 'x'.repeat(65_534);

    const { status } = await client.post(pathOf(channel), { event: 'e'.repeat(200), data });

    expect(status).toBe(201);
    expect(dataOf(await read(client, channel))).toEqual([data]);
  });
});

describe('the data of a message', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each([
    ['null', 'null'],
    ['false', 'false'],
    ['a number', '0.1'],
    ['the largest exact integer', '9007199254740991'],
    ['an empty text', '""'],
    ['NUL', '"a\\u0000b"'],
    ['NUL in a key', '{"\\u0000":1}'],
    ['lone surrogates', '["\\ud800","\\udfff","x\\udc00\\ud800y"]'],
    ['an emoji', '"🧳"'],
    ['keys in their order', '{"z":1,"a":{"y":2,"b":3},"m":4}'],
    ['keys that JavaScript treats as its own', '{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3}'],
    ['__proto__ deep inside', '[{"a":[{"__proto__":null}]}]'],
    ['the depth that the parser takes', nested(31)],
    ['quotes, backslashes and line ends', '"\\"\\\\\\n\u2028"'],
    [
      'an object with 1,500 members',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`k${i}`, i]))),
    ],
  ])('the data of a message comes back unchanged: %s', async (_, json) => {
    const channel = newChannelName();

    const { status, text } = await client.post(pathOf(channel), undefined, {
      raw: `{"event":"e","data":${json}}`,
      headers: { 'Content-Type': 'application/json' },
    });

    const history = await client.get(pathOf(channel));
    expect(status).toBe(201);
    expect(text).toContain(`"data":${json},"publishedAt"`);
    expect(history.text).toContain(`"data":${json},"publishedAt"`);
  });

  it('the data of a message is returned unchanged; only integers that a double cannot represent are rejected', async () => {
    const channel = newChannelName();
    const anything = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' });
    const roundTrip = async (value: unknown) => {
      const json = JSON.stringify(value);
      const raw = `{"event":"e","data":${json}}`;
      const { status } = await client.post(pathOf(channel), undefined, {
        raw,
        headers: { 'Content-Type': 'application/json' },
      });
      expect([json, status]).toEqual([json, isExact(value) ? 201 : 400]);
      const newest = await client.get(`${pathOf(channel)}?limit=1`);
      if (status === 201) expect(newest.text).toContain(`"data":${json},"publishedAt"`);
    };
    await fc.assert(fc.asyncProperty(anything, roundTrip), { numRuns: 100 });
  }, 60_000);

  it.each([
    ['an integer beyond 2^53-1', '9007199254740993'],
    ['a number beyond a double', '1e400'],
    ['more depth than the parser takes', nested(32)],
    ['what is no JSON', '{'],
  ])('the data of a message is rejected with 400 if it contains %s', async (_, json) => {
    const answer = await client.post(pathOf(newChannelName()), undefined, {
      raw: `{"event":"e","data":${json}}`,
      headers: { 'Content-Type': 'application/json' },
    });

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });
});

/** Beyond 2^53-1 and below 1e21 JSON writes a number as an integer. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isExact);
}
