import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lockTable, until } from '../platform/locked-table.js';
import { startApp, type TestApp } from '../setup/app.js';
import { expectUnauthorized, type Surface } from './calls.js';

const KIB = 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
const STAFF = '/v1/admin/distribution/channels';
const CONTRACTS = '/v1/admin/legal/contracts';
const SEARCH = '/v1/public/catalog/search';
const PUBLIC = ['/v1/admin/identity/sessions', '/connect/v1/oauth/token'];
const GUARDED: readonly (readonly [Surface, string])[] = [
  ['staff', STAFF],
  ['connect', '/connect/v1/operators/op_demo/oauth-clients'],
  ['vault', '/vault/v1/primary/encrypt'],
  ['realtime', '/realtime/v1/channels/demo/messages'],
];
const UNKNOWN = 'tpk_0123456789abcdef_unknown';

let app: TestApp;
let open: Socket[] = [];
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});

/** A connection that has sent these bytes, with the data received so far. */
async function sending(bytes: string, to = app): Promise<{ socket: Socket; answer: () => string }> {
  const { hostname, port } = new URL(to.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  open.push(socket);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  return { socket, answer: () => received };
}

function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ Host: 'localhost', ...JSON_TYPE, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

async function metric(name: string, of = app): Promise<number> {
  const { text } = await of.get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

describe('a body of a guarded route that is compressed, chunked or larger than 4 KiB', () => {
  it.each(GUARDED)('an unreadable body on %s without a valid credential is 401', async (surface, path) => {
    const broken = { raw: 'neither gzip nor JSON', headers: GZIP };
    expectUnauthorized(await app.post(path, undefined, broken), surface, false);
    expectUnauthorized(await app.with(UNKNOWN).post(path, undefined, broken), surface, true);
    const large = { raw: '['.repeat(5 * KIB), headers: JSON_TYPE };
    expectUnauthorized(await app.post(path, undefined, large), surface, false);
  });

  it.each([
    ['compressed', { 'Content-Encoding': 'gzip', 'Content-Length': '100' }],
    ['chunked', { 'Transfer-Encoding': 'chunked' }],
    ['large', { 'Content-Length': String(5 * KIB) }],
  ])('a %s body without a valid credential is 401 before a byte of it has arrived', async (_, headers) => {
    const { answer } = await sending(head('POST', STAFF, { ...headers, 'X-Request-Id': 'body-not-sent-1' }));
    await until(async () => answer().includes('\r\n\r\n'));
    expect(answer()).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer()).toMatch(/X-Request-Id: body-not-sent-1\r\n/i);
    expect(answer()).toMatch(/WWW-Authenticate: Bearer realm="staff"\r\n/i);
  });

  it('100 Continue is sent with a valid credential only', async () => {
    const waiting = { Expect: '100-continue', 'Content-Length': String(70 * KIB) };
    const rejected = await sending(head('POST', STAFF, waiting));
    await once(rejected.socket, 'close');
    expect(rejected.answer()).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close\r\n/);

    const Authorization = `Bearer ${app.credentials.staff.token}`;
    const accepted = await sending(head('POST', STAFF, { ...waiting, Authorization }));
    await until(async () => accepted.answer() !== '');
    expect(accepted.answer()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    accepted.socket.write(JSON.stringify({ name: 'After 100 Continue' }).padEnd(70 * KIB));
    await until(async () => accepted.answer().includes('HTTP/1.1 201'));
  });

  it('a compressed, chunked or large body is read with a valid credential', async () => {
    const staff = app.as('owner');
    const text = (name: string) => JSON.stringify({ name });
    const compressed = await staff.post(STAFF, undefined, { raw: gzipSync(text('Compressed')), headers: GZIP });
    const large = await staff.post(STAFF, undefined, { raw: text('Large').padEnd(70 * KIB), headers: JSON_TYPE });
    expect([compressed.status, large.status]).toEqual([201, 201]);
    const Authorization = `Bearer ${app.credentials.staff.token}`;
    const chunk = `${text('Chunked').length.toString(16)}\r\n${text('Chunked')}\r\n0\r\n\r\n`;
    const chunked = await sending(head('POST', STAFF, { Authorization, 'Transfer-Encoding': 'chunked' }) + chunk);
    await until(async () => chunked.answer().includes('HTTP/1.1 201'));
  });

  it('a body with a transfer coding other than chunked is 415', async () => {
    const Authorization = `Bearer ${app.credentials.staff.token}`;
    const coded = await sending(head('POST', STAFF, { Authorization, 'Transfer-Encoding': 'gzip, chunked' }));
    await until(async () => coded.answer().startsWith('HTTP/1.1 415 '));
    expect(coded.answer()).toContain('"error":"The only transfer coding supported is chunked"');
  });

  it('a body is 413 as soon as it exceeds the limit, before its end', async () => {
    const Authorization = `Bearer ${app.credentials.staff.token}`;
    const chunked = await sending(head('POST', STAFF, { Authorization, 'Transfer-Encoding': 'chunked' }));
    chunked.socket.write(`200000\r\n${' '.repeat(1_100_000)}`);
    const declared = await sending(head('POST', STAFF, { Authorization, 'Content-Length': '2000000' }));
    await until(async () => [chunked, declared].every(({ answer }) => answer().startsWith('HTTP/1.1 413 ')));
  });

  it.each([
    ['asks to close the connection', 'Connection: close\r\n'],
    ['keeps the connection open', ''],
  ])('a rejected body does not reset the connection if the client %s', async (_, line) => {
    const length = 600 * KIB;
    const start = head('POST', STAFF, { 'Content-Length': String(length) }).replace('\r\n', `\r\n${line}`);
    const { socket, answer } = await sending(start);
    // The client continues to send after the server has ended its side.
    socket.allowHalfOpen = true;
    const faults: unknown[] = [];
    const closed = new Promise((resolve) => socket.on('error', (error) => faults.push(error)).once('close', resolve));
    await until(async () => answer().startsWith('HTTP/1.1 401 '));
    for (let sent = 0; sent < length; sent += 50 * KIB) {
      socket.write(' '.repeat(50 * KIB));
      await pause(5);
    }
    socket.end();
    await closed;
    expect(faults).toEqual([]);
    expect(socket.bytesWritten).toBe(start.length + length);
  });

  it('a body is never treated as empty if the client disconnects before the credential was verified', async () => {
    const owner = app.as('owner');
    const contract = await owner.post<{ data: { id: string } }>(CONTRACTS, { title: 'Draft', body: '<p>Terms</p>' });
    const path = `${CONTRACTS}/${contract.body.data.id}`;
    const scopes = { name: 'Not cached', scopes: ['legal:*'] };
    const { body } = await owner.post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', scopes);
    const locked = await lockTable('api_tokens');
    const headers = { Authorization: `Bearer ${body.data.token}`, 'Transfer-Encoding': 'chunked' };
    const { socket } = await sending(head('POST', `${path}/issuance`, headers));
    await until(async () => (await locked.waiting()) > 0);
    socket.destroy();
    await pause(100);
    await locked.release();
    await pause(500);
    expect((await owner.get(path)).body).toMatchObject({ data: { status: 'draft' } });
  });

  it('a body is discarded up to a limit after its request has its response', async () => {
    const endless = await sending(head('POST', STAFF, { 'Transfer-Encoding': 'chunked' }));
    await until(async () => endless.answer().startsWith('HTTP/1.1 401 '));
    const next = (event: string) => new Promise((resolve) => endless.socket.once(event, resolve));
    const ended = next('close');
    const chunk = `${(64 * KIB).toString(16)}\r\n${' '.repeat(64 * KIB)}\r\n`;
    for (let sent = 0; sent < 1_000 && !endless.socket.destroyed; sent += 1) {
      if (!endless.socket.write(chunk)) await Promise.race([next('drain'), ended]);
    }
    await ended;
    expect(endless.socket.bytesWritten).toBeLessThan(1_000 * 64 * KIB);
  });
});

describe('a body of a public route', () => {
  it.each([...PUBLIC, SEARCH])('a compressed body of a public route is 415: %s', async (path) => {
    const { status } = await app.post(path, undefined, { raw: gzipSync('{}'), headers: GZIP });
    expect(status).toBe(415);
  });

  it.each([...PUBLIC.map((path) => [path, 16] as const), [SEARCH, 64] as const])(
    'a large body of a public route is 413: %s, %i KiB',
    async (path, kib) => {
      const sized = (bytes: number) => ({ raw: '{"email":"x"}'.padEnd(bytes), headers: JSON_TYPE });
      expect((await app.post(path, undefined, sized(kib * KIB))).status).toBe(400);
      expect((await app.post(path, undefined, sized(kib * KIB + 1))).status).toBe(413);
    },
  );

  it('a body of a public route without a declared length is 413 as soon as it exceeds the limit', async () => {
    const { socket, answer } = await sending(head('POST', PUBLIC[0] ?? '', { 'Transfer-Encoding': 'chunked' }));
    socket.write(`8000\r\n${' '.repeat(20_000)}`);
    await until(async () => answer().startsWith('HTTP/1.1 413 '));
  });
});

describe('a body that no route accepts', () => {
  it.each([
    ['POST', '/health/x', 404],
    ['POST', '/v1/admin/nothing', 404],
    ['PUT', '/health/live', 405],
  ])('a body that no route accepts is not read: %s %s is %i', async (method, path, status) => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, '['));
    expect((await app.request(method, path, { raw: bomb, headers: GZIP })).status).toBe(status);
    const { answer } = await sending(head(method, path, { 'Content-Length': '1000' }));
    await until(async () => answer().startsWith(`HTTP/1.1 ${status} `));
  });
});

describe('bytes of bodies that are being received', () => {
  const unfinished = (token: string, to: TestApp, from: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': '1000000', 'X-Forwarded-For': from };
    return sending(`${head('POST', STAFF, headers)}{`, to);
  };
  const rejected = (sent: { answer: () => string }[], status: number) =>
    sent.filter(({ answer }) => answer().startsWith(`HTTP/1.1 ${status} `)).length;

  it('bytes of bodies are limited per address and in total, and counted until the client has disconnected', async () => {
    const limits = { MAX_RECEIVING_MIB: '6', MAX_RECEIVING_MIB_PER_ADDRESS: '4' };
    const own = await startApp({ env: { ...limits, TRUSTED_PROXIES: '127.0.0.1,::1', JOBS: 'false' } });
    const { token } = own.credentials.staff;
    const attack = async (from: string) => {
      const sent = [];
      for (let count = 0; count < 10; count += 1) sent.push(await unfinished(token, own, from));
      return sent;
    };
    const first = await attack('2001:db8::1');
    await until(async () => rejected(first, 429) === 6);
    // This address is in the same /64.
    const next = await attack('2001:db8::2');
    await until(async () => rejected(next, 429) === 10);
    const other = await attack('198.51.100.9');
    await until(async () => rejected(other, 503) === 8);
    expect(await metric('http_body_bytes_receiving', own)).toBe(6_000_000);
    const busy = other.map(({ answer }) => answer()).find((answer) => answer.startsWith('HTTP/1.1 503 '));
    expect(busy).toMatch(/Retry-After: 1\r\n[^]*"code":"service_unavailable"/i);

    // Small requests are still served.
    expect((await own.as('owner').post(STAFF, { name: 'While large ones arrive' })).status).toBe(201);
    for (const { socket } of [...first, ...next, ...other]) socket.destroy();
    await until(async () => (await metric('http_body_bytes_receiving', own)) === 0);
  });
});

describe('connections', () => {
  const idle = async (to: TestApp, count: number) => {
    const sockets: Socket[] = [];
    for (let at = 0; at < count; at += 1) sockets.push((await sending('', to)).socket);
    await pause(300);
    return sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length;
  };

  it('connections are limited per address', async () => {
    const own = await startApp({ env: { MAX_CONNECTIONS_PER_ADDRESS: '20', JOBS: 'false' } });
    expect(await idle(own, 40)).toBeLessThanOrEqual(20);
    for (const socket of open) socket.destroy();
    await until(async () =>
      own.get('/health/live').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    expect(await metric('http_connections_rejected_total', own)).toBeGreaterThanOrEqual(20);
  });

  it('connections of a trusted proxy are limited in total, not as those of one address', async () => {
    const limits = { MAX_CONNECTIONS_PER_ADDRESS: '5', MAX_CONNECTIONS: '30', JOBS: 'false' };
    const own = await startApp({ env: { ...limits, TRUSTED_PROXIES: '127.0.0.1,::1' } });
    const left = await idle(own, 50);
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThanOrEqual(30);
  });
});
