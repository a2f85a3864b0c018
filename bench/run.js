#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { cases } from './cases.js';
import { measureChains } from './chains.js';
import { startFloor, startService } from './processes.js';
import { countStatements } from './statements.js';
import { measure } from './measure.js';
import { startWorld } from './world.js';

/*
 * npm run bench: measures the built service on the embedded PostgreSQL, and in the same way two floors: bare node:http with pg
 * and one prepared statement, and a bare Nest + Express (+ TypeORM) route. The ratios can be compared between machines, the
 * figures cannot. BENCH_SECONDS (5) is the length of one measurement, BENCH_ONLY a part of the cases' names.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const only = process.env.BENCH_ONLY ?? '';
const CHAINS = 'writers to different subjects';

const world = await startWorld();
const started = [];
try {
  const service = await startService(world);
  const bare = await startFloor('bare', world);
  const nest = await startFloor('nest', world);
  started.push(service, bare, nest);
  const targets = { service: service.url, bare: bare.url, nest: nest.url };

  print([
    'case',
    'req/s',
    'p50 ms',
    'p99 ms',
    'bare req/s',
    'of bare',
    'Nest req/s',
    'of Nest',
    'SQL',
    'trips',
    'non-2xx',
  ]);
  for (const { name, prepare } of cases.filter((one) => one.name.includes(only))) {
    const requests = await prepare({ ...world, url: service.url });
    const results = {};
    for (const [target, url] of Object.entries(targets)) {
      if (requests[target]) results[target] = await measure(url, requests[target], { seconds });
    }
    const counts = await countStatements(world, requests.service);
    print(row(name, results, counts));
  }
  const writers = cases.find(({ name }) => name === 'create supplier invoice');
  if (writers && CHAINS.includes(only)) {
    const { service: request } = await writers.prepare({ ...world, url: service.url });
    const rates = await measureChains(world, { url: service.url, request, seconds });
    const [chained, free] = [Math.round(rates.with), Math.round(rates.without)];
    process.stdout.write(`\n${CHAINS}: ${chained} req/s, without chains ${free}: ${(chained / free).toFixed(2)}\n`);
  }
} finally {
  for (const { stop } of started) await stop();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

function row(name, { service, bare, nest }, { statements, roundTrips }) {
  const ratio = (floor) => (floor ? (service.rate / floor.rate).toFixed(2) : '-');
  return [
    name,
    Math.round(service.rate),
    service.p50,
    service.p99,
    bare ? Math.round(bare.rate) : '-',
    ratio(bare),
    nest ? Math.round(nest.rate) : '-',
    ratio(nest),
    statements,
    roundTrips,
    service.failed,
  ];
}

function print(cells) {
  const [first, ...rest] = cells.map(String);
  process.stdout.write(`${first.padEnd(34)}${rest.map((cell) => cell.padStart(11)).join('')}\n`);
}
