#!/usr/bin/env node
import { register } from 'node:module';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.js';
import { ownService, runningService } from './fuzz/service.js';

/*
 * npm run fuzz: calls every operation of the API document with valid requests, boundary values and attacks. Seed and case
 * number alone determine the requests.
 *   --count 20000   number of cases for each seed, with one and a half requests each on average
 *   --seed 1        may be given several times
 *   --case 17       only this case, with its requests and responses
 *   --url http://…  a running service, with the credentials of its DATA_DIR; default: a service that is started on its own
 *                   database, embedded or on the server of TEST_DATABASE_URL
 *   --run x         makes names unique if the same cases run on the same database again; default: new for each run with --url
 */
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', multiple: true, default: ['1'] },
    case: { type: 'string' },
    url: { type: 'string' },
    run: { type: 'string' },
  },
});
const from = options.case === undefined ? 0 : wholeNumber('--case', options.case);
const to = options.case === undefined ? wholeNumber('--count', options.count) : from + 1;
const run = options.run ?? (options.url === undefined ? undefined : Date.now().toString(36));

register('./fuzz/typescript.js', import.meta.url);
const { fuzz } = await import('../test/fuzz/fuzzer.ts');
const { describeExchange, figures, describeFinding } = await import('../test/fuzz/report.ts');

if (options.url === undefined) await ensureBuilt();
const service = options.url === undefined ? await ownService() : runningService(options.url);
try {
  for (const seed of options.seed) await fuzzWith(seed);
} finally {
  await service.stop();
}

async function fuzzWith(seed) {
  const { url, tokens } = service;
  const began = performance.now();
  const progress = (report) => process.stderr.write(`seed ${seed}: ${figures(report)}\n`);
  const watch = (request, answer) => process.stdout.write(`${describeExchange(request, answer, url)}\n\n`);
  const report = await fuzz({ url, tokens, seed, from, to, run, progress, ...(options.case ? { watch } : {}) });
  for (const finding of report.findings) process.stdout.write(`${describeFinding(finding, { seed, url, run })}\n\n`);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stdout.write(`seed ${seed}: ${figures(report)}; ${seconds} s\n`);
  const isClean = report.findings.length === 0 && !report.unmappedDatabaseErrors;
  if (!isClean) {
    process.stdout.write(`${service.errors()}\n`);
    process.exitCode = 1;
  }
}

function wholeNumber(name, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number`);
}
