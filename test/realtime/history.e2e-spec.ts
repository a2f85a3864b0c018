import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId, newId } from '../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, fill, type Message, newChannelName, pathOf, publish, read } from './channel.js';

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

describe('the history of a channel', () => {
  it('the history of a channel is an array of messages without an envelope, oldest first', async () => {
    const channel = newChannelName();
    const published = [await publish(client, channel, 1), await publish(client, channel, 2)];

    const { body, headers } = await client.get<Message[]>(pathOf(channel));

    expect(body).toEqual(published);
    expect(headers['x-realtime-complete']).toBe('true');
  });

  it('the history of a channel returns the newest messages without sinceId, 100 by default', async () => {
    const channel = newChannelName();
    const all = await fill(app, channel, 130);

    expect((await read(client, channel)).messages).toEqual(all.slice(30));
    expect((await read(client, channel, 'limit=3')).messages).toEqual(all.slice(127));
    expect((await read(client, channel, 'limit=1000')).messages).toEqual(all);
  });

  it('the history of a channel returns the first messages after sinceId: readers page forward until it is empty', async () => {
    const channel = newChannelName();
    const all = await fill(app, channel, 25);

    const pages: unknown[][] = [];
    for (let since = all[0]?.id; since !== undefined;) {
      const page = await read(client, channel, `limit=10&sinceId=${since}`);
      expect(page.complete).toBe('true');
      pages.push(dataOf(page));
      since = page.messages.at(-1)?.id;
    }

    expect(pages.map((page) => page.length)).toEqual([10, 10, 4, 0]);
    expect(pages.flat()).toEqual(all.slice(1).map(({ data }) => data));
  });

  it('the history of a channel is empty and complete for an unknown channel', async () => {
    expect(await read(client, newChannelName())).toEqual({ messages: [], complete: 'true' });
  });

  it('the history of a channel contains only messages of its own channel; names are case sensitive', async () => {
    const channel = newChannelName();
    await publish(client, channel, 'lower');
    await publish(client, channel.toUpperCase(), 'upper');

    expect(dataOf(await read(client, channel))).toEqual(['lower']);
  });

  it('the history of a channel decodes an encoded channel name', async () => {
    const channel = `${newChannelName()}:a`;
    await publish(client, channel, 1);

    expect(dataOf(await read(client, channel.replace(':', '%3A')))).toEqual([1]);
  });

  it('the history of a channel survives a restart', async () => {
    const channel = newChannelName();
    const first = await startApp();
    const message = await publish(first.as('platform'), channel, 'before');
    await first.close();

    expect((await read(client, channel)).messages).toEqual([message]);
  });

  it('the history of a channel contains the messages of the demo data in demo.news', async () => {
    const { messages } = await read(client, 'demo.news');

    expect(messages.slice(0, 3).map(({ event }) => event)).toEqual([
      'news.published',
      'news.published',
      'news.withdrawn',
    ]);
  });

  it.each([
    ['malformed', () => 'x'],
    ['empty', () => ''],
    ['of another kind', () => demoId('chan', 1)],
    ['upper-cased', () => newId('rtm').toUpperCase()],
    ['of no message', () => newId('rtm')],
    ['of the far future', () => `rtm_7${'z'.repeat(25)}`],
  ])('the history of a channel rejects a sinceId that is %s with 400', async (_, make) => {
    const channel = newChannelName();
    await publish(client, channel, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));

    const answer = await client.get(`${pathOf(channel)}?sinceId=${make()}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.stringMatching(/^sinceId: /) });
  });

  it('the history of a channel returns the kept messages and reports the gap for an older id of this channel', async () => {
    const channel = newChannelName();
    const first = await publish(client, channel, 1);
    await publish(client, channel, 2);
    await app.sql('delete from realtime_messages where id = $1', [first.id]);

    const history = await read(client, channel, `sinceId=${first.id}`);

    expect([dataOf(history), history.complete]).toEqual([[2], 'false']);
  });

  it('the history of a channel rejects an id that this channel never used, of any time', async () => {
    const channel = newChannelName();
    await publish(client, channel, 1);

    // Its last bits are a number that no channel has received yet.
    const answer = await client.get(`${pathOf(channel)}?sinceId=${demoId('rtm', 9_999)}`);

    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringMatching(/^sinceId: /) }]);
  });

  it('the history of a channel rejects a sinceId of another channel with 400, older or newer than the kept messages', async () => {
    const [channel, other] = [newChannelName(), newChannelName()];
    const older = await publish(client, other, 1);
    await publish(client, channel, 1);
    const younger = await publish(client, other, 2);

    const answers = await Promise.all([older, younger].map(({ id }) => client.get(`${pathOf(channel)}?sinceId=${id}`)));

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers.map(({ body }) => body)).toEqual(
      answers.map(() => ({ error: 'sinceId: is not the id of a message of this channel' })),
    );
  });

  it('the history of a channel rejects any sinceId on an unknown channel with 400', async () => {
    const { id } = await publish(client, newChannelName(), 1);

    const answer = await client.get(`${pathOf(newChannelName())}?sinceId=${id}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'sinceId: is not the id of a message of this channel' });
  });

  it.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=abc', 'limit=1.5', 'limit=', 'limit=1&limit=2'])(
    'the history of a channel rejects %s with 400',
    async (query) => {
      const answer = await client.get(`${pathOf('demo.news')}?${query}`);

      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: expect.stringMatching(/^limit: /) });
    },
  );

  it('the history of a channel rejects an unknown parameter with 400', async () => {
    const answer = await client.get(`${pathOf('demo.news')}?since=1`);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'since: since is not recognized' });
  });
});

describe('the name of a channel', () => {
  it.each(['a%20b', 'a%2Fb', '%00', 'caf%C3%A9', 'a%0A', '~', 'x'.repeat(165)])(
    'the invalid channel name %s is 400, to readers and publishers',
    async (name) => {
      const answers = [await client.get(pathOf(name)), await client.post(pathOf(name), { event: 'e' })];

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(answers.map(({ body }) => body)).toEqual(
        answers.map(() => ({ error: 'channel: must be 1 to 164 letters, digits or _-=@,.;:' })),
      );
    },
  );
});
