// @ts-check
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { ROOT } from './environment.js';

/** Matches the compiler's output at the end of each compilation. */
const END = /Found (\d+) errors?\. Watching for file changes\./;

/**
 * Compiles the service now and after each change of its sources, with the same compiler plugins as the build.
 * @param {AbortSignal} stopping ends the compiler and the iteration
 * @returns {AsyncGenerator<{ ok: boolean, output: string }>} one item per compilation; `output` is what the compiler printed
 */
export async function* watchBuild(stopping) {
  const nest = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');
  const compiler = spawn(process.execPath, [nest, 'build', '--watch', '--preserveWatchOutput'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = () => compiler.kill('SIGTERM');
  stopping.addEventListener('abort', stop);
  try {
    let output = '';
    for await (const line of createInterface({ input: compiler.stdout })) {
      const end = END.exec(line);
      if (!end) {
        output += `${line}\n`;
        continue;
      }
      yield { ok: end[1] === '0', output };
      output = '';
    }
  } finally {
    stopping.removeEventListener('abort', stop);
    stop();
  }
}
