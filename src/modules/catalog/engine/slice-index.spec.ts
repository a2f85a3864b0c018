import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Filter } from './filter.js';
import type { IndexedDocument, Place, SearchRequest, Sort } from './search-index.js';
import { SORTS } from './search-index.js';
import { SliceIndex } from './slice-index.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const WORDS = ['lagoon', 'glacier', 'temple', 'market', 'harbour', 'dune'];
const COUNTRIES = ['Greece', 'Italy', 'Spain', 'Ägypten'];

interface Fields {
  name: string;
  countries: string[];
  stars: number | null;
  priceFromAmountCents: number | null;
  hasOffer: boolean;
}

const fieldsOf: fc.Arbitrary<Fields> = fc.record({
  name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  countries: fc.array(fc.constantFrom(...COUNTRIES), { maxLength: 3 }),
  stars: fc.option(fc.integer({ min: 1, max: 5 })),
  priceFromAmountCents: fc.option(fc.integer({ min: 0, max: 5 })),
  hasOffer: fc.boolean(),
});

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('values' as const), field: fc.constant('countries'), values: fc.subarray(COUNTRIES) }),
  fc.record({ kind: fc.constant('values' as const), field: fc.constant('hasOffer'), values: fc.constant([true]) }),
  fc.record({
    kind: fc.constant('range' as const),
    field: fc.constant('stars'),
    dates: fc.constant(false),
    gte: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('exists' as const), field: fc.constantFrom('countries', 'stars') }),
);
const filterOf = fc.oneof(
  leaf,
  leaf.map((clause): Filter => ({ kind: 'not', clause })),
  fc.array(leaf, { maxLength: 3 }).map((clauses): Filter => ({ kind: 'or', clauses })),
  fc.array(leaf, { maxLength: 3 }).map((clauses): Filter => ({ kind: 'and', clauses })),
);

/** What a filter says, in the plainest words. */
function holds(filter: Filter, fields: Fields): boolean {
  const values = (field: string) => [fields[field as keyof Fields]].flat().filter((value) => value !== null);
  switch (filter.kind) {
    case 'values':
      return values(filter.field).some((value) => filter.values.includes(value));
    case 'range':
      return fields.stars !== null && fields.stars >= (filter.gte ?? 0);
    case 'exists':
      return values(filter.field).length > 0;
    case 'not':
      return !holds(filter.clause, fields);
    case 'or':
      return filter.clauses.some((clause) => holds(clause, fields));
    case 'and':
      return filter.clauses.every((clause) => holds(clause, fields));
    case 'box':
    case 'radius':
      throw new Error('Places are not tried here');
  }
}

function document(n: number, fields: object, changes: Partial<IndexedDocument> = {}): IndexedDocument {
  const row = { seq: n + 1, id: `d${n}`, fields: JSON.stringify(fields), createdAt: 0, updatedAt: 0 };
  return { ...row, deleted: false, vector: null, ...changes };
}

function indexOf(documents: readonly IndexedDocument[]): SliceIndex {
  const index = new SliceIndex({ id: '1', vertical: 'products', locale: 'en-GB', currency: 'EUR' });
  index.apply(1, documents, NOW);
  return index;
}

function request(changes: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query: '',
    mode: 'keyword',
    sort: 'relevance',
    filters: [],
    facets: [],
    limit: 250,
    cards: false,
    vector: null,
    now: NOW,
    place: null,
    ...changes,
  };
}

const facets = [
  { asked: 'countries', field: 'countries', limit: 250, isNumber: false },
  { asked: 'stars', field: 'stars', limit: 250, isNumber: true },
];

describe('any documents, queries and filters', () => {
  it('find and count what going through all of them one by one finds', () => {
    fc.assert(
      fc.property(
        fc.array(fieldsOf, { maxLength: 30 }),
        fc.array(filterOf, { maxLength: 2 }),
        fc.option(fc.constantFrom(...WORDS)),
        (all, filters, word) => {
          const index = indexOf(all.map((fields, n) => document(n, fields)));
          const found = index.search(request({ query: word ?? '', filters, facets }));

          const fits = (kept: readonly Filter[]) =>
            all.filter(
              (fields) =>
                kept.every((filter) => holds(filter, fields)) && (word === null || fields.name.includes(word)),
            );
          expect(found.total).toBe(fits(filters).length);
          for (const { asked, counts } of found.facets) {
            const others = filters.filter((filter) => !(filter.kind === 'values' && filter.field === asked));
            const expected = new Map<unknown, number>();
            for (const fields of fits(others)) {
              const values = new Set([fields[asked as 'countries' | 'stars']].flat().filter((value) => value !== null));
              for (const value of values) expected.set(value, (expected.get(value) ?? 0) + 1);
            }
            expect(new Map(counts.map(({ value, count }) => [value, count]))).toEqual(expected);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are in one order, whatever the pages: what is missing last, equal ones by their ids', () => {
    fc.assert(
      fc.property(
        fc.record({
          all: fc.array(fieldsOf, { maxLength: 40 }),
          sort: fc.constantFrom<Sort>(...SORTS),
          query: fc.constantFrom('', 'lagoon temple'),
          limit: fc.integer({ min: 1, max: 7 }),
        }),
        ({ all, sort, query, limit }) => {
          const index = indexOf(all.map((fields, n) => document(n, fields)));
          const whole = index.search(request({ query, sort })).hits.map(({ id }) => id);
          const walked: string[] = [];
          let place: Place | null = null;
          do {
            const page = index.search(request({ query, sort, limit, place }));
            walked.push(...page.hits.map(({ id }) => id));
            place = page.next;
          } while (place);
          expect(walked).toEqual(whole);
          if (sort === 'price-asc' || sort === 'price-desc') {
            const prices = whole.map((id) => all[Number(id.slice(1))]?.priceFromAmountCents ?? null);
            const given = prices.filter((price) => price !== null);
            const sorted = given.toSorted((a, b) => (sort === 'price-asc' ? a - b : b - a));
            expect(prices).toEqual([...sorted, ...prices.slice(given.length).fill(null)]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('after any changes are found as if the index had been built of them', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.option(fieldsOf)), { maxLength: 40 });
    fc.assert(
      fc.property(changes, (steps) => {
        const index = indexOf([]);
        const last = new Map<number, Fields | null>();
        for (const [step, [n, fields]] of steps.entries()) {
          const change = document(n, fields ?? {}, { deleted: fields === null });
          index.apply(step + 2, [change], NOW);
          // Repeating it changes nothing.
          index.apply(step + 2, [change], NOW);
          last.set(n, fields);
        }
        const alive = [...last].flatMap(([n, fields]) => (fields ? [document(n, fields)] : []));
        const built = indexOf(alive);
        for (const query of ['', 'temple', 'lagoon dune', 'marke', 'glacer']) {
          const [one, other] = [index, built].map((of) => of.search(request({ query, facets })));
          expect(one?.facets).toEqual(other?.facets);
          const scores = (hits: readonly { id: string; score: number }[]) =>
            hits.map(({ id, score }) => [id, score.toFixed(4)]).sort();
          expect(scores(one?.hits ?? [])).toEqual(scores(other?.hits ?? []));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('meaning', () => {
  const vector = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);
  const index = indexOf([
    document(0, { name: 'Alpha' }, { vector: vector(1, 0, 0) }),
    document(1, { name: 'Beta' }, { vector: vector(0.8, 0.6, 0) }),
    document(2, { name: 'Gamma' }, { vector: vector(0, 0, 1) }),
    document(3, { name: 'Delta' }),
  ]);
  const query = Float32Array.from([1, 0, 0]);

  it('finds what is near, the nearest first, and says that it did', () => {
    const found = index.search(request({ query: 'gamma', mode: 'semantic', vector: query }));
    expect([found.mode, found.hits.map(({ id }) => id)]).toEqual(['semantic', ['d0', 'd1']]);
    expect(found.hits[0]?.score).toBeCloseTo(1, 1);
  });

  it('and words find together what either finds', () => {
    const found = index.search(request({ query: 'gamma', mode: 'hybrid', vector: query }));
    expect([found.mode, found.hits.map(({ id }) => id).sort()]).toEqual(['hybrid', ['d0', 'd1', 'd2']]);
    expect(found.hits[0]?.id).toBe('d2');
  });

  it('that cannot be had leaves words, and the answer says so', () => {
    const found = index.search(request({ query: 'gamma', mode: 'hybrid' }));
    expect([found.mode, found.hits.map(({ id }) => id)]).toEqual(['keyword', ['d2']]);
  });
});
