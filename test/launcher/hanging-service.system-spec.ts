import { afterAll, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import { startTimeOf } from '../../scripts/processes.js';
import { newFolder, newProject, runScript } from './folders.js';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Listens on a port until it is killed. */
const HANGING = `
process.on('SIGTERM', () => undefined);
require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'));
`;

it('npm start names the process of a killed start that does not stop, and how to end it', async () => {
  const port = await freePort();
  const service = spawn(process.execPath, ['--eval', HANGING, String(port)], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(service.stdout, 'data');
  const pid = service.pid ?? 0;
  const data = join(folder, 'data');
  mkdirSync(join(data, 'run'), { recursive: true });
  // The launcher has ended, so its lock is stale.
  const launcher = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(launcher, 'exit');
  writeFileSync(join(data, `run/${port}.lock`), `${launcher.pid}\n`);
  writeFileSync(join(data, 'serving.json'), JSON.stringify({ pid, startedAt: startTimeOf(pid) }));
  try {
    const project = newProject();
    const script = runScript(project, [join(project, 'scripts/platform.js'), 'start'], {
      PORT: String(port),
      DATA_DIR: data,
    });
    expect(await script.end()).not.toBe(0);
    expect(script.output()).toContain(`(process ${pid}) does not stop and still uses port ${port}.`);
    expect(script.output()).toContain(`kill -9 ${pid}`);
  } finally {
    service.kill('SIGKILL');
  }
});
