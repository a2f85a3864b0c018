import { expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { withSession } from '../realtime/session.js';
import { putAll, SEARCH, search, searchable, STATUS } from './catalog.js';

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
      const results: string[][] = [];
      for (const query of queries) results.push(await best(query));
      return results;
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

it('searches in PostgreSQL occupy a quarter of the connections: one address gets 429, and other requests are answered meanwhile', async () => {
  const app = await startApp({ env: { DATABASE_POOL_SIZE: '8' } });
  await putAll(app, [{ id: 'occupied', fields: { name: 'Occupied' } }]);
  await searchable(app);
  const answers = await withSession(async (session) => {
    // Every search waits for this lock until its statement has taken a second.
    await session.query('begin; lock table catalog_search_document in access exclusive mode');
    const searches = Array.from({ length: 30 }, (_, n) =>
      app.post<{ code: string; details: { retryAfterMs: number } }>(SEARCH, {
        vertical: 'products',
        query: `occupied ${n}`,
      }),
    );
    const others = await Promise.all(
      Array.from({ length: 12 }, () => app.as('owner').get('/v1/admin/distribution/channels')),
    );
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    const [{ count } = { count: 0 }] = await app.sql<{ count: number }>(
      `select count(*)::integer as count from pg_locks where not granted and relation = 'catalog_search_document'::regclass`,
    );
    expect([1, 2]).toContain(count);
    const timedOut = await Promise.any(
      searches.map(async (answer) => ((await answer).status === 503 ? answer : Promise.reject())),
    );
    expect(timedOut.body.code).toBe('service_unavailable');
    const rejected = await Promise.any(
      searches.map(async (answer) => ((await answer).status === 429 ? answer : Promise.reject())),
    );
    expect(rejected.body).toMatchObject({ code: 'rate_limited', details: { retryAfterMs: 1_000 } });
    await session.query('rollback');
    return Promise.all(searches);
  });
  const withStatus = (...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status)).length;
  expect(withStatus(429)).toBeGreaterThan(0);
  expect(withStatus(429) + withStatus(200, 503)).toBe(30);
  expect((await search(app, { query: 'occupied' })).body.total).toBe(1);
}, 60_000);

it.each(['relevance', 'price-asc'])(
  'a search of 64 words in PostgreSQL by %s evaluates the rarest ones, also on later pages',
  async (sort) => {
    const app = await startApp();
    const words = Array.from(
      { length: 64 },
      (_, n) => `${sort.charAt(0)}w${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}ord`,
    );
    const common = words.slice(3);
    await putAll(
      app,
      Array.from({ length: 30 }, (_, n) => ({
        id: `words-${sort}-${n}`,
        fields: {
          name: `Words ${n}`,
          shortDescription: [...(n < 3 ? words.slice(0, 3) : []), ...common].join(' '),
          priceFromAmountCents: n,
        },
      })),
    );
    await searchable(app);
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const pagination = { limit: 2, ...(cursor ? { cursor } : {}) };
      const { body } = await search(app, { query: [...common, ...words.slice(0, 3)].join(' '), sort, pagination });
      ids.push(...body.hits.map(({ id }) => id));
      cursor = body.next_cursor;
    } while (cursor && ids.length < 40);
    const rare = [0, 1, 2].map((n) => `words-${sort}-${n}`);
    expect(ids.slice(0, 3).toSorted()).toEqual(rare);
    expect(new Set(ids).size).toBe(ids.length);
  },
  60_000,
);
