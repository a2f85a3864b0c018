import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import type { Env } from '../../../platform/config/env.js';
import { Egress } from '../../../platform/egress/egress.js';
import { type ExternalSupplierAccess, OctoClient } from './octo-client.js';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(JSON.stringify(value));
  };

interface Started {
  client: OctoClient;
  clock: Clock;
  logged: string[];
}

async function clientOf(answer: Answer, more: Partial<ExternalSupplierAccess> = {}, allow = ['127.0.0.1']) {
  const listener: RequestListener = (request, response) => {
    answer(request, response);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/octo`;
  const logged: string[] = [];
  const log = pino({}, { write: (line) => void logged.push(line) });
  const clock = new Clock({ orgTimeZone: 'UTC' } as Env);
  const access = { id: 'osup_1', baseUrl, token: 'SECRET-TOKEN', capabilities: ['octo/pricing'], cancelMethod: 'post' };
  const egress = new Egress({ egressAllow: allow, production: false });
  const client = new OctoClient({ ...access, ...more } as ExternalSupplierAccess, egress, clock, log);
  return { client, clock, logged } satisfies Started;
}

const pricing = { original: 5000, retail: 4500, net: 4000, currency: 'EUR', currencyPrecision: 2, includedTaxes: [] };
const row = {
  id: 'a1',
  localDateTimeStart: '2027-03-28T09:00:00+03:00',
  localDateTimeEnd: '2027-03-28T11:00:00+03:00',
  available: true,
  status: 'AVAILABLE',
  vacancies: 10,
  pricing,
  unitPricing: [{ unitId: 'adult', ...pricing }],
};
const booking = {
  uuid: 'u-1',
  status: 'ON_HOLD',
  productId: 'p',
  optionId: 'o',
  availabilityId: 'a1',
  utcExpiresAt: '2027-03-01T10:00:00Z',
  cancellable: true,
  unitItems: [{ uuid: 'i-1', unitId: 'adult', status: 'ON_HOLD' }],
  pricing,
};
const order = {
  ...{ uuid: 'u-1', productId: 'p', optionId: 'o', availabilityId: 'a1' },
  ...{ unitItems: [{ unitId: 'adult' }], resellerReference: 'r' },
};
const request = { productId: 'p', optionId: 'o', availabilityIds: ['a1'], currency: 'EUR' };

describe('OctoClient', () => {
  it('sends the token and the capabilities, and reads a booking in its own minor units', async () => {
    const seen: IncomingMessage[] = [];
    const inMillis = { ...pricing, original: 50000, retail: 45000, net: null, currencyPrecision: 3 };
    const { client } = await clientOf((incoming, response) => {
      seen.push(incoming);
      json({ ...booking, pricing: inMillis })(incoming, response);
    });
    const result = await client.reserve(order);
    expect(result).toMatchObject({
      outcome: 'answered',
      value: {
        uuid: 'u-1',
        status: 'ON_HOLD',
        utcExpiresAt: new Date('2027-03-01T10:00:00Z'),
        pricing: { originalCents: 5000, retailCents: 4500, netCents: null, currency: 'EUR' },
      },
    });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /octo/bookings']);
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer SECRET-TOKEN',
      'octo-capabilities': 'octo/pricing',
    });
  });

  it('cancels with the configured method', async () => {
    const seen: string[] = [];
    const answer: Answer = (incoming, response) => {
      seen.push(`${incoming.method} ${incoming.url}`);
      json({ ...booking, status: 'CANCELLED', cancellation: { refund: 'PARTIAL' } })(incoming, response);
    };
    const { client } = await clientOf(answer);
    expect(await client.cancel('u/1')).toMatchObject({ value: { status: 'CANCELLED', refund: 'PARTIAL' } });
    await (await clientOf(answer, { cancelMethod: 'delete' })).client.cancel('u/1');
    expect(seen).toEqual(['POST /octo/bookings/u%2F1/cancel', 'DELETE /octo/bookings/u%2F1']);
  });

  it('reports a rejection with its code and the time to wait', async () => {
    const body = { error: 'INVALID_UNIT_ID', errorMessage: 'text of theirs', unitId: 'x' };
    const { client, logged } = await clientOf(json(body, 400));
    expect(await client.reserve(order)).toEqual({
      ...{ outcome: 'refused', status: 400, code: 'INVALID_UNIT_ID', retryAfterMs: null },
    });
    const slow = await clientOf(json('no', 429, { 'retry-after': '7' }));
    expect(await slow.client.booking('u-1')).toEqual({
      ...{ outcome: 'refused', status: 429, code: null, retryAfterMs: 7_000 },
    });
    expect(logged.join()).not.toContain('text of theirs');
    expect(logged.join()).not.toContain('SECRET-TOKEN');
  });

  it.each<[string, Answer, string]>([
    ['a 503', json({}, 503), 'server_error'],
    ['a redirect', json({}, 302, { location: 'http://169.254.169.254/' }), 'redirect'],
    ['a reset', (incoming) => void incoming.socket.destroy(), 'connection_failed'],
    ['an unreadable body', (_, response) => void response.end('<html>'), 'invalid_answer'],
    ['a body nested too deeply', (_, response) => void response.end('['.repeat(100)), 'invalid_answer'],
    ['a booking without status', json({ ...booking, status: 'MAYBE' }), 'invalid_answer'],
    ['amounts that are not whole', json({ ...booking, pricing: { ...pricing, net: 0.5 } }), 'invalid_answer'],
    [
      'an amount that does not convert',
      json({ ...booking, pricing: { ...pricing, currencyPrecision: 4, net: 1 } }),
      'invalid_answer',
    ],
    ['2 MiB', (_, response) => void response.end(' '.repeat(2 * 1024 * 1024)), 'answer_too_large'],
  ])('treats %s as an unknown outcome', async (_, answer, fault) => {
    const { client } = await clientOf(answer);
    expect(await client.reserve(order)).toEqual({ outcome: 'unknown', fault, retryAfterMs: null });
  });

  it('ends a call whose body never ends', async () => {
    const { client } = await clientOf((_, response) => void response.write('{'));
    expect(await client.booking('u-1')).toEqual({ outcome: 'unknown', fault: 'timeout', retryAfterMs: null });
  }, 10_000);

  it('leaves out rows that are unusable or have another currency', async () => {
    const swapped = { ...row, id: 'a2', pricing: { ...pricing, currency: 'USD' } };
    const withoutOffset = { ...row, id: 'a3', localDateTimeStart: '2027-03-28T09:00:00' };
    const { client, logged } = await clientOf(json([row, swapped, withoutOffset]));
    const result = await client.availability(request);
    expect(result).toMatchObject({ value: { rows: [{ id: 'a1' }], unusable: 1, otherCurrency: 1 } });
    expect(logged.some((line) => line.includes('"unusable":1'))).toBe(true);
  });

  it('refuses 10,000 rows and 100 MiB', async () => {
    const many = await clientOf(json(Array.from({ length: 10_000 }, () => 1)));
    expect(await many.client.availability(request)).toMatchObject({ outcome: 'unknown', fault: 'invalid_answer' });
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const large = await clientOf((_, response) => {
      for (let sent = 0; sent < 100; sent += 1) response.write(chunk);
      response.end('[]');
    });
    expect(await large.client.products()).toMatchObject({ outcome: 'unknown', fault: 'answer_too_large' });
  });

  it('sends nothing to loopback unless the configuration allows it', async () => {
    let calls = 0;
    const { client } = await clientOf(() => (calls += 1), {}, []);
    expect(await client.reserve(order)).toEqual({ outcome: 'unsent', fault: 'address_not_allowed' });
    expect(calls).toBe(0);
  });

  it('makes at most eight calls at a time', async () => {
    let [running, most] = [0, 0];
    const { client } = await clientOf((incoming, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        json(booking)(incoming, response);
      }, 30);
    });
    const results = await Promise.all(Array.from({ length: 30 }, () => client.booking('u-1')));
    expect(results.every(({ outcome }) => outcome === 'answered')).toBe(true);
    expect(most).toBe(8);
  });

  it('refuses quotes for 30 seconds after five failures in a row, but still looks orders up', async () => {
    let works = false;
    const { client, clock } = await clientOf((incoming, response) => {
      json(works ? (incoming.method === 'GET' ? booking : [row]) : {}, works ? 200 : 500)(incoming, response);
    });
    for (let index = 0; index < 5; index += 1) await client.reserve(order);
    expect(await client.availability(request)).toEqual({ outcome: 'unsent', fault: 'paused' });
    works = true;
    expect(await client.booking('u-1')).toMatchObject({ outcome: 'answered' });
    expect(await client.availability(request)).toEqual({ outcome: 'unsent', fault: 'paused' });
    clock.travel(30_000);
    expect(await client.availability(request)).toMatchObject({ outcome: 'answered' });
  });
});
