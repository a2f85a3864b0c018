import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { provision, uniqueName, withKey } from '../connect/partners.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { dataOf, newChannelName, pathOf, publish, read, tokenWith } from './channel.js';
import { closeStreams, eventsOf, rawStream } from './following.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterEach(closeStreams);

const message = { event: 'test.happened' };

describe('a realtime scope that is narrowed to channels', () => {
  it('allows to read the channels with the prefix and no others', async () => {
    const prefix = newChannelName();
    const key = await withKey(app, [`realtime:subscribe:${prefix}.*`]);
    const others = [prefix, `${prefix}x.a`, newChannelName(), 'finance.supplier-invoices'];
    await publish(app.as('platform'), `${prefix}.a`, 1);
    await publish(app.as('platform'), prefix, 2);

    expect(dataOf(await read(key, `${prefix}.a`))).toEqual([1]);
    expect((await read(key, `${prefix}.never.used`)).messages).toEqual([]);
    for (const channel of others) {
      const rejected = [await key.get(pathOf(channel)), await key.get(eventsOf(channel))];
      const scope = `realtime:subscribe:${channel}`;
      expect(rejected.map(({ status, body }) => [status, body])).toEqual([
        [403, { error: `Requires the scope ${scope}` }],
        [403, { error: `Requires the scope ${scope}` }],
      ]);
      expect(rejected[0]?.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
  });

  it('allows to publish on one channel and no others, and not to read it', async () => {
    const channel = newChannelName();
    const key = await withKey(app, [`realtime:publish:${channel}`]);

    expect((await key.post(pathOf(channel), message)).status).toBe(201);
    const rejected = [await key.post(pathOf(`${channel}.a`), message), await key.get(pathOf(channel))];
    expect(rejected.map(({ status, body }) => [status, body])).toEqual([
      [403, { error: `Requires the scope realtime:publish:${channel}.a` }],
      [403, { error: 'Requires the scope realtime:subscribe' }],
    ]);
    expect((await read(app.as('platform'), channel)).messages.length).toBe(1);
  });

  it('a realtime scope that is narrowed to channels is checked before the name of the channel and the query', async () => {
    const key = await withKey(app, ['realtime:subscribe:test.*']);
    const { status, body } = await key.get(`${pathOf('test%22x')}?limit=0`);
    expect([status, body]).toEqual([403, { error: 'Requires the scope realtime:subscribe' }]);
    expect((await key.get(`${pathOf('test.a')}?limit=0`)).status).toBe(400);
  });

  it('a realtime scope that is narrowed to channels is compared with the decoded name of the channel', async () => {
    const key = await withKey(app, ['realtime:subscribe:test.*']);
    expect((await key.get(pathOf('test%2Ea'))).status).toBe(200);
    expect((await key.get(pathOf('test%2ea,b'))).status).toBe(200);
    expect((await key.get(pathOf('other%2Ftest.a'))).status).toBe(403);
  });

  it('a realtime scope that is narrowed to channels ends the open streams of other channels when a key is narrowed', async () => {
    const [kept, ended] = [`${newChannelName()}.a`, newChannelName()];
    const token = await tokenWith(app, 'realtime:subscribe');
    const streams = [];
    for (const channel of [kept, ended]) streams.push(await rawStream({ url: app.url, token, channel }));
    const [still, closed] = streams.map(({ response }) => response);
    closed?.resume();

    await app.sql('update api_tokens set scopes = $1 where public_id = $2', [
      [`realtime:subscribe:${kept.slice(0, -2)}.*`],
      token.slice(4, 20),
    ]);
    await eventually(async () => (closed?.readableEnded ? true : null));
    expect(still?.readableEnded).toBe(false);
  });

  it.each([
    'realtime:subscribe:*',
    'realtime:subscribe:',
    'realtime:read:a',
    'realtime:publish:a*',
    'realtime:publish:a b',
  ])('a realtime scope that is narrowed to channels cannot be written as %s', async (scope) => {
    const row = { name: uniqueName('key'), scopes: [scope] };
    await expect(provision(app, { platformKeys: [row] })).rejects.toThrow('platformKeys.0.scopes');
  });
});
