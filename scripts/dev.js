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
import { watchBuild } from './watch-build.js';

/**
 * `npm run dev`: the service on the same database as `npm start`, built and restarted after each change of its sources.
 * @param {AbortSignal} stopping
 */
async function develop(stopping) {
  loadEnvironment();
  const database = await openDatabase({ stopping });
  /** @type {import('node:child_process').ChildProcess | null} */
  let service = null;
  const stop = async () => {
    if (!service || service.exitCode !== null || service.signalCode !== null) return;
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  };
  try {
    for await (const { ok, output } of watchBuild(stopping)) {
      if (!ok) {
        note(`The build failed; the service of the last build keeps running.\n${output}`);
        continue;
      }
      await stop();
      const [program = '', ...words] = serviceCommand(join(ROOT, 'dist/src/main.js'), '--enable-source-maps');
      service = spawn(program, words, {
        cwd: ROOT,
        env: serviceEnvironment(database.environment),
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
      });
    }
  } finally {
    await stop();
    await database.close();
  }
}

const { stopping } = stopSignals();
process.exitCode = await develop(stopping).then(
  () => 0,
  (error) => (stopping.aborted ? 0 : report(error)),
);
process.exit();
