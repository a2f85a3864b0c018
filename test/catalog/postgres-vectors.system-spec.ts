import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SearchStatements } from '../../src/modules/catalog/postgres-search/search-statements.js';
import { VectorSearch } from '../../src/modules/catalog/postgres-search/vector-search.js';
import { FieldKeys } from '../../src/modules/catalog/postgres-search/field-keys.js';
import { Database } from '../../src/platform/database/database.js';
import { query } from '../platform/own-server.js';
import { startApp, type TestApp } from '../setup/app.js';
import { DOCUMENTS, type Fields, putAll, search, type SearchAnswer, searchable, STATUS } from './catalog.js';
import { EmbeddingService } from './embedding-service.js';

/*
 * Vectors in PostgreSQL. TEST_DATABASE_URL names a server that has pgvector 0.8 or newer; the embedded one has none.
 */
const DAY_MS = 86_400_000;
const service = new EmbeddingService();
let stored: TestApp;
let inMemory: TestApp;
let url = '';
let isSupported = false;

/** A test on a server with pgvector. */
function withVectors(title: string, test: () => Promise<void>): void {
  it(title, async () => {
    if (isSupported) await test();
    else process.stdout.write('not run: pgvector\n');
  });
}

const start = (adapter: string, model = 'toy') =>
  startApp({
    env: { SEARCH_ADAPTER: adapter, EMBEDDER: 'http', EMBEDDING_URL: url, EMBEDDING_MODEL: model },
  });

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The condition was not met in time');
}

/** Waits until all documents have their vectors, and the process searches by them. */
async function embedded(app: TestApp): Promise<void> {
  await until(async () => (await app.as('owner').get<{ data: { fresh: boolean } }>(STATUS)).body.data.fresh);
  await until(async () => (await find(app, { query: 'ice' })).mode === 'semantic');
}

async function find(app: TestApp, body: object): Promise<SearchAnswer> {
  return (await search(app, { mode: 'semantic', pagination: { limit: 250 }, ...body })).body;
}

const idsOf = ({ hits }: SearchAnswer) => hits.map(({ id }) => id);

const PLACES = ['snow', 'beach', 'ice', 'sea', 'museum', 'vineyard'];
const COUNTRIES = ['GR', 'IT', 'NO'];
const documents = Array.from({ length: 120 }, (_, n) => ({
  id: `trip${n}`,
  fields: {
    name: `Trip ${'abcdefghij'[n % 10]} to the ${PLACES[n % 6]} ${'x'.repeat(n % 9)}`,
    shortDescription: `${PLACES[(n * 5) % 6]} and ${n % 4 === 0 ? 'glacier' : 'walks'}`,
    countries: [COUNTRIES[n % 3]],
    priceFromAmountCents: 1_000 * ((n * 37) % 100),
    priceFromCurrency: 'EUR',
  } satisfies Fields,
}));

beforeAll(async () => {
  const found = await query(process.env['MIGRATION_DATABASE_URL'] ?? '', `select to_regclass('catalog_search_vector')`);
  isSupported = Object.values(found[0] ?? {})[0] !== null;
  if (!isSupported) return;
  const plain = await startApp({ env: { JOBS: 'false' } });
  // The demo catalog would be embedded first.
  await plain.sql(`update catalog_document set deleted_at = now()`);
  await plain.close();
  url = await service.start();
  [stored, inMemory] = await Promise.all([start('postgres'), start('memory')]);
  await putAll(stored, documents);
  await Promise.all([stored, inMemory].map(embedded));
}, 60_000);

describe('vectors in PostgreSQL', () => {
  afterAll(() => (isSupported ? service.stop() : undefined));
  const filter = { countries: 'IT' };
  const facets = [{ field: 'countries' }];
  it.each([
    ['a query', {}],
    ['two words', { query: 'snow glacier' }],
    ['a name', { query: 'Trip a to the snow' }],
    ['a filter', { filters: [filter], facets }],
    ['a sort by price', { sort: 'price-asc', facets }],
    ['a sort by price with a filter', { sort: 'price-desc', filters: [filter], facets }],
    ['a word of no document', { query: 'iceberg' }],
  ])('vectors in PostgreSQL find for %s what vectors in memory find', async (_, body) => {
    if (!isSupported) return;
    for (const mode of ['semantic', 'hybrid']) {
      const request = { query: 'ice', mode, ...body };
      const [actual, expected] = await Promise.all([find(stored, request), find(inMemory, request)]);
      expect([actual.mode, actual.total, actual.facets]).toEqual([mode, expected.total, expected.facets]);
      expect(actual.total).toBeGreaterThan(0);
      expect(idsOf(actual).toSorted()).toEqual(idsOf(expected).toSorted());
      if ('sort' in body) expect(idsOf(actual)).toEqual(idsOf(expected));
      // Both round vectors, and the server also rounds keyword scores, so neighbours may change places.
      const scores = new Map(expected.hits.map(({ id, score }) => [id, score]));
      for (const [place, { id }] of 'sort' in body ? [] : actual.hits.entries()) {
        expect(Math.abs((scores.get(id) ?? 0) - (expected.hits[place]?.score ?? 0))).toBeLessThan(0.06);
      }
    }
  });

  withVectors('vectors in PostgreSQL page through each result exactly once while documents are added', async () => {
    for (const mode of ['semantic', 'hybrid']) {
      const before = idsOf(await find(stored, { query: 'ice trip', mode }));
      const walked: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const pagination = { limit: 40, ...(cursor ? { cursor } : {}) };
        const page = await find(stored, { query: 'ice trip', mode, pagination });
        expect([page.mode, page.hits.length > 0]).toEqual([mode, true]);
        walked.push(...idsOf(page));
        cursor = page.next_cursor;
        await putAll(stored, [{ id: `${mode}${walked.length}`, fields: { name: `Ice trip ${walked.length}` } }]);
        await embedded(stored);
      }
      expect(new Set(walked).size).toBe(walked.length);
      expect(before.filter((id) => !walked.includes(id))).toEqual([]);
    }
  });

  withVectors('a document in PostgreSQL is found by its present vector until it is deleted', async () => {
    await putAll(stored, [{ id: 'changed', fields: { name: 'Beach chair' } }]);
    await embedded(stored);
    expect(idsOf(await find(stored, { query: 'ice' }))).not.toContain('changed');
    await putAll(stored, [{ id: 'changed', fields: { name: 'Snow hut' } }]);
    await embedded(stored);
    expect(idsOf(await find(stored, { query: 'ice' }))).toContain('changed');
    await stored.as('owner').delete(`${DOCUMENTS}/products/changed`);
    await searchable(stored);
    expect(idsOf(await find(stored, { query: 'ice' }))).not.toContain('changed');
    expect(await stored.sql(`select from catalog_search_vector where id = 'changed'`)).toEqual([]);
  });

  withVectors(
    'the index of vectors in PostgreSQL returns nearly what a comparison with all of them returns',
    async () => {
      // An index of a slice with a single document, so that the filter excludes most of the first results of the vector index.
      await stored.sql('select catalog_search_index_vectors(16)');
      await stored.sql(`insert into catalog_search_vector (index_id, id, embedding)
      select -1 - (n % 2), 'v' || n, l2_normalize(array(select random() - 0.5 + n * 0 from generate_series(1, 16))::halfvec)
      from generate_series(1, 1500) as n`);
      const database = stored.nest.get(Database);
      const vector = new Float32Array(16).fill(0.25);
      const nearest = (maxCompared: number) => {
        const compared = { indexId: '-1', vector, mode: 'semantic' as const, floor: -1, documents: 750 };
        const keys = new FieldKeys('-1', new Map());
        const request = { ...compared, keys, isSortedByField: false, minSimilarity: undefined };
        return database.snapshot(() =>
          new VectorSearch(new SearchStatements(database), request, maxCompared).nearest([]),
        );
      };
      const [all, indexed] = [await nearest(20_000), await nearest(0)];
      await stored.sql('delete from catalog_search_vector where index_id < 0');
      expect([all.ids.length, indexed.ids.length]).toEqual([200, 200]);
      expect(indexed.ids.filter((id) => all.ids.includes(id)).length).toBeGreaterThan(180);
    },
  );

  withVectors('a stored index keeps vectors when a departure begins, and is rebuilt for another model', async () => {
    const startsAt = new Date(stored.now().getTime() + DAY_MS).toISOString();
    await putAll(stored, [{ id: 'leaving', fields: { name: 'Snow train', departures: [{ startsAt }] } }]);
    await embedded(stored);
    stored.travel({ days: 2 });
    const document = async () => (await find(stored, { query: 'ice' })).hits.find(({ id }) => id === 'leaving');
    await until(async () => (await document())?.document.fields['hasUpcomingDeparture'] === false);
    await stored.close();
    await inMemory.close();
    const other = await start('postgres', 'other');
    const models = () => other.sql<{ model: string }>('select distinct model from catalog_search_vector_index');
    await putAll(other, [{ id: 'first', fields: { name: 'Snow sledge' } }]);
    await until(async () => (await models()).every(({ model }) => model === 'other'));
    await embedded(other);
    expect(idsOf(await find(other, { query: 'ice' }))).toContain('leaving');
  });
});
