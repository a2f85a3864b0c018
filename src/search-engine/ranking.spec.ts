import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RANKING, type FeedbackParameters } from './ranking-parameters.js';
import { scoreOfTop } from './score-accumulator.js';
import type { SearchRequest, SearchResult } from './search-api.js';
import { parseSchema } from './schema.js';
import { SearchIndex } from './search-index.js';
import { VectorIndex } from './vector-index.js';

const SCHEMA = parseSchema('name: text x3; description: text x1');
const SETTINGS = { id: '1', schema: SCHEMA, locale: 'en-GB', currency: 'EUR' };
describe('the score of the top results', () => {
  it('the score of the top results is reached by at least the requested number of results, with any scores', () => {
    const scores = fc.array(fc.float({ min: 0, max: 50, noNaN: true }), { maxLength: 400 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 50 }), (given, count) => {
        const least = scoreOfTop(count, Float32Array.from(given));
        const reach = given.filter((score) => Math.fround(score) >= least).length;
        expect(reach).toBeGreaterThanOrEqual(Math.min(count, given.length));
      }),
    );
  });
});

describe('pseudo-relevance feedback', () => {
  const TRIPS = [
    'quiet river journey by barge with local wine and cheese along old canals',
    'barge along old canals of burgundy with cheese, locks and lazy mornings',
    'wine journey',
    'burgundy locks and lazy mornings',
    'desert camp under the stars',
  ];
  const query = 'journey by river barge with wine and cheese';
  const find = (changes: Partial<FeedbackParameters>, maxKeywords = 3) => {
    const feedback = { ...DEFAULT_RANKING.feedback, ...changes };
    const index = new SearchIndex(SETTINGS, { ...DEFAULT_RANKING, feedback, maxKeywords });
    const rows = TRIPS.map((description, n) => ({
      seq: n + 1,
      id: `d${n}`,
      fields: JSON.stringify({ name: `Trip ${n}`, description }),
    }));
    const none = { createdAt: 0, updatedAt: 0, deleted: false, vector: null };
    index.apply(
      1,
      rows.map((row) => ({ ...row, ...none })),
      0,
    );
    const request: SearchRequest = {
      ...{ query, mode: 'keyword', sort: 'relevance', filters: [], facets: [], limit: 10 },
      ...{ vector: null, now: 1, position: null },
    };
    return index.search(request);
  };
  const scoreOf = (found: SearchResult, id: string) => found.hits.find((hit) => hit.id === id)?.score ?? 0;

  it('pseudo-relevance feedback raises documents that resemble the best result, and adds no results', () => {
    const [without, expanded] = [find({ weight: 0 }), find({ documents: 1 })];
    expect(expanded.hits.map(({ id }) => id).sort()).toEqual(without.hits.map(({ id }) => id).sort());
    expect(expanded.hits[0]).toEqual(expect.objectContaining({ id: 'd0', score: 1 }));
    // Like the best result, the second document has `along old canals`; the third only has a word of the query.
    const ratio = (found: SearchResult) => scoreOf(found, 'd1') / scoreOf(found, 'd2');
    expect(ratio(expanded)).toBeGreaterThan(ratio(without));
  });

  it('a query of keywords is not expanded', () => {
    expect(find({}, 5)).toEqual(find({ weight: 0 }, 5));
  });
});

describe('the vector index', () => {
  it('the vector index has similarities that do not change with other documents', () => {
    const vectors = new VectorIndex();
    const vector = (n: number) =>
      Float32Array.from({ length: 8 }, (_, index) => (index === 0 ? 3 : Math.sin(n * 7 + index)));
    for (let n = 0; n < 40; n += 1) vectors.set(n, vector(n));
    const query = unit(vector(3));
    const before = vectors.query(query);
    const similarities = [before?.similarity(3), before?.similarity(9)];
    for (let n = 40; n < 200; n += 1) vectors.set(n, vector(n + 0.5));
    const after = vectors.query(query);
    expect([after?.similarity(3), after?.similarity(9)]).toEqual(similarities);
    expect(after?.similarity(1_000)).toBe(0);
  });
});

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
