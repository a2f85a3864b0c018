import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { innerProductsInJavaScript, loadInnerProducts } from './inner-products.js';
import { VectorIndex } from './vector-index.js';

const DIMENSIONS = 64;
const innerProducts = loadInnerProducts();

/** Makes vectors around a few centres, like the vectors of texts. */
function vectorsOf(count: number, seed: number): Float32Array[] {
  const random = (n: number) => (Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32 - 0.5;
  return Array.from({ length: count }, (_, n) =>
    Float32Array.from(
      { length: DIMENSIONS },
      (__, index) => random((n % 7) * 8_191 + index) + random(seed + n * DIMENSIONS + index),
    ),
  );
}

function cosine(one: Float32Array, other: Float32Array): number {
  const product = one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
  return product / (Math.hypot(...one) * Math.hypot(...other));
}

function indexOf(vectors: readonly Float32Array[]): VectorIndex {
  const index = new VectorIndex();
  for (const [ordinal, vector] of vectors.entries()) index.set(ordinal, vector);
  return index;
}

describe('inner products', () => {
  it('inner products are the same integers with and without the native library', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 70 }),
        fc.infiniteStream(fc.integer({ min: -127, max: 127 })),
        (size, of) => {
          const vector = Int8Array.from({ length: size }, () => Number(of.next().value));
          const rows = Int8Array.from({ length: 5 * size }, () => Number(of.next().value));
          expect([...innerProducts(rows, vector)]).toEqual([...innerProductsInJavaScript(rows, vector)]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('inner products of no rows, and of a part of a buffer, are those of these rows', () => {
    expect([...innerProducts(new Int8Array(0), Int8Array.of(1, 2))]).toEqual([]);
    const buffer = Int8Array.of(9, 9, 1, 2, 3, 4);
    expect([...innerProducts(buffer.subarray(2), buffer.subarray(2, 4))]).toEqual([5, 11]);
    expect([...innerProducts(buffer.subarray(0, 4), Int8Array.of(1, 0))]).toEqual([9, 1]);
  });
});

describe('the search of a vector index', () => {
  it('the search of a vector index finds at least 97 % of the ten nearest of the filtered documents, for any filter', () => {
    const vectors = vectorsOf(600, 1);
    const index = indexOf(vectors);
    let found = 0;
    for (const [n, query] of vectorsOf(50, 999_983).entries()) {
      const mask = Uint8Array.from(vectors, (_, ordinal) => Number(ordinal % (1 + (n % 5)) === 0));
      const expected = vectors
        .map((vector, ordinal) => ({ ordinal, similarity: cosine(vector, query) }))
        .filter(({ ordinal }) => mask[ordinal] === 1)
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      const nearest = [...(index.query(query)?.nearest(mask, -1, 10) ?? [])];
      expect(nearest.length).toBe(10);
      found += expected.filter(({ ordinal }) => nearest.includes(ordinal)).length;
    }
    expect(found / 500).toBeGreaterThanOrEqual(0.97);
  });

  it('the search of a vector index returns documents in descending order, without those below the threshold or without a vector', () => {
    const [query = new Float32Array(0)] = vectorsOf(1, 7);
    const index = indexOf(vectorsOf(100, 1));
    index.set(200, query);
    const compared = index.query(query);
    const mask = new Uint8Array(201).fill(1);
    const all = [...(compared?.nearest(mask, -1, Infinity) ?? [])];
    expect([all.length, all[0]]).toEqual([101, 200]);
    const similarities = all.map((ordinal) => compared?.similarity(ordinal) ?? NaN);
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
    const [, , third = NaN] = similarities;
    expect([...(compared?.nearest(mask, third, Infinity) ?? [])]).toEqual(all.slice(0, 3));
    expect([...(compared?.nearest(mask, third, 2) ?? [])]).toEqual(all.slice(0, 2));
    expect([...(compared?.nearest(new Uint8Array(201), -1, 10) ?? [])]).toEqual([]);
  });

  it('the search of a vector index ignores vectors without a direction or of another length', () => {
    const index = new VectorIndex();
    const [first = new Float32Array(0)] = vectorsOf(1, 1);
    expect(index.query(first)).toBeNull();
    const without = (value: number) => first.map((one, n) => (n === 3 ? value : one));
    const ignored = [new Float32Array(0), without(NaN), without(Infinity), without(-Infinity), first.map(() => 0)];
    for (const vector of ignored) index.set(0, vector);
    index.set(0, first);
    ignored.push(first.slice(1));
    for (const [n, vector] of ignored.entries()) index.set(n + 1, vector);
    for (const vector of ignored) expect(index.query(vector)).toBeNull();
    expect([...(index.query(first)?.nearest(new Uint8Array(9).fill(1), -1, 9) ?? [])]).toEqual([0]);
  });
});
