import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { searchable } from '../catalog/catalog.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp } from '../setup/app.js';

/** The shell blocks of a page, in their order. */
async function shellOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines ?? '');
}

/** The pages read every address and id from the credentials file; this one names the application under test. */
async function credentialsFor(url: string, folder: string): Promise<string> {
  const file = join(folder, 'credentials.json');
  const credentials = JSON.parse(await readFile(process.env['TEST_CREDENTIALS'] ?? '', 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...credentials, baseUrl: url }));
  return file;
}

/** Runs a script in bash with the replacement of curl first on the path, because a bare machine has no curl. */
async function run(script: string, url: string): Promise<{ code: number; output: string; files: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  const CREDENTIALS = await credentialsFor(url, folder);
  await copyFile('test/docs/curl.js', join(folder, 'curl.mjs'));
  await copyFile('test/docs/curl.sh', join(folder, 'curl'));
  await chmod(join(folder, 'curl'), 0o755);
  const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, CREDENTIALS, PATH },
    // With a socket as its input, a bash that no other shell has started reads the start-up file of interactive shells.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const files = (await readdir(folder)).filter((name) => !name.startsWith('curl') && !CREDENTIALS.endsWith(name));
  await rm(folder, { recursive: true });
  return { code, output, files };
}

describe('the README', () => {
  it('the README starts with the two commands', async () => {
    const commands = (await shellOf('README.md')).slice(0, 2).map((lines) => lines.trim());
    expect(commands).toEqual(['npm start', 'npm test']);
  });

  it('the README shows one call per surface that works as written', async () => {
    const app = await startApp();
    await searchable(app);
    const [, , calls = ''] = await shellOf('README.md');
    const { code, output } = await run(calls, app.url);
    expect([code, output]).toEqual([0, expect.stringMatching(/"ciphertext".*\n$/s)]);
    // Five lines of a terminal per block.
    const responses = output.trimEnd().split('\n');
    // An unexpected line is shown whole.
    const starts = responses.map((text) => (text.startsWith('{') ? '{' : text));
    expect(starts).toEqual(Array(6).fill('{'));
    expect(responses.filter((text) => text.length > 400)).toEqual([]);
  });
});

it('the page about OCTO works as written, from the connection of a reseller to a cancelled sale', async () => {
  const app = await startApp();
  const [preparation = ''] = await shellOf('docs/tour.md');
  const page = [preparation, ...(await shellOf('docs/octo.md'))].join('\n');
  const { code, output } = await run(page, app.url);
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  expect(output).toMatch(/^ON_HOLD until .*Z$/m);
  expect(output).toMatch(/^CONFIRMED B-/m);
  expect(output).toMatch(/^CANCELLED (FULL|PARTIAL)$/m);
}, 120_000);

describe('the page for partners', () => {
  it('the ten calls for partners work as written', async () => {
    const app = await startApp();
    const { code, output } = await run((await shellOf('docs/partners.md')).join('\n'), app.url);
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d{4}-\d\d-\d\d: \d+ seats$/m)]);
    expect(output).toMatch(/^\S+ is \w+, [1-9]\d* services$/m);
    expect(output).toMatch(/^commissions: [1-9]/m);
    expect(output).toMatch(/^statements: \d{4}-\d\d-01 \d+ EUR/m);
    expect(output).toContain('retry: 2000');
    expect(output).toMatch(/^products: \d+$/m);
  }, 60_000);
});

describe('the tour', () => {
  it('the tour works as written, also a second time, without output that looks like a failure', async () => {
    const app = await startApp();
    await asSystem(() =>
      app.nest.get(Database).transaction(() => app.nest.get(Provisioning).loadDemo('season', () => undefined)),
    );
    const tour = (await shellOf('docs/tour.md')).join('\n');

    for (const time of ['first', 'second']) {
      const { code, output, files } = await run(tour, app.url);
      expect([time, code, code === 0 ? '' : output]).toEqual([time, 0, '']);
      expect(output).not.toMatch(/error|fail|undefined|null|curl:/i);
      expect(output.split('\n')).toContain('P1234567');
      expect(output).toContain('the books add up');
      expect(output).toContain('12 people, 12 units\nwaiting, waiting\n');
      expect(output).toContain('Storm warning for the morning: 3 of 3 bookings done');
      expect(output).toContain('finance.supplier_invoice.approve');
      expect(output).toMatch(/^id: rtm_\w+\nevent: message\ndata: .*"headline":"Missed"/m);
      expect(output).toMatch(/INV-\d{4}-\d{4}/);
      expect(output.split('\n')).toContain('%PDF-');
      expect(files).toEqual([]);
    }
    // About eighty processes start here twice, one for each curl and each extracted value.
  }, 300_000);
});
