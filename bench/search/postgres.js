import { loadavg } from 'node:os';
import { createDataSource } from '../../dist/src/bootstrap/data-source.js';
import { seeded } from '../../dist/src/modules/catalog/demo/demo-documents.js';
import { PostgresSearchEngine } from '../../dist/src/modules/catalog/postgres-search/postgres-search-engine.js';
import { SCHEMAS } from '../../dist/src/modules/catalog/slices/verticals.js';
import { Clock } from '../../dist/src/platform/clock/clock.js';
import { Database } from '../../dist/src/platform/database/database.js';
import { startWorld } from '../world.js';

/*
 * npm run bench:search -- postgres 1000000: measures the adapter of SEARCH_ADAPTER=postgres with this number of synthetic
 * documents of 65 words (default 100000): the time of building the index, its size, and searches of each kind, with a
 * database of its own and without HTTP.
 */
const WORDS = 65;
const VOCABULARY = 60_000;
const PAGE = 500;
const ROUNDS = Number(process.env.BENCH_QUERIES ?? 30);
const DAY_MS = 86_400_000;
const print = (line) => process.stdout.write(`${line}\n`);

const eq = (field, value) => ({ kind: 'values', field, values: [value] });
const facet = (field, isNumber = false) => ({ requestedAs: field, field, limit: 20, isNumber });
const FACETS = [facet('countries'), facet('stars', true), facet('departureMonths')];

/** The kinds of searches; each search of a kind is different. */
const KINDS = {
  'two rare words': (random) => ({ query: words(random, [2, 20_000, VOCABULARY]) }),
  'three middling words': (random) => ({ query: words(random, [3, 500, 5_000]) }),
  'three very frequent words': (random) => ({ query: words(random, [3, 1, 20]) }),
  'ten mixed words': (random) => ({ query: `${words(random, [5, 1, 500])} ${words(random, [5, 500, 20_000])}` }),
  'a misspelled word': (random) => ({ query: `${words(random, [1, 500, 5_000])}zq` }),
  'middling words, country': (random) => ({ query: words(random, [3, 500, 5_000]), filters: [country(random)] }),
  'frequent words, country': (random) => ({ query: words(random, [3, 1, 20]), filters: [country(random)] }),
  'middling words, 3 facets': (random) => ({ query: words(random, [3, 500, 5_000]), facets: FACETS }),
  'frequent words, 3 facets': (random) => ({ query: words(random, [3, 1, 20]), facets: FACETS }),
  'middling words by price': (random) => ({ query: words(random, [3, 500, 5_000]), sort: 'price-asc' }),
  'frequent words by price': (random) => ({ query: words(random, [3, 1, 20]), sort: 'price-asc' }),
  'browsing by price': () => ({ sort: 'price-asc' }),
  'browsing, 3 facets': () => ({ facets: FACETS }),
  'country by price': (random) => ({ filters: [country(random)], sort: 'price-asc' }),
  'country, 3 facets': (random) => ({ filters: [country(random)], facets: FACETS }),
  'price range': (random) => {
    const gte = random(900_000);
    return { filters: [{ kind: 'range', field: 'priceFromAmountCents', dates: false, gte, lte: gte + 50_000 }] };
  },
  'browsing by departure': () => ({ sort: 'departure-asc' }),
};

export async function measurePostgres(size) {
  const world = await startWorld();
  const dataSource = createDataSource({ databaseUrl: world.databaseUrl, databasePoolSize: 4 });
  await dataSource.initialize();
  const clock = new Clock({ orgTimeZone: 'UTC' });
  const database = new Database(dataSource, clock);
  const engine = new PostgresSearchEngine(database, clock);
  try {
    const [slice] = await database.query(
      `insert into catalog_slice (vertical, locale, market, generation, document_count)
       values ('products', 'en-XA', 'default', 1, $1) returning id`,
      [size],
    );
    await engine.lead();
    const seconds = await build({ engine, id: slice.id, size, now: clock.now().getTime() });
    print(
      `${size} documents of ${WORDS} words: indexed in ${seconds.toFixed(0)} s (${Math.round(size / seconds)} a second)`,
    );
    await printSizes(database);
    for (const [kind, next] of Object.entries(KINDS)) await measureKind({ engine, id: slice.id, kind, next });
    print(`load of the machine ${loadavg()[0].toFixed(1)}`);
  } finally {
    await engine.stop();
    await dataSource.destroy();
    await world.stop();
  }
}

async function build({ engine, id, size, now }) {
  const began = performance.now();
  const settings = { id, schema: SCHEMAS.products, locale: 'en-XA', currency: 'EUR', revision: 'bench' };
  await engine.rebuild(settings, 1, pages(size, now));
  return (performance.now() - began) / 1_000;
}

async function* pages(size, now) {
  const random = seeded(size);
  const began = performance.now();
  for (let start = 0; start < size; start += PAGE) {
    const count = Math.min(PAGE, size - start);
    yield Array.from({ length: count }, (_, index) => document(random, start + index, now));
    const done = start + count;
    if (done % 50_000 === 0) print(`  ${done} after ${Math.round((performance.now() - began) / 1_000)} s`);
  }
}

function document(random, n, now) {
  const text = (count) => Array.from({ length: count }, () => word(random)).join(' ');
  const startsAt = new Date(now + (1 + random(700)) * DAY_MS).toISOString();
  const fields = {
    name: text(5),
    description: text(WORDS - 5),
    countries: [`country ${random(40)}`],
    cities: [`city ${random(2_000)}`],
    stars: 1 + random(5),
    priceFromAmountCents: random(1e6),
    departures: [{ startsAt, availableUnits: random(50) }],
  };
  const row = { seq: n + 1, id: `d${n}`, fields: JSON.stringify(fields), createdAt: now, updatedAt: now };
  return { ...row, deleted: false, vector: null };
}

async function printSizes(database) {
  const rows = await database.query(
    `select relname as name, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes
     from pg_class where relname like 'catalog_search_%' and relkind = 'r' order by pg_total_relation_size(oid) desc`,
  );
  for (const { name, rows: table, indexes } of rows.filter((row) => row.rows > 2 ** 20)) {
    print(`  ${name.padEnd(26)} ${megabytes(table)} MB, indexes ${megabytes(indexes)} MB`);
  }
}

async function measureKind({ engine, id, kind, next }) {
  const random = seeded(kind.length * 7_919);
  const times = [];
  let [matches, failed] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = { query: '', sort: 'relevance', filters: [], facets: [], ...next(random) };
    const began = performance.now();
    try {
      const { total } = await engine.search(id, {
        ...request,
        mode: 'keyword',
        limit: 20,
        vector: null,
        now: Date.now(),
        position: null,
      });
      matches += total / ROUNDS;
    } catch (error) {
      failed += 1;
      if (failed === 1) print(`  ${error.message}`);
    }
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1).padStart(8);
  print(
    `  ${kind.padEnd(28)} p50 ${at(0.5)} ms   p95 ${at(0.95)} ms   ${Math.round(matches)} matches${failed > 0 ? `   ${failed} failed` : ''}`,
  );
}

/** Word number n is about as frequent as 1 / n (Zipf's law). */
function word(random) {
  return `w${Math.floor(Math.exp((random(1e6) / 1e6) * Math.log(VOCABULARY))).toString(36)}`;
}

function words(random, [count, least, most]) {
  return Array.from({ length: count }, () => `w${(least + random(most - least)).toString(36)}`).join(' ');
}

function country(random) {
  return eq('countries', `country ${random(40)}`);
}

function megabytes(bytes) {
  return Math.round(bytes / 2 ** 20);
}
