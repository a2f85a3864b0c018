import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Env } from '../config/env.js';
import { Traffic } from './traffic.js';

const LOOK_EVERY_MS = 50;
/** After the last response, for requests that are already sent on an open connection. */
const GRACE_MS = 300;
/** Not longer than a request's deadline: requests that are still running are then cut off. */
const FINISH_WITHIN_MS = 8_000;
/** Jobs and connections must end within this time: a process that waits for an unavailable database would never end. */
const CLOSE_WITHIN_MS = 10_000;

/**
 * Stops without a rejected or broken request: first the process is reported as not ready to the load balancer, and
 * clients learn that their connections end; then no further request is admitted, and running ones finish; jobs and
 * connections end last. Throws if they did not end in time.
 */
export async function drain(app: INestApplication): Promise<void> {
  const traffic = app.get(Traffic);
  traffic.drain();
  await pause(app.get(Env).drainSeconds * 1000);

  const server = app.getHttpServer() as Server;
  server.close();
  traffic.endEventStreams();
  const began = performance.now();
  let busyAt = began;
  while (performance.now() - busyAt < GRACE_MS && performance.now() - began < FINISH_WITHIN_MS) {
    await pause(LOOK_EVERY_MS);
    if (!traffic.isIdle) busyAt = performance.now();
  }
  server.closeAllConnections();
  const late = pause(CLOSE_WITHIN_MS, 'late', { ref: false });
  if ((await Promise.race([app.close(), late])) === 'late') {
    throw new Error(`Jobs and connections did not end within ${CLOSE_WITHIN_MS} ms`);
  }
}
