#!/usr/bin/env node
import { readFileSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import { cases } from './cases.js';
import { startService } from './processes.js';
import { startWorld } from './world.js';

/*
 * npm run bench:telemetry: CPU time of the service per request without OpenTelemetry, with it, and with one trace of ten. The
 * services take turns, so that the ratios of a run compare the same minutes. BENCH_REQUESTS (4000) is the size of a turn,
 * BENCH_ROUNDS (5) their number, BENCH_ONLY a part of the cases' names.
 */
const amount = Number(process.env.BENCH_REQUESTS ?? 4000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const only = process.env.BENCH_ONLY ?? '';
const MEASURED = [
  'get supplier invoice',
  'list 50 supplier invoices',
  'create supplier invoice',
  'vault encrypt 32 bytes',
];
const WARM_UP = 1500;
const TICK_MICROSECONDS = 10_000;

const world = await startWorld();
const collector = await startCollector();
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_MAX_QUEUE_SIZE: '65536' };
const variants = {
  off: {},
  on: traced,
  'on, 0.1': { ...traced, OTEL_TRACES_SAMPLER_ARG: '0.1' },
};
const services = {};
try {
  for (const [name, env] of Object.entries(variants)) {
    services[name] = await startService({ ...world, env: { ...world.env, JOBS: 'false', ...env } });
  }
  print([
    'case',
    ...Object.keys(variants).flatMap((name) => (name === 'off' ? [`${name} us`] : [`${name} us`, 'of off'])),
  ]);
  for (const one of cases.filter(({ name }) => MEASURED.includes(name) && name.includes(only))) {
    print(row(one.name, await measure(one)));
  }
  print([
    'memory, MB',
    ...Object.values(services).flatMap(({ pid }, index) => (index === 0 ? [rss(pid)] : [rss(pid), ''])),
  ]);
  process.stdout.write(`bytes received by the collector: ${await collector.received()}\n`);
} finally {
  for (const { stop } of Object.values(services)) await stop();
  await collector.stop();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

/** The median of the CPU microseconds per request, by variant. */
async function measure({ prepare }) {
  const used = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { url, pid }] of Object.entries(services)) {
      const { service: next } = await prepare({ ...world, url });
      const before = cpuTicks(pid);
      const { non2xx, errors } = await run(url, next, round === 0 ? WARM_UP : amount);
      if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
      if (round > 0) (used[name] ??= []).push(((cpuTicks(pid) - before) * TICK_MICROSECONDS) / amount);
    }
  }
  return Object.fromEntries(Object.entries(used).map(([name, values]) => [name, median(values)]));
}

function run(url, next, count) {
  const setupRequest = (request) => Object.assign(request, next());
  return autocannon({ url, connections: 16, amount: count, requests: [{ setupRequest }] });
}

function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function rss(pid) {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function row(name, medians) {
  const { off } = medians;
  const cells = Object.entries(medians).flatMap(([variant, value]) =>
    variant === 'off' ? [Math.round(value)] : [Math.round(value), (value / off).toFixed(2)],
  );
  return [name, ...cells];
}

function print([first, ...rest]) {
  process.stdout.write(`${first.padEnd(34)}${rest.map((cell) => String(cell).padStart(11)).join('')}\n`);
}

/** Receives and discards data in a separate thread. */
async function startCollector() {
  const worker = new Worker(
    `const { createServer } = require('node:http');
     const { parentPort } = require('node:worker_threads');
     let bytes = 0;
     const server = createServer((request, response) => {
       request.on('data', (chunk) => (bytes += chunk.length));
       request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
     parentPort.on('message', () => parentPort.postMessage(bytes));`,
    { eval: true },
  );
  const next = () => new Promise((resolve) => worker.once('message', resolve));
  const port = await next();
  return {
    url: `http://127.0.0.1:${port}`,
    received: () => {
      const answer = next();
      worker.postMessage('bytes');
      return answer;
    },
    stop: () => worker.terminate(),
  };
}
