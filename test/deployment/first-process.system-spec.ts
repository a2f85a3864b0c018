import { afterEach, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { serviceProgram } from '../../scripts/service.js';
import { closeAfterTests } from '../setup/running.js';
import { eventually } from '../launcher/wait.js';

/** Runs a program as process 1 of a process namespace, as in a container. */
const FIRST = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--kill-child'],
];

let server: ReturnType<typeof createServer>;
afterEach(() => void server?.close());

/** The address of a database that accepts connections and never answers. */
async function silentDatabase(): Promise<{ url: string; connected: Promise<unknown> }> {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://travel:secret@127.0.0.1:${port}/travel`, connected: once(server, 'connection') };
}

/** The process that `unshare` has forked, by its id outside the namespace. */
function childOf({ pid }: ChildProcess): number | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? null : Number(children);
}

it('a service that is the first process of a container ends on SIGTERM while it still waits for the database', async () => {
  if (spawnSync('sh', ['-c', `${FIRST.join(' ')} true`]).status !== 0) {
    process.stdout.write('not run: unshare\n');
    return;
  }
  const { url, connected } = await silentDatabase();
  const [program = '', ...words] = [...FIRST, process.execPath, serviceProgram()];
  const environment = { ...process.env, NODE_OPTIONS: '', DATABASE_URL: url, MIGRATION_DATABASE_URL: '' };
  const namespace = spawn(program, words, { env: environment, stdio: 'ignore' });
  closeAfterTests(async () => void namespace.kill('SIGKILL'));
  const ended = once(namespace, 'exit');
  await connected;
  process.kill(await eventually(() => childOf(namespace)), 'SIGTERM');
  expect((await ended)[0]).toBe(143);
});
