#!/usr/bin/env node
import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cases } from './cases.js';
import { root, startWorld } from './world.js';

/*
 * npm run coverage:request -- NAME: the files of which a function runs for one request of a warm service, by V8's precise
 * coverage. NAME is a part of the name of a case of the bench.
 */
const WARM_UP = 20;
const RUNS = 5;
/** Longer than a request. */
const IDLE_MS = 100;
const SOURCES = join(root, 'dist/src/');

const name = process.argv[2] ?? '';
const chosen = cases.filter((one) => name !== '' && one.name.includes(name));
if (chosen.length !== 1) {
  process.stderr.write(`Name one of these cases:\n${cases.map((one) => `  ${one.name}\n`).join('')}`);
  process.exit(1);
}

const world = await startWorld();
const app = await startInProcess(world.env);
try {
  const url = await app.getUrl();
  const { service: next } = await chosen[0].prepare({ ...world, url });
  for (let sent = 0; sent < WARM_UP; sent += 1) await answer(url, next());
  const idle = await functionsOfEachRun(() => pause(IDLE_MS));
  const requests = await functionsOfEachRun(() => answer(url, next()));
  // Functions that a timer runs do not belong to the request.
  const functions = requests.filter((one) => !idle.includes(one));
  const files = [...new Set(functions.map((one) => one.split(' ', 1)[0]))].sort();
  const platform = files.filter((file) => file.startsWith('platform/'));
  const domain = files.filter((file) => file.startsWith('modules/'));
  process.stdout.write(
    `${files.join('\n')}\n\n${chosen[0].name}: ${domain.length} domain files (${byModule(domain)}), `,
  );
  process.stdout.write(`${platform.length} platform files, ${files.length} in all\n`);
} finally {
  await app.close();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

/** Jobs would add files that do not belong to the request. */
async function startInProcess(env) {
  Object.assign(process.env, env, { JOBS: 'false', LOG_LEVEL: 'error' });
  const load = (path) => import(pathToFileURL(join(SOURCES, path)).href);
  const [{ connect }, { createApp }, { readEnv }, { createLog }] = await Promise.all(
    [
      'bootstrap/boot.js',
      'bootstrap/configure-app.js',
      'platform/config/read-env.js',
      'platform/observability/log.js',
    ].map(load),
  );
  const settings = readEnv(process.env);
  const started = await createApp({
    env: settings,
    log: createLog(settings.logLevel),
    dataSource: await connect(settings),
  });
  await started.listen(0, '127.0.0.1');
  return started;
}

/** The functions that run in each of several runs of the work. */
async function functionsOfEachRun(work) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await functionsRunBy(work));
  return runs[0].filter((one) => runs.every((other) => other.includes(one)));
}

/** Each function as its file and its place in it. */
async function functionsRunBy(work) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url }) => url.startsWith(pathToFileURL(SOURCES).href))
    .flatMap(({ url, functions }) => {
      const file = relative(SOURCES, fileURLToPath(url)).replace(/\.js$/, '.ts');
      const ran = functions.filter(({ ranges }) => ranges[0].count > 0);
      return ran.map(({ ranges }) => `${file} ${ranges[0].startOffset}`);
    });
}

async function answer(url, { method, path, headers, body }) {
  const response = await fetch(url + path, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
}

function byModule(files) {
  const modules = files.map((file) => file.split('/')[1]);
  return [...new Set(modules)].map((one) => `${one} ${modules.filter((other) => other === one).length}`).join(', ');
}
