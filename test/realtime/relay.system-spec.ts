import { afterEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/ids/id.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { eventually } from '../launcher/wait.js';
import { type Overrides, startApp, type TestApp } from '../setup/app.js';
import { dataOf, type Message, newChannelName, read } from './channel.js';
import { withSession } from './session.js';

const started: TestApp[] = [];

/** An application for a single test: every application relays, and some tests must not have one that does. */
async function start(overrides: Overrides = {}): Promise<TestApp> {
  const app = await startApp(overrides);
  started.push(app);
  app.nest.get(Outbox).declare([{ channels: ['test.{n}'], events: ['test.counted'], members: ['n'] }]);
  return app;
}

afterEach(async () => {
  for (const app of started.splice(0)) await app.close();
});

/** Inserts an event as a transaction of the service would, in the open transaction of the session. */
async function write(session: Pick<pg.Client, 'query'>, channel: string, n: number): Promise<void> {
  await session.query(
    `insert into outbox_events (id, channel, event, data, created_at) values ($1, $2, 'test.counted', $3, now())`,
    [newId('evt'), channel, JSON.stringify({ n })],
  );
}

/** Adds an event through the service. */
function add(app: TestApp, channel: string, data: Record<string, unknown>): Promise<void> {
  return asSystem(() =>
    app.nest.get(Database).transaction(async () => {
      app.nest.get(Outbox).add({ channel, event: 'test.counted', data });
    }),
  );
}

const numbers = (messages: Message[]) => messages.map(({ data }) => (data as { n: number }).n);

async function published(app: TestApp, channel: string, count: number): Promise<Message[]> {
  const client = app.as('platform');
  return eventually(async () => {
    const { messages } = await read(client, channel, 'limit=1000');
    return messages.length >= count ? messages : null;
  });
}

const outbox = (app: TestApp, channel: string) => app.sql('select id from outbox_events where channel = $1', [channel]);

describe('the outbox relay', () => {
  it('the outbox relay publishes the events of a distribution channel with their ids and members', async () => {
    const app = await start();
    const name = newChannelName();
    const { body } = await app.as('owner').post<{ data: { id: string } }>('/v1/admin/distribution/channels', { name });
    const { id } = body.data;
    await app.as('owner').patch(`/v1/admin/distribution/channels/${id}`, { status: 'inactive' });

    const isOfChannel = ({ data }: Message) => (data as { channelId?: string }).channelId === id;
    const [created, updated] = await eventually(async () => {
      const { messages } = await read(app.as('platform'), 'distribution.channels', 'limit=1000');
      const own = messages.filter(isOfChannel);
      return own.length === 2 ? own : null;
    });

    expect(created).toEqual({
      id: expect.stringMatching(/^rtm_/),
      channel: 'distribution.channels',
      event: 'channel.created',
      data: { id: expect.stringMatching(/^evt_/), channelId: id, status: 'active', version: 1 },
      publishedAt: expect.any(String),
      publishedBy: 'platform',
    });
    expect(updated).toMatchObject({ event: 'channel.updated', data: { status: 'inactive', version: 2 } });
  });

  it('the outbox relay publishes at once what this process has committed', async () => {
    const app = await start();
    const channel = newChannelName();
    const delays: number[] = [];
    for (let n = 1; n <= 4; n += 1) {
      // By now the relay is between two polls: the next one is 400 ms away.
      await new Promise((resolve) => setTimeout(resolve, 700));
      const began = performance.now();
      await add(app, channel, { n });
      await published(app, channel, n);
      delays.push(performance.now() - began);
    }

    expect(Math.min(...delays)).toBeLessThan(250);
  });

  it('the outbox relay does not skip a transaction that commits late, and keeps the order', async () => {
    const app = await start();
    const channel = newChannelName();
    await withSession(async (late) => {
      await late.query('begin');
      await write(late, channel, 1);
      await withSession((early) => write(early, channel, 2));
      await new Promise((resolve) => setTimeout(resolve, 800));
      expect(dataOf(await read(app.as('platform'), channel))).toEqual([]);
      await late.query('commit');
    });

    expect(numbers(await published(app, channel, 2))).toEqual([1, 2]);
    expect(await outbox(app, channel)).toEqual([]);
  });

  it('the outbox relay never publishes what was rolled back', async () => {
    const app = await start();
    const channel = newChannelName();
    await withSession(async (session) => {
      await session.query('begin');
      await write(session, channel, 1);
      await session.query('rollback');
      await write(session, channel, 2);
    });
    const failing = asSystem(() =>
      app.nest.get(Database).transaction(async () => {
        app.nest.get(Outbox).add({ channel, event: 'test.counted', data: { n: 3 } });
        throw new Error('rolled back');
      }),
    );
    await expect(failing).rejects.toThrow('rolled back');
    await add(app, channel, { n: 4 });

    expect(numbers(await published(app, channel, 2))).toEqual([2, 4]);
  });

  it('the outbox relay publishes each event once and in order with several relaying processes', async () => {
    const apps = [await start(), await start(), await start()];
    const channels = Array.from({ length: 3 }, newChannelName);
    const [app] = apps;
    if (!app) throw new Error('no application');

    // Writes more than one batch with three concurrent processes, each to a separate channel.
    await Promise.all(
      channels.map(async (channel, index) => {
        for (let n = 0; n < 300; n += 10) {
          await asSystem(() =>
            apps[index]?.nest.get(Database).transaction(async () => {
              for (let k = n; k < n + 10; k += 1) {
                apps[index]?.nest.get(Outbox).add({ channel, event: 'test.counted', data: { n: k } });
              }
            }),
          );
        }
      }),
    );

    for (const channel of channels) {
      const messages = await published(app, channel, 300);
      expect(numbers(messages)).toEqual(Array.from({ length: 300 }, (_, n) => n));
      expect(new Set(messages.map(({ data }) => (data as { id: string }).id)).size).toBe(300);
    }
  });

  it('the outbox relay publishes more than one batch', async () => {
    const idle = await start({ env: { JOBS: 'false' } });
    const channel = newChannelName();
    await idle.sql(
      `insert into outbox_events (id, channel, event, data, created_at)
       select 'evt_' || md5($1 || n), $1, 'test.counted', json_build_object('n', n), now() from generate_series(1, 1200) as n`,
      [channel],
    );
    await idle.close();

    const app = await start();
    await eventually(async () => ((await outbox(app, channel)).length === 0 ? true : null));

    const { messages } = await read(app.as('platform'), channel, 'limit=1000');
    expect(numbers(messages)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 201));
  });

  it('the outbox relay publishes nothing in a process with JOBS=false', async () => {
    const app = await start({ env: { JOBS: 'false' } });
    const channel = newChannelName();
    await add(app, channel, { n: 1 });
    await new Promise((resolve) => setTimeout(resolve, 800));

    expect(await outbox(app, channel)).toHaveLength(1);
    expect(dataOf(await read(app.as('platform'), channel))).toEqual([]);
  });

  it('the outbox relay continues after its connections ended and the database was unavailable', async () => {
    const app = await start({ env: { LOG_LEVEL: 'warn' } });
    const channel = newChannelName();
    const unhandled: unknown[] = [];
    const keep = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', keep);
    const { adminUrl } = JSON.parse(process.env.TEST_RUN ?? '{}') as { adminUrl: string };
    const database = new URL(process.env.DATABASE_URL ?? '').pathname.slice(1);

    await withSession(async (session) => {
      await withSession(async (admin) => {
        await admin.query(`alter database ${database} with allow_connections false`);
        await session.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'travel-operations'`,
        );
        await write(session, channel, 1);
        await eventually(() => (app.logs.some((line) => line.includes('cannot relay the outbox')) ? true : null));
        await admin.query(`alter database ${database} with allow_connections true`);
      }, adminUrl);
    });

    expect(numbers(await published(app, channel, 1))).toEqual([1]);
    expect(unhandled).toEqual([]);
    process.off('unhandledRejection', keep);
  });

  it('the outbox relay stops with the service in the middle of its work and loses nothing', async () => {
    const channel = newChannelName();
    const first = await start();
    const adding = Promise.all(Array.from({ length: 50 }, (_, n) => add(first, channel, { n })));
    await adding;
    const began = performance.now();
    await first.close();
    expect(performance.now() - began).toBeLessThan(5_000);

    const second = await start();
    const messages = await published(second, channel, 50);
    expect(numbers(messages).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});
