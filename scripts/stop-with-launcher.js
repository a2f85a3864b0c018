// @ts-check
import { isMainThread } from 'node:worker_threads';

/*
 * Preloaded into the service by its launcher: when the launcher ends without stopping the service (kill -9), the service
 * stops by itself, as it does on SIGTERM. Its worker threads and processes stop with it.
 */
const INTERVAL_MS = 200;
const launcher = Number(process.env.LAUNCHER_PID);

if (isMainThread && process.ppid === launcher) {
  const timer = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL_MS).unref();
}
