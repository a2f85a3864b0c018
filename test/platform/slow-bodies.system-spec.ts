import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { startApp, type TestApp } from '../setup/app.js';
import { until } from './locked-table.js';

const CHANNELS = '/v1/admin/distribution/channels';
const BODY = JSON.stringify({ name: 'Takes its time' });

/** A client that has sent the head of a request and the first byte of its body. */
function beginning(app: TestApp): Socket {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  const head = [
    `POST ${CHANNELS} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${app.credentials.staff.token}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${BODY.slice(0, 1)}`);
  return socket;
}

async function metric(app: TestApp, name: string): Promise<number> {
  const { text } = await app.get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

describe('requests whose bodies arrive slowly', () => {
  it("slow bodies do not occupy the place of other requests and do not run into the deadline of the service's work", async () => {
    const env = { MAX_IN_FLIGHT: '3', REQUEST_DEADLINE_MS: '300', JOBS: 'false', METRICS: 'true' };
    const app = await startApp({ env });
    const slow = Array.from({ length: 5 }, () => beginning(app));
    await until(async () => (await metric(app, 'http_requests_receiving')) >= 5);
    expect((await app.as('owner').get(CHANNELS)).status).toBe(200);

    // Longer than the deadline, whose timer runs four times a second.
    await pause(700);
    const [first, ...others] = slow;
    let answer = '';
    first?.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    first?.write(BODY.slice(1));
    await until(async () => answer.includes('\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await metric(app, 'http_requests_receiving')).toBeGreaterThanOrEqual(4);
    for (const socket of [first, ...others]) socket?.destroy();
  });
});

const ANSWERS = 20;
const STATUS_LINE = 'HTTP/1.1 200';

/** Requests more than the buffers of both ends can take, and reads nothing yet. */
function slowReader(app: TestApp): Socket {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(ANSWERS));
  return socket;
}

describe('a client that does not read its answers', () => {
  it('a client that reads nothing is disconnected after a time; one that reads slowly gets its whole response', async () => {
    const app = await startApp({ env: { JOBS: 'false' } });
    const server: Server = app.nest.getHttpServer();
    expect(server.timeout).toBe(60_000);
    // The first request waits until the document is built, on a busy machine for longer than the limit of this test.
    await app.get('/openapi.json');
    server.setTimeout(2_000);
    const left = new Set<number | undefined>();
    // A closed socket has no ports on either side.
    server.on('connection', (socket) => {
      const { remotePort } = socket;
      socket.on('close', () => left.add(remotePort));
    });

    const [stalled, slow] = [slowReader(app), slowReader(app)];
    await Promise.all([once(stalled, 'connect'), once(slow, 'connect')]);
    const [stalledPort, slowPort] = [stalled.localPort, slow.localPort];
    let [answers, chunks, end] = [0, 0, ''];
    slow.on('data', (chunk: Buffer) => {
      const text = end + chunk.toString('latin1');
      answers += text.split(STATUS_LINE).length - 1;
      end = text.slice(1 - STATUS_LINE.length);
      // Pauses of a tenth of a second, which together exceed the limit.
      slow.pause();
      setTimeout(() => slow.resume(), (chunks += 1) % 10 === 0 ? 100 : 0);
    });
    slow.resume();
    await until(async () => left.has(stalledPort) && answers === ANSWERS);
    expect(left.has(slowPort)).toBe(false);
    for (const socket of [stalled, slow]) socket.destroy();
  });
});
