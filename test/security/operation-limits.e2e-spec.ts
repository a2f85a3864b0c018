import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { operationLimitsOf } from '../../src/platform/admission/request-shares.js';
import { hire } from '../identity/staff.js';
import { lockTable, until } from '../platform/locked-table.js';
import { newChannelName, tokenWith } from '../realtime/channel.js';
import { closeStreams, eventsOf, rawStream } from '../realtime/following.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

const VERIFY = '/v1/admin/action-ledger/verify';
const CHANNELS = '/v1/admin/distribution/channels?limit=1';

const EXPENSIVE = [
  'GET /realtime/v1/channels/:channel/events',
  'GET /realtime/v1/events',
  'GET /realtime/v1/tickets/:ticket/events',
  'GET /v1/admin/action-ledger/entries/:id/reversal-preview',
  'GET /v1/admin/action-ledger/entries/export',
  'GET /v1/admin/action-ledger/verify',
  'POST /v1/admin/bookings/:bookingId/dispatch',
  'POST /v1/admin/documents',
  'POST /v1/admin/documents/:id/dispatch',
  'POST /v1/admin/finance/bookings/:bookingId/collection-plan',
  'POST /v1/admin/finance/credit-notes/:id/renditions',
  'POST /v1/admin/finance/invoices/:id/dispatch',
  'POST /v1/admin/finance/invoices/:id/renditions',
  'POST /v1/admin/identity/me/password',
  'POST /v1/admin/identity/me/second-factor',
  'POST /v1/admin/imports',
  'POST /v1/admin/notifications/reminder-rules/:id/simulations',
  'PUT /v1/admin/attachments/:attachmentId/content',
  'PUT /v1/admin/organization/logo',
];

/** The routes that declare `@LimitOperation()`. */
function declaredBy(app: TestApp): string[] {
  const [discovery, scanner] = [app.nest.get(DiscoveryService), app.nest.get(MetadataScanner)];
  return discovery.getControllers().flatMap(({ instance, metatype }) => {
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name] ?? {};
      if (!operationLimitsOf(handler) || !metatype) return [];
      const parts = [metatype, handler].map((target) => String(Reflect.getMetadata(PATH_METADATA, target)));
      const path = parts.flatMap((part) => part.split('/')).filter(Boolean);
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      return [`${method} /${path.join('/')}`];
    });
  });
}

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Four expensive reads at the same time, more than there may be verifications.
  app = await startApp({ env: { JOBS: 'false', DATABASE_POOL_SIZE: '16' } });
  staff = app.as('owner');
});
afterEach(closeStreams);

it('every expensive operation declares its limits', () => {
  expect(declaredBy(app).sort()).toEqual(EXPENSIVE);
});

describe('an expensive operation', () => {
  it('an expensive operation is 429 above the share of its credential, and waits for its turn while others have the places', async () => {
    const members = await Promise.all([1, 2].map(() => hire(app, ['finance'])));
    await staff.get(CHANNELS);
    const table = await lockTable('action_ledger_entries');
    const running = [staff, members[0]?.client].map((client) => client?.get(VERIFY));
    await until(async () => (await table.waiting()) === 2);
    const rejected = await Promise.all(Array.from({ length: 8 }, () => staff.get(VERIFY)));
    const third = members[1]?.client.get(VERIFY);
    const waiting = await table.waiting();
    const other = await staff.get(CHANNELS);
    await table.release();

    expect([waiting, other.status]).toEqual([2, 200]);
    for (const { status, headers, body } of rejected) {
      expect([status, headers['retry-after']]).toEqual([429, '1']);
      expect(body).toEqual({
        error: 'Too many requests of this kind are running; wait for one of them',
        code: 'rate_limited',
        requestId: headers['x-request-id'],
        details: { limit: 1, retryAfterMs: 1000 },
      });
    }
    const answers = await Promise.all([...running, third]);
    expect(answers.map((answer) => answer?.status)).toEqual([200, 200, 200]);
  });

  it('an expensive operation that waited in vain for half of its deadline is 503', async () => {
    const impatient = await startApp({ env: { JOBS: 'false', REQUEST_DEADLINE_MS: '1500' } });
    const members = await Promise.all([1, 2, 3].map(() => hire(app, ['finance'])));
    const table = await lockTable('action_ledger_entries');
    const running = members.slice(0, 2).map(({ session }) => impatient.with(session).get(VERIFY));
    await until(async () => (await table.waiting()) === 2);
    const full = await impatient.with(members[2]?.session ?? '').get(VERIFY);
    await table.release();
    expect([full.status, full.headers['retry-after'], full.body]).toEqual([
      503,
      '1',
      {
        error: 'Too many requests of this kind are running; try again later',
        code: 'overloaded',
        requestId: full.headers['x-request-id'],
        details: { retryAfterMs: 1000 },
      },
    ]);
    await Promise.all(running);
    await until(async () => (await staff.get(VERIFY)).status === 200);
  });

  it('an expensive operation whose client has disconnected counts until its work has ended', async () => {
    const table = await lockTable('action_ledger_entries');
    const left = request(`${app.url}${VERIFY}`, {
      agent: false,
      headers: { Authorization: `Bearer ${app.credentials.staff.token}` },
    });
    left.on('error', () => undefined);
    left.end();
    await until(async () => (await table.waiting()) === 1);
    const closed = new Promise((resolve) => left.once('close', resolve));
    left.destroy();
    await closed;
    const rejected = await staff.get<{ code: string }>(VERIFY);
    await table.release();
    expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited']);
    await until(async () => (await staff.get(VERIFY)).status === 200);
  });

  it('an expensive operation counts against the rate limit of its own credential only', async () => {
    const other = await hire(app, ['finance']);
    const limited = await startApp({ env: { RATE_LIMIT_FACTOR: '0.04', JOBS: 'false' } });
    const owner = limited.as('owner');
    expect((await owner.get(VERIFY)).status).toBe(200);
    const rejected = await owner.get(VERIFY);
    expect([rejected.status, rejected.headers['ratelimit-policy']]).toEqual([429, '"ledger-verification";q=1;w=60']);
    expect(rejected.body).toEqual({
      error: 'Too many requests; wait before the next one',
      code: 'rate_limited',
      requestId: rejected.headers['x-request-id'],
      details: { limit: 1, retryAfterMs: expect.any(Number) },
    });
    expect((await limited.with(other.session).get(VERIFY)).status).toBe(200);
    expect((await owner.get(CHANNELS)).status).toBe(200);
  });

  it('an expensive operation releases its slot if the request is invalid or fails', async () => {
    const calls = Array.from({ length: 6 }, () => staff.get(`${VERIFY}?chain=none`));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).not.toContain(200);
    await until(async () => (await staff.get(VERIFY)).status === 200);
  });
});

describe('open streams', () => {
  it('open streams are limited for one credential and in total, and closing one makes room', async () => {
    const limits = { MAX_STREAMS_PER_CREDENTIAL: '2', MAX_STREAMS: '3' };
    const small = await startApp({ env: { ...limits, JOBS: 'false' } });
    const own = small.credentials.platformKey;
    const other = await tokenWith(small, 'realtime:subscribe');
    const channel = newChannelName();
    const open = async (token: string) => rawStream({ url: small.url, token, channel });
    const appErrorOf = (token: string) => small.with(token).get(eventsOf(channel));

    const first = await open(own);
    await open(own);
    const tooMany = await appErrorOf(own);
    expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([429, '1']);
    expect(tooMany.body).toEqual({
      error: 'Too many requests of this kind are running; wait for one of them',
      retryAfterMs: 1000,
    });

    expect((await open(other)).response.statusCode).toBe(200);
    const full = await appErrorOf(other);
    expect([full.status, full.headers['retry-after']]).toEqual([503, '1']);
    expect(full.body).toEqual({
      error: 'Too many requests of this kind are running; try again later',
      retryAfterMs: 1000,
    });

    first.call.destroy();
    await until(async () => {
      const { response, call } = await open(own);
      if (response.statusCode !== 200) call.destroy();
      return response.statusCode === 200;
    });
  });

  it('a connection that ends before its stream has started leaves no slot occupied', async () => {
    const small = await startApp({ env: { MAX_STREAMS_PER_CREDENTIAL: '1', JOBS: 'false' } });
    const place = { url: small.url, token: small.credentials.platformKey, channel: newChannelName() };
    for (let n = 0; n < 10; n += 1) {
      const { call } = await rawStream(place, { method: 'HEAD' });
      call.destroy();
    }
    await until(async () => (await rawStream(place)).response.statusCode === 200);
  });
});
