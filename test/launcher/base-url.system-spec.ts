import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import { Machine } from '../identity/machine.js';
import { closeAfterTests } from '../setup/running.js';
import { PROJECT, runScript, type Script } from './folders.js';
import { eventually } from './wait.js';

/** Starts the built service in the data folder of the machine and waits until it is ready. */
async function started(machine: Machine, more: NodeJS.ProcessEnv = {}): Promise<{ url: string; script: Script }> {
  const PORT = String(await freePort());
  const script = runScript(machine.folder.replace(/\/data$/, ''), [join(PROJECT, 'dist/src/main.js')], {
    DATABASE_URL: machine.databaseUrl,
    DATA_DIR: machine.folder,
    DEMO_DATA: 'false',
    EMBEDDER: 'none',
    LOG_LEVEL: 'silent',
    PORT,
    ...more,
  });
  closeAfterTests(() => ended(script));
  await eventually(() => (script.output().includes('Ready.') ? true : null), script.output, 60);
  return { url: `http://127.0.0.1:${PORT}`, script };
}

async function ended({ child, end }: Script, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await end();
}

it('credentials.json keeps the address of the first running instance, and gets that of the next start after its end', async () => {
  const machine = await Machine.set();
  const baseUrl = () => machine.credentials()['baseUrl'];

  const first = await started(machine);
  expect(baseUrl()).toBe(first.url);
  const second = await started(machine);
  expect(baseUrl()).toBe(first.url);
  expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);

  await ended(first.script);
  const third = await started(machine, { WEB_CONCURRENCY: '2' });
  expect(baseUrl()).toBe(third.url);
  await ended(second.script);
  const fourth = await started(machine);
  expect(baseUrl()).toBe(third.url);

  await ended(third.script, 'SIGKILL');
  await ended(fourth.script);
  const fifth = await started(machine);
  expect(baseUrl()).toBe(fifth.url);
}, 300_000);
