import { beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { MessagesRepository } from '../../src/modules/realtime/messages/messages.repository.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dataOf, keyWith, type Message, newChannelName, pathOf, publish, read } from './channel.js';
import { withSession } from './session.js';

let apps: [TestApp, TestApp];
let clients: [TestClient, TestClient];

beforeAll(async () => {
  apps = [await startApp(), await startApp()];
  clients = [apps[0].as('platform'), apps[1].as('platform')];
});

/** Pages by sinceId until `count` messages were seen. */
async function follow(client: TestClient, from: Message, count: number): Promise<Message[]> {
  const { channel } = from;
  const seen: Message[] = [];
  while (seen.length < count) {
    const page = await read(client, channel, `limit=13&sinceId=${(seen.at(-1) ?? from).id}`);
    expect(page.complete).toBe('true');
    seen.push(...page.messages);
  }
  return seen;
}

describe('the order of a channel', () => {
  it('the order of a channel is the same for 50 concurrent publishers on two processes: readers see every message once', async () => {
    const [publishers, each] = [50, 5];
    const channel = newChannelName();
    const first = await publish(clients[0], channel, 'first');
    const publishing = Array.from({ length: publishers }, async (_, publisher) => {
      const own: Message[] = [];
      for (let n = 0; n < each; n += 1) {
        own.push(await publish(clients[(publisher + n) % 2 ? 0 : 1], channel, { publisher, n }));
      }
      return own;
    });
    const readers = Array.from({ length: 4 }, (_, n) => follow(clients[n % 2 ? 0 : 1], first, publishers * each));

    const published = await Promise.all(publishing);
    const seen = await Promise.all(readers);

    const { messages } = await read(clients[0], channel, 'limit=1000');
    const [, ...all] = messages;
    expect(all).toHaveLength(publishers * each);
    expect(new Set(all.map(({ id }) => id)).size).toBe(publishers * each);
    expect(seen).toEqual(seen.map(() => all));
    // The messages of each publisher are in the order in which they were acknowledged.
    expect(published).toEqual(
      published.map((_, publisher) =>
        all.filter(({ data }) => (data as { publisher: number }).publisher === publisher),
      ),
    );
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
    expect(all.map(({ publishedAt }) => publishedAt)).toEqual(all.map(({ publishedAt }) => publishedAt).sort());
  }, 60_000);

  it('the order of a channel is the order of the commits: a message cannot be read before an earlier one is committed', async () => {
    const channel = newChannelName();
    const client = clients[0];
    const first = await publish(client, channel, 'first');
    const { nest } = apps[0];
    const published: Promise<Message>[] = [];

    await nest.get(Database).transaction(async () => {
      await nest.get(MessagesRepository).append([{ channel, event: 'e', data: 'slow', publishedBy: 'platform' }]);
      published.push(publish(clients[1], channel, 'fast'));
      await eventually(async () => ((await waiting()) > 0 ? true : null));
      expect(await read(client, channel)).toEqual({ messages: [first], complete: 'true' });
    });
    await Promise.all(published);

    expect(dataOf(await read(client, channel, `sinceId=${first.id}`))).toEqual(['slow', 'fast']);
  });

  it('the order of a channel leaves database connections free while 40 publishers wait for one channel', async () => {
    const channel = newChannelName();
    const client = clients[0];
    await publish(client, channel, 'first');
    // Another caller: the publishers use the share of theirs.
    const another = await keyWith(apps[0], 'realtime:publish');

    await withSession(async (session) => {
      await session.query('begin');
      await session.query('select from realtime_channels where name = $1 for update', [channel]);
      const waitingOnes = Array.from({ length: 40 }, (_, n) => publish(client, channel, n));
      await eventually(async () => ((await waiting()) > 0 ? true : null));
      const elsewhere = await Promise.all(names(5).map((other) => another.post(pathOf(other), { event: 'e' })));
      expect(elsewhere.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      await session.query('commit');
      await Promise.all(waitingOnes);
    });

    expect(dataOf(await read(client, channel))).toHaveLength(41);
  });

  it('the order of a channel has no gap after a publisher was rolled back', async () => {
    const channel = newChannelName();
    const { nest } = apps[0];
    const first = await publish(clients[0], channel, 1);

    const failing = nest.get(Database).transaction(async () => {
      await nest.get(MessagesRepository).append([{ channel, event: 'e', data: 'never', publishedBy: 'platform' }]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await publish(clients[0], channel, 2);

    const after = await read(clients[0], channel, `sinceId=${first.id}`);
    expect([dataOf(after), after.complete]).toEqual([[2], 'true']);
  });

  it('the order of a channel never goes back in time, even if another process has a slow clock', async () => {
    const channel = newChannelName();
    const before = await publish(clients[0], channel, 1);
    apps[1].travel({ hours: -2 });
    const after = await publish(clients[1], channel, 2);
    apps[1].travel({ hours: 2 });
    const last = await publish(clients[1], channel, 3);

    expect(after.publishedAt).toBe(before.publishedAt);
    expect(last.publishedAt > after.publishedAt).toBe(true);
    expect([before.id, after.id, last.id]).toEqual([before.id, after.id, last.id].sort());
    expect(dataOf(await read(clients[0], channel, `sinceId=${before.id}`))).toEqual([2, 3]);
  });

  it('the order of several channels in one transaction is consistent: they are locked in name order and cannot deadlock', async () => {
    const channels = names(8);
    const log = apps[0].nest.get(MessagesRepository);
    const [deadlocksBefore] = await apps[0].sql(DEADLOCKS);

    await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const order = n % 2 ? channels : [...channels].reverse();
        return log.append(order.map((channel) => ({ channel, event: 'e', data: n, publishedBy: 'platform' })));
      }),
    );

    const histories = await Promise.all(channels.map((name) => read(clients[0], name, 'limit=1000')));
    const [reference = []] = histories.map(dataOf);
    expect(reference).toHaveLength(40);
    // The transaction that locked the first channel locked all of them, so all channels have the same order.
    expect(histories.map(dataOf)).toEqual(histories.map(() => reference));
    expect(await apps[0].sql(DEADLOCKS)).toEqual([deadlocksBefore]);
  });

  it('the order of messages that one transaction publishes to a channel is kept', async () => {
    const channel = newChannelName();
    const other = newChannelName();
    const drafts = Array.from({ length: 500 }, (_, n) => ({
      channel: n % 3 ? channel : other,
      event: 'e',
      data: n,
      publishedBy: 'platform',
    }));

    const messages = await apps[0].nest.get(MessagesRepository).append(drafts);

    expect(messages.map(({ data }) => data)).toEqual(drafts.map(({ data }) => data));
    const expected = drafts.filter((draft) => draft.channel === channel).map(({ data }) => data);
    const history = await read(clients[0], channel, 'limit=1000');
    expect(dataOf(history)).toEqual(expected);
    expect(history.messages.map(({ id }) => id)).toEqual(
      messages.filter((message) => message.channel === channel).map(({ id }) => id),
    );
  });
});

const names = (count: number) => Array.from({ length: count }, newChannelName);

const DEADLOCKS = 'select deadlocks from pg_stat_database where datname = current_database()';

async function waiting(): Promise<number> {
  const rows = await apps[0].sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
