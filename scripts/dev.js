// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stopSignals } from './child.js';
import { openDatabase } from './database.js';
import { loadEnvironment, ROOT } from './environment.js';
import { report } from './launch-error.js';
import { note } from './progress.js';
import { serviceCommand, serviceEnvironment } from './service.js';

const NEST = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');

/**
 * `npm run dev`: `nest start --watch` on the same database as `npm start`.
 * @param {AbortSignal} stopping
 */
async function develop(stopping) {
  loadEnvironment();
  const database = await openDatabase({ stopping });
  try {
    note('Compiling the service; it starts when this ends, and again after each change of its sources.');
    // A shell would not pass on signals. Nest waits for the service, which still needs the database.
    const [program = '', ...words] = serviceCommand(NEST);
    const nest = spawn(program, [...words, 'start', '--watch', '--preserveWatchOutput', '--no-shell'], {
      cwd: ROOT,
      env: serviceEnvironment(database.environment),
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const ended = once(nest, 'exit');
    const stop = () => nest.kill('SIGTERM');
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop);
    await ended;
  } finally {
    await database.close();
  }
}

const { stopping } = stopSignals();
process.exitCode = await develop(stopping).then(
  () => 0,
  (error) => (stopping.aborted ? 0 : report(error)),
);
process.exit();
