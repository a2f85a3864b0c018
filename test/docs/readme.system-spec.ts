import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startApp } from '../setup/app.js';

const README = 'README.md';

/** The shell blocks of a section, in their order. */
async function shellOf(title: string): Promise<string[]> {
  const text = await readFile(README, 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines ?? '');
}

/** Runs a script in bash, with our curl first on the path: a bare machine has none. */
async function run(
  script: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string; pdf: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  await copyFile('test/docs/curl.js', join(folder, 'curl.mjs'));
  await copyFile('test/docs/curl.sh', join(folder, 'curl'));
  await chmod(join(folder, 'curl'), 0o755);
  const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, ...env, PATH },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const pdf = await readFile(join(folder, 'invoice.pdf')).catch(() => Buffer.alloc(0));
  await rm(folder, { recursive: true });
  return { code, output, pdf };
}

describe('the README', () => {
  it('gives the two commands first', async () => {
    const text = await readFile(README, 'utf8');
    const commands = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].slice(0, 2).map(([, lines]) => lines?.trim());
    expect(commands).toEqual(['npm start', 'npm test']);
  });

  it('its five-minute tour works as it stands, and a second time', async () => {
    const app = await startApp();
    const blocks = await shellOf('Five minutes');
    const tour = blocks.join('\n').replace(/^BASE=.*$/m, `BASE=${app.url}`);
    const env = { CREDENTIALS: process.env['TEST_CREDENTIALS'] ?? '' };

    for (const time of ['first', 'second']) {
      const { code, output, pdf } = await run(tour, env);
      expect([time, code, code === 0 ? '' : output]).toEqual([time, 0, '']);
      expect(output).toContain('"plaintext":"P1234567"');
      expect(output).toContain('finance.supplier_invoice.approve');
      expect(output).toMatch(/^id: rtm_\w+\nevent: message\ndata: .*"headline":"Missed meanwhile"/m);
      expect(output).toMatch(/"active":true,"scope":"connect:bookings:read"/);
      expect(output).toContain('"state":"pending"');
      expect(output).toMatch(/INV-\d{4}-\d{4}/);
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    }
    expect(blocks.length).toBeGreaterThan(7);
    // Some sixty processes start here, twice: one for each curl and each value that is picked.
  }, 300_000);
});
