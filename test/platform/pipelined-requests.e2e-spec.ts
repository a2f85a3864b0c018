import { describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { lockChannels, until } from './locked-table.js';
import { wire } from './wire.js';

const CHANNELS = '/v1/admin/distribution/channels';

function get(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const last = (path: string, headers: Record<string, string> = {}) => get(path, { ...headers, Connection: 'close' });

describe('pipelined requests', () => {
  it('pipelined requests of a connection are handled one after the other, and answered in their order', async () => {
    const app = await startApp({ env: { JOBS: 'false' } });
    const headers = { Authorization: `Bearer ${app.credentials.staff.token}` };
    await app.as('owner').get(CHANNELS);
    const body = JSON.stringify({ name: `Pipelined ${Date.now()}`, kind: 'website' });
    const create = [
      `POST ${CHANNELS} HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${headers.Authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    const table = await lockChannels();
    const answers = wire(
      app.url,
      [get(CHANNELS, headers), `${create}\r\n\r\n${body}`, get('/nothing'), last('/health/live')].join(''),
    );
    await until(async () => (await table.waiting()) === 1);
    expect((await app.get('/health/live')).status).toBe(200);
    expect(await table.waiting()).toBe(1);
    await table.release();
    expect((await answers).map(({ status }) => status)).toEqual([200, 201, 404, 200]);
  });

  it('a thousand pipelined requests are all answered', async () => {
    const app = await startApp({ env: { JOBS: 'false' } });
    const answers = await wire(app.url, get('/nothing').repeat(1_000) + last('/health/live'));
    expect([answers.length, answers.at(-1)?.status]).toEqual([1_001, 200]);
  });

  it('the first 429 of the address limit closes the connection, and a flood has one line in the log', async () => {
    const app = await startApp({ env: { RATE_LIMIT_FACTOR: '0.01', JOBS: 'false', LOG_LEVEL: 'info' } });
    await until(async () => (await app.get('/nothing')).status === 429);
    const answers: Awaited<ReturnType<typeof wire>>[] = [];
    for (let n = 0; n < 20; n += 1) answers.push(await wire(app.url, get('/vault/v1/x').repeat(50)));
    const rejected = answers.filter(([answer]) => answer?.status === 429);
    expect(rejected.length).toBeGreaterThan(10);
    for (const [answer, ...more] of rejected) {
      expect(more).toEqual([]);
      expect(answer).toMatchObject({
        headers: { connection: 'close', 'retry-after': '1', 'ratelimit-policy': '"address";q=60;w=60' },
        body: { error: 'Too many requests; wait before the next one', retryAfterMs: 1_000 },
      });
    }
    const lines = app.logs.map((line) => JSON.parse(line) as { msg: string; res?: { status: number } });
    expect(lines.filter(({ res }) => res?.status === 429)).toEqual([]);
    expect(
      lines.filter(({ msg }) => msg === 'too many requests of an address are rejected').length,
    ).toBeLessThanOrEqual(2);
  });
});
