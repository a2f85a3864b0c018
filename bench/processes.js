import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { serviceProgram } from '../scripts/service.js';
import { root } from './world.js';

const READY_WITHIN_MS = 90_000;

/** Starts the service that is built in `world.root` (default: this project) in a separate process, with its log in a file. */
export function startService(world, databaseUrl = world.databaseUrl) {
  return start(
    serviceProgram(world.root ?? root),
    { ...world.env, DATABASE_URL: databaseUrl },
    join(world.folder, 'service.log'),
  );
}

/** Starts one of the floors. They create their own tables, so they use the role of the owner. */
export function startFloor(name, world) {
  const env = { ...world.env, DATABASE_URL: world.env.MIGRATION_DATABASE_URL };
  return start(join(import.meta.dirname, `floors/${name}.js`), env, join(world.folder, `${name}.log`));
}

async function start(script, env, logFile) {
  const port = await freePort();
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [script], { env: { ...env, PORT: String(port) }, stdio: ['ignore', log, log] });
  const url = `http://127.0.0.1:${port}`;
  await ready(`${url}/health/live`, child, logFile);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function ready(url, child, logFile) {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The process did not become ready:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
