import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { IndexedDocument } from './document-view.js';
import type { Filter } from './filters.js';
import { type PagePosition, type SearchRequest, type Sort, SORTS } from './search-api.js';
import { parseSchema } from './schema.js';
import { SearchIndex } from './search-index.js';

const SCHEMA = parseSchema(
  'name: text x3; countries: texts C x2; stars: number C; startDate: day F; publishedAt: moment F',
);
const SETTINGS = { id: '1', schema: SCHEMA, locale: 'en-GB', currency: 'EUR' };
const NOW = Date.parse('2026-11-22T12:00:00Z');
const COUNTRIES = ['Greece', 'Italy', 'Spain'];
const STARS = [1, 2, 3];

interface Drawn {
  name: string;
  countries: string[];
  stars: number;
  direction: number[];
}

const direction = fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 4, maxLength: 4 });
const drawn: fc.Arbitrary<Drawn> = fc.record({
  name: fc.constantFrom('Dune', 'Dune walk', 'Lagoon', 'Lagoon walk', 'Harbour'),
  countries: fc.subarray(COUNTRIES),
  stars: fc.constantFrom(...STARS),
  direction,
});
const filterOf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('values' as const), field: fc.constant('countries'), values: fc.subarray(COUNTRIES) }),
  fc.record({ kind: fc.constant('values' as const), field: fc.constant('stars'), values: fc.subarray(STARS) }),
);
const modes = fc.constantFrom('semantic' as const, 'hybrid' as const);

function rowOf(n: number, { direction: values, ...fields }: Drawn): IndexedDocument {
  const vector = new Uint8Array(Float32Array.from([...values, 1]).buffer);
  const row = { seq: n + 1, id: `d${n}`, fields: JSON.stringify(fields), createdAt: 0, updatedAt: 0 };
  return { ...row, deleted: false, vector };
}

function indexOf(rows: readonly IndexedDocument[]): SearchIndex {
  const index = new SearchIndex(SETTINGS);
  index.apply(1, rows, NOW);
  return index;
}

function request(values: readonly number[], changes: Partial<SearchRequest>): SearchRequest {
  const length = Math.hypot(...values, 1);
  const vector = Float32Array.from([...values, 1].map((value) => value / length));
  const usual = { query: 'lagoon walk', mode: 'hybrid' as const, sort: 'relevance' as const, filters: [], facets: [] };
  return { ...usual, limit: 250, vector, now: NOW, position: null, ...changes };
}

const facets = ['countries', 'stars'].map((field) => ({ requestedAs: field, field, limit: 250, isNumber: false }));

describe('semantic and hybrid search', () => {
  it('hybrid search ranks a document without a vector like one whose vector is unrelated to the query', () => {
    const names = ['Lagoon walk near', 'Lagoon walk pending', 'Lagoon walk unrelated'];
    const rows = names.map((name, n) => rowOf(n, { name, countries: [], stars: 1, direction: [n === 0 ? 9 : -9, 0] }));
    const pending = rows.map((row, n) => (n === 1 ? { ...row, vector: null } : row));
    const { hits } = indexOf(pending).search(request([9, 0], {}));
    const scores = new Map(hits.map(({ id, score }) => [id, score]));
    expect(scores.get('d0')).toBeGreaterThan(scores.get('d1') ?? 1);
    expect(scores.get('d1')).toBeCloseTo(scores.get('d2') ?? 0, 6);
  });

  it('semantic and hybrid search count facets over all matches, without the filters on their own field', () => {
    fc.assert(
      fc.property(
        fc.record({ all: fc.array(drawn, { maxLength: 40 }), filters: fc.array(filterOf, { maxLength: 2 }) }),
        fc.record({ mode: modes, asked: direction }),
        ({ all, filters }, { mode, asked }) => {
          const index = indexOf(all.map((one, n) => rowOf(n, one)));
          const found = index.search(request(asked, { mode, filters, facets }));
          expect(found.total).toBe(found.hits.length);
          for (const { requestedAs: field, counts } of found.facets) {
            const others = filters.filter((filter) => !(filter.kind === 'values' && filter.field === field));
            const expected = new Map<unknown, number>();
            for (const { id } of index.search(request(asked, { mode, filters: others })).hits) {
              const values = [all[Number(id.slice(1))]?.[field as 'countries' | 'stars'] ?? []].flat();
              for (const value of values) expected.set(value, (expected.get(value) ?? 0) + 1);
            }
            expect(new Map<unknown, number>(counts.map(({ value, count }) => [value, count]))).toEqual(expected);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('hybrid search finds what either mode finds, with scores from 0 to 1', () => {
    fc.assert(
      fc.property(
        fc.array(drawn, { maxLength: 40 }),
        direction,
        fc.array(filterOf, { maxLength: 1 }),
        (all, asked, filters) => {
          const index = indexOf(all.map((one, n) => rowOf(n, one)));
          const [words, meaning, both] = (['keyword', 'semantic', 'hybrid'] as const).map((mode) =>
            index.search(request(asked, { mode, filters })),
          );
          const either = new Set([...(words?.hits ?? []), ...(meaning?.hits ?? [])].map(({ id }) => id));
          expect(new Set(both?.hits.map(({ id }) => id))).toEqual(either);
          for (const { score } of both?.hits ?? []) expect(score >= 0 && score <= 1).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('semantic search sorted by a field matches only documents about as similar as the best one', () => {
    const rows = [
      { name: 'Lagoon', countries: [], stars: 1, direction: [9, 0, 0, 0] },
      { name: 'Lagoon walk', countries: [], stars: 1, direction: [0, 9, 0, 0] },
      { name: 'Dune', countries: [], stars: 1, direction: [9, 1, 0, 0] },
      { name: 'Harbour', countries: [], stars: 1, direction: [9, 7, 0, 0] },
    ].map((one, n) => rowOf(n, one));
    const found = (changes: Partial<SearchRequest>) => {
      const { hits, mode, total } = indexOf(rows).search(request([9, 0, 0, 0], { sort: 'newest', ...changes }));
      expect(total).toBe(hits.length);
      return [mode, hits.map(({ id }) => id).join('')];
    };
    expect(found({ query: 'lagoon walk' })).toEqual(['hybrid', 'd0d1d2']);
    expect(found({ query: 'lagoon walk', sort: 'relevance' })).toEqual(['hybrid', 'd1d0d2d3']);
    expect(found({ query: 'vineyard' })).toEqual(['hybrid', 'd0d2']);
    expect(found({ query: 'lagoon walk', mode: 'semantic' })).toEqual(['semantic', 'd0d2']);
  });

  it('hybrid search delivers each document exactly once over all pages, while documents are added and the index is rebuilt', () => {
    fc.assert(
      fc.property(
        fc.record({ all: fc.array(drawn, { minLength: 1, maxLength: 30 }), more: fc.array(drawn, { maxLength: 40 }) }),
        fc.record({ mode: modes, asked: direction, sort: fc.constantFrom<Sort>(...SORTS) }),
        fc.integer({ min: 1, max: 6 }),
        ({ all, more }, { mode, asked, sort }, limit) => {
          const rows = all.map((one, n) => rowOf(n, one));
          let index = indexOf(rows);
          const atFirst = index.search(request(asked, { mode, sort })).hits.map(({ id }) => id);
          const walked: string[] = [];
          let position: PagePosition | null = null;
          for (let page = 0; page === 0 || position; page += 1) {
            const found = index.search(request(asked, { mode, sort, limit, position }));
            expect(found.hits.length).toBeGreaterThan(atFirst.length > 0 ? 0 : -1);
            walked.push(...found.hits.map(({ id }) => id));
            position = found.next;
            const added = more.splice(0, 3).map((one, n) => rowOf(100 + page * 3 + n, one));
            rows.push(...added);
            if (page % 2 === 0) index.apply(page + 2, added, NOW);
            else index = indexOf(rows);
          }
          expect(new Set(walked).size).toBe(walked.length);
          expect(walked.filter((id) => atFirst.includes(id)).toSorted()).toEqual(atFirst.toSorted());
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('sort orders by date', () => {
  it('sort orders by date put documents without the date last', () => {
    const day = fc.option(fc.integer({ min: -40, max: 40 }));
    fc.assert(
      fc.property(fc.array(fc.record({ start: day, published: day }), { maxLength: 30 }), (all) => {
        const date = (days: number) => new Date(NOW + days * 86_400_000).toISOString().slice(0, 10);
        const rows = all.map(({ start, published }, n) => {
          const fields = {
            name: 'Trip',
            startDate: start === null ? undefined : date(start),
            publishedAt: published === null ? undefined : date(published),
          };
          return { ...rowOf(n, { name: '', countries: [], stars: 1, direction: [] }), fields: JSON.stringify(fields) };
        });
        const order = (sort: Sort) =>
          indexOf(rows)
            .search(request([], { query: '', mode: 'keyword', sort }))
            .hits.map(({ id }) => all[Number(id.slice(1))]);
        const starts = order('departure-asc').map((one) => ((one?.start ?? -1) >= 0 ? (one?.start ?? null) : null));
        const ahead = starts.filter((start) => start !== null);
        expect(starts).toEqual([...ahead.toSorted((a, b) => a - b), ...starts.slice(ahead.length).fill(null)]);
        const published = order('newest').map((one) => one?.published ?? null);
        const given = published.filter((value) => value !== null);
        expect(published).toEqual([...given.toSorted((a, b) => b - a), ...published.slice(given.length).fill(null)]);
      }),
      { numRuns: 100 },
    );
  });
});
