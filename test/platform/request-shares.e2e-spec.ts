import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import { hire, type Member } from '../identity/staff.js';
import { newChannelName } from '../realtime/channel.js';
import { closeStreams, rawStream } from '../realtime/following.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { lockTable, until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels?limit=1';
const FACILITIES = '/v1/admin/operations/facilities?limit=1';
const BOOKINGS = '/v1/admin/bookings?limit=1';
const RECEIVABLES = '/v1/admin/finance/reports/receivables?basis=document';
const CONTRACT = '/v1/public/legal/contracts/ctr_0000000000000000000000000a';
/** The share of a caller is a quarter, which is four. */
const env = { DATABASE_POOL_SIZE: '16', JOBS: 'false', TRUSTED_PROXIES: '127.0.0.1,::1' };

let app: TestApp;
let other: Member;
beforeAll(async () => {
  app = await startApp({ env });
  other = await hire(app, ['viewer']);
});
afterEach(closeStreams);

function many<T>(count: number, work: () => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, work);
}

function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Runs the work while statements that read the table wait. */
async function whileLocked(
  name: Parameters<typeof lockTable>[0],
  work: (waiting: () => Promise<number>) => Promise<void>,
) {
  const table = await lockTable(name);
  try {
    await work(table.waiting);
  } finally {
    await table.release();
  }
}

/** Requests of other callers meanwhile; each needs a connection to the database. */
async function expectOthersServed(): Promise<void> {
  const { user, password } = other;
  const headers = { 'X-Forwarded-For': '198.51.100.7' };
  const answers = [
    await app.post('/v1/admin/identity/sessions', { email: user.email, password }, { headers }),
    await app.as('owner').get(FACILITIES),
    await app.as('platform').get('/realtime/v1/channels/bookings/messages'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
}

describe('the share of a caller', () => {
  it('thirty reports of one credential use two connections, some wait, and the others are 429 with Retry-After', async () => {
    const { client } = await hire(app, ['finance']);
    let reports: Promise<Answer>[] = [];
    await whileLocked('invoices', async (waiting) => {
      reports = many(30, () => client.get(RECEIVABLES));
      await until(async () => (await waiting()) >= 2);
      await expectOthersServed();
      expect(await waiting()).toBe(2);
    });
    const answers = await Promise.all(reports);
    expect(statusesOf(answers)).toEqual({ 200: 18, 429: 12 });
    const rejected = answers.find(({ status }) => status === 429);
    expect([rejected?.headers['retry-after'], rejected?.body]).toEqual([
      '1',
      {
        error: 'Too many requests of this kind are running; wait for one of them',
        code: 'rate_limited',
        requestId: rejected?.headers['x-request-id'],
        details: { limit: 18, retryAfterMs: 1000 },
      },
    ]);
  });

  it.each([
    ['the aging of what is owed', '/v1/admin/finance/aging?side=receivable'],
    ['the accounting checks', '/v1/admin/finance/integrity'],
    ['the credit of customers', '/v1/admin/finance/customer-credit'],
    ['an exported report', `${RECEIVABLES}&format=csv`],
    ['a page far behind in a list', '/v1/admin/finance/payments?offset=50000'],
  ])('%s counts among the expensive reads, which use a quarter of the connections', async (_, path) => {
    const members = await Promise.all(many(3, () => hire(app, ['finance'])));
    let reads: Promise<Answer>[] = [];
    await whileLocked('payments', async (waiting) => {
      reads = members.flatMap(({ client }) => many(5, () => client.get(path)));
      await until(async () => (await waiting()) >= 4);
      await expectOthersServed();
      expect(await waiting()).toBe(4);
    });
    await Promise.all(reads);
  });

  it('one credential uses at most a quarter of the connections, and further requests wait for their turn', async () => {
    const { client } = await hire(app, ['owner']);
    let requests: Promise<Answer>[] = [];
    await whileLocked('channels', async (waiting) => {
      requests = many(40, () => client.get(CHANNELS));
      await until(async () => (await waiting()) >= 4);
      await expectOthersServed();
      expect(await waiting()).toBe(4);
    });
    expect(statusesOf(await Promise.all(requests))).toEqual({ 200: 40 });
  });

  it('all credentials of one address together use at most half of the connections', async () => {
    const members = await Promise.all(many(4, () => hire(app, ['owner'])));
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    let requests: Promise<Answer>[] = [];
    await whileLocked('channels', async (waiting) => {
      requests = members.flatMap(({ client }) => many(5, () => client.get(CHANNELS, { headers })));
      await until(async () => (await waiting()) >= 8);
      await expectOthersServed();
      expect(await waiting()).toBe(8);
    });
    expect(statusesOf(await Promise.all(requests))).toEqual({ 200: 20 });
  });

  it('one address uses at most a quarter of the connections without a credential', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.2' };
    let requests: Promise<Answer>[] = [];
    await whileLocked('contracts', async (waiting) => {
      requests = many(20, () => app.get(CONTRACT, { headers }));
      await until(async () => (await waiting()) >= 4);
      await expectOthersServed();
      expect(await waiting()).toBe(4);
    });
    expect(statusesOf(await Promise.all(requests))).toEqual({ 404: 20 });
  });

  it('unknown tokens from one address use two connections while they are verified', async () => {
    const known = await hire(app, ['viewer']);
    await known.client.get(BOOKINGS);
    await whileLocked('api_tokens', async (waiting) => {
      const unknown = many(20, () =>
        app.with(newCredential('vsk').token).get(BOOKINGS, { headers: { 'X-Forwarded-For': '192.0.2.3' } }),
      );
      await until(async () => (await waiting()) >= 2);
      expect((await known.client.get(BOOKINGS)).status).toBe(200);
      expect(await waiting()).toBe(2);
      void Promise.allSettled(unknown);
    });
  });

  it('a request that waits for half of its deadline is 429, and one of another caller is served', async () => {
    const impatient = await startApp({ env: { ...env, REQUEST_DEADLINE_MS: '1500' } });
    const owner = impatient.as('owner');
    await whileLocked('channels', async (waiting) => {
      const running = many(4, () => owner.get(CHANNELS));
      await until(async () => (await waiting()) >= 4);
      const { status, body } = await owner.get(BOOKINGS);
      expect([status, body]).toMatchObject([429, { code: 'rate_limited' }]);
      expect((await impatient.as('platform').get('/realtime/v1/channels/bookings/messages')).status).toBe(200);
      await Promise.all(running);
    });
  });

  it('requests that wait for their turn do not fill the process', async () => {
    const small = await startApp({ env: { ...env, MAX_IN_FLIGHT: '8' } });
    const owner = small.as('owner');
    await owner.get(BOOKINGS);
    let requests: Promise<Answer>[] = [];
    await whileLocked('channels', async (waiting) => {
      requests = many(8, () => owner.get(CHANNELS));
      await until(async () => (await waiting()) >= 4);
      expect((await small.as('platform').get('/realtime/v1/channels/bookings/messages')).status).toBe(200);
    });
    expect(statusesOf(await Promise.all(requests))).toEqual({ 200: 8 });
  });

  it('open streams use up no share', async () => {
    const place = { url: app.url, token: app.credentials.platformKey, channel: newChannelName() };
    for (let n = 0; n < 12; n += 1) expect((await rawStream(place)).response.statusCode).toBe(200);
    const client: TestClient = app.as('platform');
    const answers = await Promise.all(many(20, () => client.get('/realtime/v1/channels/bookings/messages')));
    expect(statusesOf(answers)).toEqual({ 200: 20 });
  });
});
