import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Meanings } from './meanings.js';
import { scoreOfBest } from './scores.js';
import type { SearchRequest } from './search-index.js';
import { SliceIndex } from './slice-index.js';
import { TUNING } from './tuning.js';

describe('the score that the best ones reach', () => {
  it('leaves out none of them, whatever the scores', () => {
    const scores = fc.array(fc.float({ min: 0, max: 50, noNaN: true }), { maxLength: 400 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 50 }), (given, count) => {
        const least = scoreOfBest(count, Float32Array.from(given));
        const reach = given.filter((score) => Math.fround(score) >= least).length;
        expect(reach).toBeGreaterThanOrEqual(Math.min(count, given.length));
      }),
    );
  });
});

describe('a question in a sentence', () => {
  const TRIPS = [
    'quiet river journey by barge with local wine and cheese along old canals',
    'barge along old canals of burgundy with cheese, locks and lazy mornings',
    'wine journey',
    'burgundy locks and lazy mornings',
    'desert camp under the stars',
  ];
  const query = 'journey by river barge with wine and cheese';
  const find = (feedback: Partial<typeof TUNING.feedback>) => {
    const traits = { id: '1', vertical: 'products', locale: 'en-GB', currency: 'EUR' };
    const index = new SliceIndex(traits, { ...TUNING, feedback: { ...TUNING.feedback, fromWords: 4, ...feedback } });
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
      ...{ query, mode: 'keyword', sort: 'relevance', filters: [], facets: [], limit: 10, cards: false },
      ...{ vector: null, now: 1, place: null },
    };
    return index.search(request);
  };
  const scoreOf = (found: ReturnType<typeof find>, id: string) => found.hits.find((hit) => hit.id === id)?.score ?? 0;

  it('is told by the best documents what it is about, and finds no other ones for it', () => {
    const [plain, heard] = [find({ fromWords: 64 }), find({ documents: 1 })];
    expect(heard.hits.map(({ id }) => id).sort()).toEqual(plain.hits.map(({ id }) => id).sort());
    expect(heard.hits[0]).toEqual(expect.objectContaining({ id: 'd0', score: 1 }));
    // The second one says `along old canals` too; the third has a word of the query and nothing else.
    const ratio = (found: ReturnType<typeof find>) => scoreOf(found, 'd1') / scoreOf(found, 'd2');
    expect(ratio(heard)).toBeGreaterThan(ratio(plain));
  });
});

describe('meaning', () => {
  it('is ranked by what sets documents apart, and found by what does not change when others come', () => {
    const meanings = new Meanings();
    const vector = (n: number) =>
      Float32Array.from({ length: 8 }, (_, index) => (index === 0 ? 3 : Math.sin(n * 7 + index)));
    for (let n = 0; n < 40; n += 1) meanings.set(n, vector(n));
    const query = unit(vector(3));
    const before = meanings.compare(query);
    const near = [before.nearness(3), before.nearness(9)];
    for (let n = 40; n < 200; n += 1) meanings.set(n, vector(n + 0.5));
    const after = meanings.compare(query);
    expect([after.nearness(3), after.nearness(9)]).toEqual(near);
    expect(after.likeness(3)).toBeGreaterThan(0.98);
    expect(after.likeness(9)).toBeLessThan(after.nearness(9));
    expect(after.likeness(1_000)).toBe(0);
  });
});

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
