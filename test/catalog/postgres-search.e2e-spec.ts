import { expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { search, searchable, STATUS } from './catalog.js';

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
