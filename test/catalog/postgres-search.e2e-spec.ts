import { expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { putAll, search, searchable, STATUS } from './catalog.js';

/* The tests of every adapter, with the indexes in PostgreSQL. */
process.env['SEARCH_ADAPTER'] = 'postgres';
await import('./search-conformance.e2e-spec.js');

it('a search in PostgreSQL is by keywords, is ready before its first index is built, and is named in the status', async () => {
  const app = await startApp();
  const ready = await app.get<{ parts: Record<string, { ok: boolean }> }>('/health/ready');
  expect(ready.body.parts['catalog']?.ok).toBe(true);
  await searchable(app);
  const status = await app.as('owner').get<{ data: { adapter: string } }>(STATUS);
  expect(status.body.data.adapter).toBe('postgres');
  const modes = await Promise.all(
    ['hybrid', 'semantic', 'keyword'].map(async (mode) => (await search(app, { query: 'beach', mode })).body.mode),
  );
  expect(modes).toEqual(['keyword', 'keyword', 'keyword']);
});

it('the rank of a word in PostgreSQL is the impact that its positions stand for', async () => {
  const app = await startApp();
  const { IMPACT_CODES, IMPACT_PER_RANK, LABEL_WEIGHTS } =
    await import('../../src/modules/catalog/postgres-search/impacts.js');
  const rows = await app.sql<{ rank: number }>(
    `select ts_rank($1::real[], tsvector, $2::tsquery) as rank from unnest($3::text[]) with ordinality as given (text, place),
       lateral (select text::tsvector as tsvector) as parsed order by place`,
    [LABEL_WEIGHTS, "'1_word'", IMPACT_CODES.map(({ positions }) => `'1_word':${positions} '1_other':1A`)],
  );
  expect(IMPACT_CODES).toHaveLength(20);
  for (const [index, { impact }] of IMPACT_CODES.entries()) {
    expect((rows[index]?.rank ?? 0) * IMPACT_PER_RANK).toBeCloseTo(impact, 5);
  }
});

/** A linear congruential generator, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

it('the ten best results of two words in PostgreSQL are nearly those in memory', async () => {
  const random = seeded(7);
  const letters = 'bcdfghklmnprstvz';
  const letter = () => letters.charAt(Math.floor(random() * letters.length));
  const words = Array.from({ length: 200 }, () => `${letter()}o${letter()}u${letter()}a${letter()}`);
  // Low ranks are frequent, as in texts.
  const word = () => words[Math.floor(words.length * random() ** 2)] ?? '';
  const text = (length: number) => Array.from({ length }, word).join(' ');
  const documents = Array.from({ length: 400 }, (_, n) => ({
    id: `ranked${n}`,
    fields: { name: text(2), shortDescription: text(3 + Math.floor(random() * 40)) },
  }));
  const queries = Array.from(
    { length: 30 },
    () => `${words[40 + Math.floor(random() * 100)]} ${words[150 + Math.floor(random() * 50)]}`,
  );

  const apps = [await startApp(), await startApp({ env: { SEARCH_ADAPTER: 'memory' } })];
  const found = await Promise.all(
    apps.map(async (app) => {
      await putAll(app, documents);
      await searchable(app);
      const best = async (query: string) =>
        (await search(app, { query, pagination: { limit: 10 } })).body.hits.map(({ id }) => id);
      return Promise.all(queries.map(best));
    }),
  );
  const [stored = [], inMemory = []] = found;
  const shares = stored.map((ids, n) => {
    const expected = inMemory[n] ?? [];
    return expected.filter((id) => ids.includes(id)).length / Math.max(1, expected.length);
  });
  expect(Math.min(...inMemory.map((ids) => ids.length))).toBeGreaterThan(5);
  expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.9);
  expect(stored.filter(([first], n) => first === inMemory[n]?.[0]).length / queries.length).toBeGreaterThan(0.7);
}, 60_000);
