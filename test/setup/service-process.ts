import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeAfterTests } from './running.js';

/** Starts the built service in a separate process, which runs jobs and relays events. It is killed at the end of the file. */
export function startService(): ChildProcess {
  const env = { ...process.env, PORT: '0', JOBS: 'true' };
  const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: 'ignore' });
  closeAfterTests(async () => void child.kill('SIGKILL'));
  return child;
}

/** Kills the process without a warning, and waits until it has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
