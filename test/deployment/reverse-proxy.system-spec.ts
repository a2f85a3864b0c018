import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { freePort } from '../../scripts/ports.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { TestAuthority } from '../setup/certificates.js';
import { readCredentials, tokenOf } from '../setup/credentials.js';

const HOST = 'office.example.com';
const CONF = readFileSync(join(PROJECT, 'deploy/proxy/nginx.conf'), 'utf8');
const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const authority = new TestAuthority();
const folder = newFolder({ open: true });

let service: ServiceProcess;
let nginx: ChildProcess | null = null;
let errors = '';
let port = 0;

interface Call {
  method?: string;
  /** The address of the client; every address of 127.0.0.0/8 is one of this machine. */
  from?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function open(path: string, { method = 'GET', from = '127.0.0.2', headers = {}, body }: Call = {}) {
  const call = request({
    host: '127.0.0.1',
    port,
    servername: HOST,
    ca: authority.cert,
    localAddress: from,
    method,
    path,
    headers: { Host: HOST, ...headers },
    agent: false,
  });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return { response, call };
}

async function send(path: string, call: Call = {}): Promise<{ status: number | undefined; text: string }> {
  const { response } = await open(path, call);
  return { status: response.statusCode, text: await textOf(response) };
}

/** The file of the repository, with the ports and the certificate of this test. */
function startNginx(): ChildProcess {
  const { cert, key } = authority.issue(HOST);
  writeFileSync(join(folder, 'fullchain.pem'), cert);
  writeFileSync(join(folder, 'privkey.pem'), key);
  const replaced = CONF.replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/^ *listen \[::\].*\n/m, '')
    .replace('server 127.0.0.1:3000', `server ${new URL(service.url).host}`)
    .replaceAll('/etc/letsencrypt/live/travel', folder);
  writeFileSync(join(folder, 'travel.conf'), replaced);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { ${places.join(' ')} include travel.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return child;
}

beforeAll(async () => {
  if (!hasNginx) return;
  service = await ServiceProcess.start({
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS: 'true',
    DOCS: 'true',
    LOG_LEVEL: 'info',
    RATE_LIMIT_FACTOR: '0.1',
  });
  port = await freePort();
  nginx = startNginx();
  await eventually(
    () =>
      send('/health/live').then(
        ({ status }) => (status === 200 ? true : null),
        () => null,
      ),
    () => errors,
  );
});

afterAll(async () => {
  if (nginx?.exitCode === null) {
    nginx.kill('SIGQUIT');
    await once(nginx, 'exit');
  }
  await endAll();
  rmSync(folder, { recursive: true });
});

/** Skips a test where nginx is missing. */
function withNginx(title: string, test: () => Promise<void>): void {
  it(title, async () => {
    if (hasNginx) await test();
    else process.stdout.write('not run: nginx\n');
  });
}

const CONTRACT = '/v1/public/legal/contracts/';

withNginx(
  'behind nginx a client is limited and logged by its own address, whatever X-Forwarded-For it sends',
  async () => {
    // Eight at once, because a tenth of the limit applies.
    const forged = Array.from({ length: 12 }, (_, n) =>
      send(`${CONTRACT}nothing`, {
        from: '127.0.0.2',
        headers: { 'X-Forwarded-For': `203.0.113.${n}`, Forwarded: 'for=203.0.113.9' },
      }),
    );
    const statuses = (await Promise.all(forged)).map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([404, 429]);
    expect((await send(`${CONTRACT}nothing`, { from: '127.0.0.3' })).status).toBe(404);

    const addresses = await eventually(() => {
      const found = [...service.output.matchAll(/"clientAddress":"([^"]+)"/g)].map(([, address]) => address);
      return found.includes('127.0.0.3') ? new Set(found) : null;
    });
    expect([...addresses].sort()).toEqual(['127.0.0.2', '127.0.0.3']);
  },
);

withNginx('behind nginx an event arrives while its stream is open', async () => {
  const headers = { Authorization: `Bearer ${tokenOf(readCredentials(), 'platform')}` };
  const channel = '/realtime/v1/channels/test.proxy';
  const { response, call } = await open(`${channel}/events`, { headers });
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  let received = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  const body = JSON.stringify({ event: 'test.happened', data: 'through the proxy' });
  const published = await send(`${channel}/messages`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
    body,
  });
  expect(published.status).toBe(201);
  await eventually(
    () => (received.includes('"through the proxy"') ? true : null),
    () => received,
    5,
  );
  expect(response.complete).toBe(false);
  call.destroy();
});

withNginx(
  'behind nginx a body may have the size that the service permits, and the service rejects a larger one',
  async () => {
    const post = (bytes: number) => {
      const body = JSON.stringify({ name: 'x'.repeat(bytes - 11) });
      const headers = {
        Authorization: `Bearer ${tokenOf(readCredentials(), 'owner')}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      };
      return send('/v1/admin/distribution/channels', { method: 'POST', headers, body });
    };
    const permitted = await post(1024 * 1024);
    expect([permitted.status, JSON.parse(permitted.text)]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request' }),
    ]);
    const larger = await post(1024 * 1024 + 1);
    expect([larger.status, JSON.parse(larger.text)]).toEqual([
      413,
      expect.objectContaining({ code: 'payload_too_large' }),
    ]);
  },
);

withNginx('nginx hides the metrics and readiness of the service, and passes its documentation', async () => {
  for (const path of ['/metrics', '/health/ready']) {
    expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
  }
  const hidden = [
    '/metrics',
    '/metrics/',
    '//metrics',
    '/METRICS',
    '/x/../metrics',
    '/%6detrics',
    '/metrics?x=1',
    '/health/ready',
  ];
  for (const path of hidden) expect([path, (await send(path)).status]).toEqual([path, 404]);
  expect((await send('/docs')).text).toContain('swagger');
  expect((await send('/openapi.json')).status).toBe(200);
});

withNginx('nginx logs no path that opens a document or a stream, even if the service does not respond', async () => {
  await service.end('SIGKILL');
  const secret = 'c7x0a9s5e3cr1e8t';
  const paths = [
    '/v1/files/',
    CONTRACT,
    '/v1/public/legal/contract-pages/',
    '/v1/public/notifications/unsubscriptions/',
    '/v1/public/operations/waiting-offers/',
    '/V1/admin/legal/contracts/',
    '/realtime/v1/tickets/',
  ];
  for (const path of paths) expect([path, (await send(`${path}${secret}`)).status]).toEqual([path, 502]);
  expect((await send('/v1/admin/identity/me')).status).toBe(502);
  await eventually(() => (errors.includes('/v1/admin/identity/me') ? true : null));
  expect(errors).not.toContain(secret);
});
