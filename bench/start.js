#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../scripts/ports.js';
import { serviceProgram } from '../scripts/service.js';
import { startWorld, root } from './world.js';

/*
 * npm run bench:start: STARTS (5) starts on existing data, without the embedding model: seconds from the spawn until the process
 * is ready, its memory and CPU time then and after REST_SECONDS (10) without requests. `npm start` includes npm and the start
 * of PostgreSQL; its memory is that of the service alone. The floor is a bare Nest application with TypeORM and the same
 * entities. Medians; the processes take turns.
 */
const starts = Number(process.env.STARTS ?? 5);
const restSeconds = Number(process.env.REST_SECONDS ?? 10);
const READY_WITHIN_MS = 180_000;
const HEADINGS = 'started,ready s,of Nest,fastest,slowest,CPU s,RSS MB,RSS at rest,CPU at rest';

const world = await startWorld();
const env = { ...world.env, NODE_ENV: 'development' };
const launched = { ...env, DATABASE_URL: '', MIGRATION_DATABASE_URL: '', DATA_DIR: join(world.folder, 'launched') };
// It creates a table.
const owner = { ...env, DATABASE_URL: env.MIGRATION_DATABASE_URL };
const programs = {
  'bare Nest': { command: [process.execPath, join(root, 'bench/floors/nest.js')], env: owner, path: '/health/live' },
  modules: { command: [process.execPath, join(root, 'dist/src/main.js')], env, path: '/health/ready' },
  service: { command: [process.execPath, serviceProgram(root)], env, path: '/health/ready' },
  'npm start': { command: ['npm', 'start'], env: launched, path: '/health/ready', pid: launchedPid },
};
try {
  // Creates the database of the launcher.
  await measure(programs['npm start'], 0);
  const results = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let n = 0; n < starts; n += 1) {
    for (const [name, program] of Object.entries(programs)) results[name].push(await measure(program, restSeconds));
  }
  print(HEADINGS.split(','));
  const floor = median(results['bare Nest'], 'seconds');
  for (const [name, runs] of Object.entries(results)) {
    const seconds = median(runs, 'seconds');
    const [fastest, slowest] = [Math.min, Math.max].map((of) => of(...runs.map((run) => run.seconds)));
    print([
      name,
      ...[seconds, seconds / floor, fastest, slowest, median(runs, 'cpu')].map((number) => number.toFixed(2)),
      ...['rss', 'rssAtRest'].map((key) => median(runs, key).toFixed(0)),
      median(runs, 'cpuAtRest').toFixed(2),
    ]);
  }
} finally {
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

async function measure({ command: [file, ...words], env: settings, path, pid = (child) => child.pid }, seconds) {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(file, words, { cwd: root, env: { ...settings, PORT: String(port) }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await ready(`http://127.0.0.1:${port}${path}`, child);
    const result = { seconds: (performance.now() - began) / 1000 };
    const used = usage(pid(child));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const atRest = usage(pid(child));
    return { ...result, ...used, rssAtRest: atRest.rss, cpuAtRest: atRest.cpu - used.cpu };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function ready(url, child) {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until && child.exitCode === null) {
    const response = await fetch(url).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${child.spawnargs.join(' ')} did not become ready`);
}

/** The service that `npm start` has started. */
function launchedPid() {
  return JSON.parse(readFileSync(join(launched.DATA_DIR, 'serving.json'), 'utf8')).pid;
}

/** Memory in MB and CPU time in seconds, which Linux counts in hundredths. */
function usage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const rssKib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { rss: Number(rssKib) / 1024, cpu: (Number(fields[11]) + Number(fields[12])) / 100 };
}

function median(runs, key) {
  const sorted = runs.map((run) => run[key]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function print(cells) {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(12)).join('')}\n`);
}
