import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import type { Credentials } from '../setup/credentials.js';
import { newFolder, PROJECT, runProgram, type Script } from './folders.js';
import { nodeOf } from './node-releases.js';
import { eventually } from './wait.js';

/** The versions that package.json supports. */
const MAJORS = [20, 22, 24];
const WITHIN_MS = 600_000;
const START_SECONDS = 300;
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Tests of the parts that depend on Node.js most: HTTP, streams, cryptography, dates and numbers. */
const UNIT_TESTS = ['src/platform/(http|keys|money|observability|traffic)/', 'src/search-engine/'];

/** The build and the scripts without sources, so that nothing is installed or built again for another version. */
const tree = newFolder({ open: true });
const scripts: Script[] = [];

beforeAll(() => {
  for (const part of ['scripts', 'package.json', 'dist']) {
    cpSync(join(PROJECT, part), join(tree, part), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(tree, 'node_modules'));
});
afterEach(async () => {
  for (const { child } of scripts) child.kill('SIGTERM');
  await Promise.all(scripts.map((script) => script.end()));
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** `npm start` with a new embedded database. */
async function startService(node: string): Promise<{ script: Script; url: string; credentials: Credentials }> {
  const port = await freePort();
  const data = join(tree, `data-${port}`);
  const env = { PORT: String(port), DATA_DIR: data, CI: 'true' };
  const script = runProgram([node, join(tree, 'scripts/platform.js'), 'start'], tree, env);
  scripts.push(script);
  await eventually(() => (script.output().includes('Ready.') ? true : null), script.output, START_SECONDS);
  const credentials = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')) as Credentials;
  return { script, url: `http://127.0.0.1:${port}`, credentials };
}

/** A request to each surface; returns the number of checks. */
async function checkSurfaces({ url, credentials }: Awaited<ReturnType<typeof startService>>): Promise<number> {
  let checks = 0;
  const call = async (path: string, init: RequestInit & { status?: number } = {}): Promise<Response> => {
    const response = await fetch(`${url}${path}`, init);
    expect([path, response.status]).toEqual([path, init.status ?? 200]);
    checks += 1;
    return response;
  };
  const post = (path: string, body: object, { token, status = 200 }: { token?: string; status?: number } = {}) =>
    call(path, { method: 'POST', body: JSON.stringify(body), status, headers: { ...JSON_TYPE, ...bearer(token) } });
  const { staff, platformKey, vaultSlug } = credentials;

  const { email, password } = staff;
  const login = (await (await post('/v1/admin/identity/sessions', { email, password }, { status: 201 })).json()) as {
    data: { token: string };
  };
  const { token } = login.data;
  const channel = await post(
    '/v1/admin/distribution/channels',
    { name: 'Created on another version', kind: 'website' },
    { token, status: 201 },
  );
  const { data } = (await channel.json()) as { data: { id: string } };
  const read = await call(`/v1/admin/distribution/channels/${data.id}`, { headers: bearer(token) });
  await call(`/v1/admin/distribution/channels/${data.id}`, {
    headers: { ...bearer(token), 'If-None-Match': read.headers.get('etag') ?? '' },
    status: 304,
  });
  await call('/v1/admin/bookings?limit=2', { headers: bearer(token) });
  await findProducts(url);
  await call('/connect/v1/connector-providers', { headers: bearer(platformKey) });
  await call('/data/geo/v1/reference/languages?limit=2', { headers: bearer(platformKey) });

  const encrypted = await post(`/vault/v1/${vaultSlug}/encrypt`, { plaintext: 'P1234567' }, { token: platformKey });
  const { data: sealed } = (await encrypted.json()) as { data: object };
  const decrypted = await post(`/vault/v1/${vaultSlug}/decrypt`, sealed, { token: platformKey });
  expect(await decrypted.text()).toContain('P1234567');

  await readStream(call, post, platformKey);
  for (const path of ['/docs', '/openapi.json', '/health/ready', '/metrics']) await call(path);
  return checks + 1;
}

/** The index is filled after the start. */
async function findProducts(url: string): Promise<void> {
  const body = JSON.stringify({ vertical: 'products', query: 'beach holiday' });
  const search = async () => {
    const response = await fetch(`${url}/v1/public/catalog/search`, { method: 'POST', body, headers: JSON_TYPE });
    const { total = 0 } = (await response.json()) as { total?: number };
    return total > 0 ? total : null;
  };
  await eventually(search, () => 'The search finds no product.', START_SECONDS);
}

const bearer = (token?: string): Record<string, string> => (token ? { Authorization: `Bearer ${token}` } : {});

/** Subscribes to a channel and reads the message that is published to it. */
async function readStream(
  call: (path: string, init: RequestInit) => Promise<Response>,
  post: (path: string, body: object, more: { token: string; status: number }) => Promise<Response>,
  token: string,
): Promise<void> {
  const path = '/realtime/v1/channels/demo.versions';
  const ended = new AbortController();
  const headers = { ...bearer(token), Accept: 'text/event-stream' };
  const { body } = await call(`${path}/events`, { headers, signal: ended.signal });
  await post(`${path}/messages`, { event: 'hello', data: { from: 'this test' } }, { token, status: 201 });
  let received = '';
  for await (const chunk of body ?? []) {
    received += Buffer.from(chunk as Uint8Array).toString();
    if (received.includes('this test')) break;
  }
  ended.abort();
  expect(received).toContain('hello');
}

/** Runs unit tests; returns how many passed. */
async function runUnitTests(node: string): Promise<number> {
  const jest = join(PROJECT, 'node_modules/jest/bin/jest.js');
  const env = { NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' };
  const command = [node, jest, '--maxWorkers=1', '--selectProjects', 'unit', '--', ...UNIT_TESTS];
  const tests = runProgram(command, PROJECT, env);
  const code = await tests.end();
  const [, passed = '0'] = /(\d+) passed, 0 failed\n$/.exec(tests.output()) ?? [];
  expect([code, tests.output()]).toEqual([0, expect.stringMatching(/\d+ passed, 0 failed\n$/)]);
  return Number(passed);
}

describe('the supported versions of Node.js', () => {
  it.each(MAJORS)(
    'the service starts, serves every surface and stops on Node %i without a warning of Node, and unit tests pass',
    async (major) => {
      const node = await nodeOf(major);
      if (node === null) return void process.stdout.write(`not run: Node ${major}\n`);
      const version = runProgram([node, '--version'], tree);
      await version.end();
      expect(version.output()).toMatch(new RegExp(`^v${major}\\.`));

      const service = await startService(node);
      const checks = await checkSurfaces(service);
      service.script.child.kill('SIGTERM');
      expect([await service.script.end(), service.script.output()]).toEqual([0, service.script.output()]);
      expect(service.script.output().match(/^.*Warning:.*$/gm)).toBeNull();

      const passed = await runUnitTests(node);
      process.stdout.write(`Node ${version.output().trim()}: ${checks + passed} checks\n`);
    },
    WITHIN_MS,
  );

  it('package.json supports these versions', () => {
    const { engines } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
  });
});
