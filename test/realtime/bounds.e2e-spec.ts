import { beforeAll, describe, expect, it } from '@jest/globals';
import { MessageJobs } from '../../src/modules/realtime/messages/messages.jobs.js';
import { DailyBudgets } from '../../src/platform/admission/daily-budgets.js';
import { newOperator, withKey } from '../connect/partners.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newChannelName, pathOf, patiently, publish, tokenWith } from './channel.js';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const SCOPES = ['realtime:publish'];
const KIB_64 = 'x'.repeat(65_534);
const PER_MIB = 15;
const FULL = { error: 'The publisher has 10,000 channels; those without messages for 30 days are deleted' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { RATE_LIMIT_FACTOR: '1' } });
});

interface Rejected {
  error: string;
  retryAfterMs: number;
}

const send = (client: TestClient, channel: string, data: unknown = 1) =>
  client.post<Rejected>(pathOf(channel), { event: 'e', data });

/** Publishes 64 KiB once and returns the id of the key, for which the process has reserved 1 MiB. */
async function keyIdOf(client: TestClient): Promise<string> {
  const { publishedBy } = await publish(client, newChannelName(), KIB_64);
  const id = publishedBy?.replace(/^key:/, '') ?? '';
  expect(await usedBy(id)).toBe(MIB);
  return id;
}

const usedBy = async (subject: string) => {
  const [row] = await app.sql<{ used: number }>(
    `select used::float8 as used from daily_budgets where name = 'realtime-bytes' and subject = $1`,
    [subject],
  );
  return row?.used;
};

const use = (subject: string, used: number) =>
  app.sql('update daily_budgets set used = $2 where subject = $1', [subject, used]);

/** Changes the publisher's number of channels by this amount. */
const addChannels = (publisher: string, channels: number) =>
  app.sql('update realtime_channel_counts set channels = channels + $2 where publisher = $1', [publisher, channels]);

const countOf = async (publisher: string) => {
  const [row] = await app.sql<{ channels: number }>(
    'select channels from realtime_channel_counts where publisher = $1',
    [publisher],
  );
  return row?.channels;
};

describe('the bytes of a realtime key', () => {
  it('a key publishes 256 MiB a day; then it gets 429 with error and retryAfterMs until the next day, while other keys publish', async () => {
    const [client, other] = [await withKey(app, SCOPES), await withKey(app, SCOPES)];
    const subject = await keyIdOf(client);
    await use(subject, 256 * MIB);
    const channel = newChannelName();

    // Returns the amount that the process has reserved.
    const statuses = [];
    for (let n = 1; n < PER_MIB; n += 1) statuses.push((await send(client, channel, KIB_64)).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const small = await send(client, channel, KIB_64);
    const { status, body, headers } = small.status === 201 ? await send(client, channel, KIB_64) : small;

    const untilMidnight = DAY_MS - (app.now().getTime() % DAY_MS);
    expect([status, body]).toEqual([429, { error: 'The daily limit is used up', retryAfterMs: expect.any(Number) }]);
    expect(body.retryAfterMs).toBeGreaterThanOrEqual(Math.min(DAY_MS, untilMidnight));
    expect(body.retryAfterMs).toBeLessThanOrEqual(Math.min(DAY_MS, untilMidnight + 61_000));
    expect(headers['retry-after']).toBe(String(Math.ceil(body.retryAfterMs / 1000)));
    expect((await send(other, channel, KIB_64)).status).toBe(201);

    app.travel({ ms: body.retryAfterMs });
    expect((await send(client, channel, KIB_64)).status).toBe(201);
    await app.nest.get(DailyBudgets).purge();
    const days = await app.sql('select from daily_budgets where subject = $1', [subject]);
    expect(days).toHaveLength(1);
  });

  it('the bytes of a key are counted over all processes, and competing requests never exceed them', async () => {
    const second = await startApp({ env: { RATE_LIMIT_FACTOR: '1', SURFACES: 'realtime' } });
    second.travel({ ms: app.now().getTime() - second.now().getTime() });
    const token = await tokenWith(app, ...SCOPES);
    const clients = [app, second].map((one) => one.with(token));
    const subject = await keyIdOf(app.with(token));
    await use(subject, 254 * MIB);

    const answers = await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 40 }, () => patiently(() => send(client, newChannelName(), KIB_64))),
      ),
    );

    const published = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status !== 201 && status !== 429)).toEqual([]);
    expect(published).toBeLessThanOrEqual(3 * PER_MIB);
    expect(published).toBeGreaterThan(PER_MIB);
    expect(await usedBy(subject)).toBe(256 * MIB);
  });
});

describe('the channels of a publisher', () => {
  it('the keys of an operator have 10,000 channels together; a new one is 409 with only an error, a known one is not', async () => {
    const operatorId = await newOperator(app);
    const [first, second] = [await withKey(app, SCOPES, operatorId), await withKey(app, SCOPES, operatorId)];
    const publisher = `operator:${operatorId}`;
    for (const client of [first, second]) await publish(client, `${operatorId}.known`, 1);
    expect(await countOf(publisher)).toBe(1);
    await addChannels(publisher, 9_998);
    await publish(second, `${operatorId}.last`, 1);

    for (const client of [first, second]) {
      const { status, body } = await send(client, `${operatorId}.more`);
      expect([status, body]).toEqual([409, FULL]);
      await publish(client, `${operatorId}.known`, 2);
    }
    expect(await countOf(publisher)).toBe(10_000);
    expect(await app.sql('select from realtime_channels where name = $1', [`${operatorId}.more`])).toEqual([]);
  });

  it('a key of the platform has 10,000 channels of its own, however many requests compete for the last one', async () => {
    const [client, other] = [await withKey(app, SCOPES), await withKey(app, SCOPES)];
    const channel = newChannelName();
    await publish(client, channel, 1);
    const [created] = await app.sql<{ publisher: string }>(
      'select created_by as publisher from realtime_channels where name = $1',
      [channel],
    );
    const publisher = created?.publisher ?? '';
    expect(publisher).toMatch(/^key:/);
    await addChannels(publisher, 9_998);

    const answers = await Promise.all(Array.from({ length: 8 }, () => send(client, newChannelName())));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    const shared = newChannelName();
    const both = await Promise.all([
      send(client, shared),
      send(other, shared),
      send(client, shared),
      send(other, shared),
    ]);
    expect(both.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(2);
    expect(await countOf(publisher)).toBe(10_000);
  });

  it('a channel that is deleted after 30 days without messages makes room for another one', async () => {
    const operatorId = await newOperator(app);
    const client = await withKey(app, SCOPES, operatorId);
    const publisher = `operator:${operatorId}`;
    await publish(client, `${operatorId}.old`, 1);
    await addChannels(publisher, 9_999);
    expect((await send(client, `${operatorId}.new`)).status).toBe(409);

    app.travel({ days: 30 });
    await app.nest.get(MessageJobs).purge();

    expect(await countOf(publisher)).toBe(9_999);
    await publish(client, `${operatorId}.new`, 1);
  });
});
