import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MessagesRepository } from '../../src/modules/realtime/messages/messages.repository.js';
import { MessageJobs } from '../../src/modules/realtime/messages/messages.jobs.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, fill, newChannelName, pathOf, publish, read } from './channel.js';
import { closeStreams, StreamClient } from './following.js';
import { withSession } from './session.js';

let app: TestApp;
let client: TestClient;
let channel: string;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

afterEach(closeStreams);

beforeEach(() => {
  channel = newChannelName();
});

const purge = () => app.nest.get(MessageJobs).purge();

/** The content of the tables, as opposed to what readers receive, with 1 as the number of the first message. */
async function stored(): Promise<{ seqs: number[]; oldest: number }> {
  const [row] = await app.sql<{ seqs: number[]; oldest: number }>(
    `select array(select (seq - first_seq + 1)::float8 from realtime_messages where channel_id = c.id order by seq) as seqs,
       (oldest_seq - first_seq + 1)::float8 as oldest
     from realtime_channels as c where name = $1`,
    [channel],
  );
  return row ?? { seqs: [], oldest: 0 };
}

describe.each([
  ['before the job has run', async () => undefined],
  ['after the job has run', purge],
])('retention by age, %s', (_, clear) => {
  it('retention by age keeps a message for 72 hours', async () => {
    await publish(client, channel, 1);

    app.travel({ hours: 71 });
    await clear();
    expect(dataOf(await read(client, channel))).toEqual([1]);

    app.travel({ hours: 1 });
    await clear();
    expect(await read(client, channel)).toEqual({ messages: [], complete: 'true' });
  });

  it('retention by age reports an incomplete history to a reader whose last message was deleted, with the kept messages', async () => {
    const first = await publish(client, channel, 1);
    const second = await publish(client, channel, 2);
    app.travel({ hours: 40 });
    const third = await publish(client, channel, 3);
    await publish(client, channel, 4);
    app.travel({ hours: 40 });
    await clear();

    for (const { id } of [first, second]) {
      const history = await read(client, channel, `sinceId=${id}`);
      expect([dataOf(history), history.complete]).toEqual([[3, 4], 'false']);
      expect(dataOf(await read(client, channel, `sinceId=${id}&limit=1`))).toEqual([3]);
    }
    const kept = await read(client, channel, `sinceId=${third.id}`);
    expect([dataOf(kept), kept.complete]).toEqual([[4], 'true']);
  });

  it('retention by age reports the gap even if no message is kept', async () => {
    const first = await publish(client, channel, 1);
    await publish(client, channel, 2);
    app.travel({ hours: 73 });
    await clear();

    expect(await read(client, channel, `sinceId=${first.id}`)).toEqual({ messages: [], complete: 'false' });
  });

  it('retention by age reports no gap to a reader who has the last message of a quiet channel', async () => {
    await publish(client, channel, 1);
    const last = await publish(client, channel, 2);
    app.travel({ hours: 73 });
    await clear();

    expect(await read(client, channel, `sinceId=${last.id}`)).toEqual({ messages: [], complete: 'true' });

    const next = await publish(client, channel, 3);
    expect((await read(client, channel)).messages).toEqual([next]);
  });

  it('retention by age still rejects an id of another channel', async () => {
    await publish(client, channel, 1);
    app.travel({ hours: 73 });
    await clear();
    const { id } = await publish(client, newChannelName(), 1);

    const answer = await client.get(`${pathOf(channel)}?sinceId=${id}`);

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'sinceId: is not the id of a message of this channel' });
  });
});

describe('a gap that occurs while history is read', () => {
  it.each([
    ['and messages follow it', 1],
    ['and nothing follows it', 0],
  ])("a gap is reported if messages are deleted after the reader's position was found, %s", async (_, following) => {
    const log = app.nest.get(MessagesRepository);
    const first = await publish(client, channel, 1);
    await publish(client, channel, 2);
    const place = await log.findPosition(channel, first.id);
    app.travel({ hours: 73 });
    await purge();
    await fill(app, channel, following);

    const page = place && (await log.after(channel, place, 10));

    expect(place?.complete).toBe(true);
    expect(page?.messages).toHaveLength(following);
    expect(page?.complete).toBe(false);
  });
});

describe('retention by count', () => {
  it('retention by count keeps the newest 10,000 messages of a channel, and reports the gap to readers of older ones', async () => {
    const all = await fill(app, channel, 10_003);
    const since = async (n: number) => read(client, channel, `limit=2&sinceId=${all[n - 1]?.id}`);
    const look = async () => [await since(2), await since(3), await since(4)].map((it) => [dataOf(it), it.complete]);
    const expected = [
      [[4, 5], 'false'],
      [[4, 5], 'false'],
      [[5, 6], 'true'],
    ];

    expect(await look()).toEqual(expected);
    expect(await stored()).toMatchObject({ oldest: 1 });
    await purge();
    expect(await look()).toEqual(expected);
    const { seqs, oldest } = await stored();
    expect([seqs.length, seqs[0], oldest]).toEqual([10_000, 4, 4]);
  });
});

describe('the retention job', () => {
  it('the retention job deletes in batches and updates oldest_seq with them', async () => {
    await fill(app, channel, 2_500);
    app.travel({ hours: 73 });
    const { id } = await publish(client, channel, 'kept');

    await purge();

    expect(await stored()).toEqual({ seqs: [2_501], oldest: 2_501 });
    expect((await read(client, channel)).messages.map((message) => message.id)).toEqual([id]);
  });

  it('the retention job runs beside publishers and a second job, and deletes exactly the expired messages', async () => {
    await fill(app, channel, 1_500);
    app.travel({ hours: 73 });

    const [, , ...published] = await Promise.all([
      purge(),
      purge(),
      ...Array.from({ length: 20 }, (_, n) => publish(client, channel, n)),
    ]);

    const { messages } = await read(client, channel);
    expect(messages.map(({ id }) => id)).toEqual(published.map((message) => message?.id).sort());
    expect((await stored()).oldest).toBe(1_501);
  });

  it('the retention job changes nothing if it is interrupted: messages and oldest_seq are rolled back together', async () => {
    await fill(app, channel, 10);
    app.travel({ hours: 73 });
    await withSession(async (session) => {
      await session.query('begin');
      await session.query(
        'select from realtime_messages where id = (select max(id) from realtime_messages) for update',
      );
      await expect(purge()).rejects.toMatchObject({ code: '55P03' });
    });

    expect(await stored()).toMatchObject({ oldest: 1 });
    expect((await stored()).seqs).toHaveLength(10);
    await purge();
    expect(await stored()).toEqual({ seqs: [], oldest: 11 });
  });

  it('the retention job deletes a channel after 30 days without messages, and readers and streams continue when it is used again', async () => {
    const first = await publish(client, channel, 1);
    const stream = await StreamClient.open({ url: app.url, token: app.credentials.platformKey, channel });
    app.travel({ days: 29 });
    await purge();
    expect(await stored()).toEqual({ seqs: [], oldest: 2 });
    expect(await read(client, channel, `sinceId=${first.id}`)).toEqual({ messages: [], complete: 'true' });

    app.travel({ days: 1 });
    await purge();
    expect(await app.sql('select from realtime_channels where name = $1', [channel])).toEqual([]);
    expect(await read(client, channel, `sinceId=${first.id}`)).toEqual({ messages: [], complete: 'false' });

    const next = await publish(client, channel, 2);
    expect(await read(client, channel, `sinceId=${first.id}`)).toEqual({ messages: [next], complete: 'false' });
    expect(await read(client, channel, `sinceId=${next.id}`)).toEqual({ messages: [], complete: 'true' });
    await stream.until(1);
    expect([stream.messages, stream.gaps]).toEqual([[next], 0]);
  });

  it('the retention job is scheduled by the clock', async () => {
    const rows = await app.sql(
      `select from graphile_worker._private_known_crontabs where identifier = 'realtime.retention'`,
    );

    expect(rows).toHaveLength(1);
  });
});
