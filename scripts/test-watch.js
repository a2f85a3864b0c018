// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { jest } from './checks/steps.js';
import { stopSignals } from './child.js';
import { ROOT } from './environment.js';
import { watchBuild } from './watch-build.js';

/**
 * `npm run test:watch -- <file>`: runs the given test files after each change of the service's sources, and on Enter.
 * The database server and its template are kept from run to run; a changed migration needs a restart of this command.
 */
const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('Usage: npm run test:watch -- <test files>\n');
  process.exit(64);
}
const { stopping } = stopSignals();
const { command, env } = jest('tests', [...files, '--maxWorkers=1', '--selectProjects', 'unit', 'e2e', 'system']);
let running = Promise.resolve();

async function runTests() {
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'exit');
  process.stdout.write('Waiting for changes. Enter runs the tests again, Ctrl-C stops.\n');
}

const runNext = () => (running = running.then(runTests));
process.stdin.on('data', runNext);
for await (const { ok, output } of watchBuild(stopping)) {
  if (!ok) {
    process.stdout.write(`The build failed:\n${output}\n`);
    continue;
  }
  if (!process.env.TEST_RUN) {
    const { default: setUp } = await import('../test/setup/global-setup.js');
    await setUp({}, { rootDir: ROOT });
  }
  void runNext();
}
await running;
const { default: tearDown } = await import('../test/setup/global-teardown.js');
await tearDown();
process.exit();
