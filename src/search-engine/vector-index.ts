import { loadInnerProducts } from './inner-products.js';
import { scoreOfTop } from './score-accumulator.js';

const SAMPLED_PAIRS = 2_000;
/** The highest similarity floor: if all documents are alike, the usual similarity of two of them is meaningless. */
export const MAX_FLOOR = 0.35;
/** The floor until there are enough documents to compute one. */
export const DEFAULT_FLOOR = 0.3;

/** A query vector, compared with all vectors of an index. */
export interface VectorQuery {
  /** Returns at most `limit` documents of the mask with at least this similarity, the most similar first. */
  nearest(mask: Uint8Array, minSimilarity: number, limit: number): Uint32Array;
  /** Returns the cosine, which does not depend on other documents; 0 without a vector. */
  similarity(ordinal: number): number;
}

/**
 * A vector index that is searched exactly, so that filters lose no results. Vectors are quantized to int8. The floor is
 * recomputed whenever the index doubles.
 */
export class VectorIndex {
  private readonly innerProducts = loadInnerProducts();
  private dimensions = 0;
  private values = new Int8Array(0);
  /** The factor from int8 to the unit vector, by ordinal; 0 for a document without a vector. */
  private scales = new Float32Array(0);
  private count = 0;
  private countAtFloor = 0;
  /** The number of ordinals up to the last document with a vector. */
  private size = 0;
  /** Documents below this similarity to a query do not match. One in ten pairs of documents exceeds it. */
  floor = DEFAULT_FLOOR;

  /** The first vector decides the number of dimensions. A vector of another length or without a direction is ignored. */
  set(ordinal: number, vector: Float32Array): void {
    const quantized = quantize(vector);
    if (quantized === null) return;
    if (this.dimensions === 0) this.dimensions = vector.length;
    if (vector.length !== this.dimensions) return;
    this.reserve(ordinal + 1);
    this.values.set(quantized.values, ordinal * this.dimensions);
    this.scales[ordinal] = quantized.scale;
    this.size = Math.max(this.size, ordinal + 1);
    this.count += 1;
    if (this.count >= 2 * this.countAtFloor) this.updateFloor();
  }

  get bytes(): number {
    return this.values.byteLength + this.scales.byteLength;
  }

  /** Returns null if the vector has no direction, or a different number of dimensions. */
  query(vector: Float32Array): VectorQuery | null {
    const quantized = quantize(vector);
    if (quantized === null || vector.length !== this.dimensions) return null;
    const { scales } = this;
    const rows = this.values.subarray(0, this.size * this.dimensions);
    const similarities = this.innerProducts(rows, quantized.values);
    for (let ordinal = 0; ordinal < similarities.length; ordinal += 1) {
      similarities[ordinal] = (similarities[ordinal] ?? 0) * (scales[ordinal] ?? 0) * quantized.scale;
    }
    return {
      nearest: (mask, minSimilarity, limit) => nearest({ similarities, scales, mask }, minSimilarity, limit),
      similarity: (ordinal) => similarities[ordinal] ?? 0,
    };
  }

  private updateFloor(): void {
    const members = [...this.scales.keys()].filter((ordinal) => (this.scales[ordinal] ?? 0) > 0);
    this.countAtFloor = Math.max(members.length, 8);
    if (members.length < 8) return;
    const cosines = Array.from({ length: SAMPLED_PAIRS }, (_, pair) => {
      const [one, other] = pairOf(pair, members);
      return one === other ? -1 : this.cosine(one, other);
    }).filter((cosine) => cosine >= -0.99);
    cosines.sort((a, b) => a - b);
    this.floor = Math.min(cosines[Math.floor(cosines.length * 0.9)] ?? DEFAULT_FLOOR, MAX_FLOOR);
  }

  private cosine(one: number, other: number): number {
    const [first, second] = [one * this.dimensions, other * this.dimensions];
    let sum = 0;
    for (let index = 0; index < this.dimensions; index += 1) {
      sum += (this.values[first + index] ?? 0) * (this.values[second + index] ?? 0);
    }
    return sum * (this.scales[one] ?? 0) * (this.scales[other] ?? 0);
  }

  private reserve(documents: number): void {
    if (documents <= this.scales.length) return;
    const capacity = Math.max(documents, this.scales.length * 2, 64);
    this.values = copied(new Int8Array(capacity * this.dimensions), this.values);
    this.scales = copied(new Float32Array(capacity), this.scales);
  }
}

interface Compared {
  readonly similarities: Float32Array;
  readonly scales: Float32Array;
  readonly mask: Uint8Array;
}

/**
 * Uses plain loops, because a tenth of all documents reach the floor. Among documents with the same similarity, the older one
 * comes first.
 */
function nearest({ similarities, scales, mask }: Compared, minSimilarity: number, limit: number): Uint32Array {
  const ordinals = new Uint32Array(mask.length);
  const found = new Float32Array(mask.length);
  let count = 0;
  for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
    const similarity = similarities[ordinal] ?? 0;
    if (similarity < minSimilarity || mask[ordinal] !== 1 || (scales[ordinal] ?? 0) === 0) continue;
    ordinals[count] = ordinal;
    // Adds one, because a histogram has no negative scores.
    found[count++] = 1 + similarity;
  }
  const leastOfTop = scoreOfTop(limit, found.subarray(0, count));
  const top: number[] = [];
  for (let index = 0; index < count; index += 1) {
    if ((found[index] ?? 0) >= leastOfTop) top.push(ordinals[index] ?? 0);
  }
  top.sort((a, b) => (similarities[b] ?? 0) - (similarities[a] ?? 0) || a - b);
  return Uint32Array.from(top.slice(0, limit));
}

/** Returns a vector as int8 numbers, and the factor that makes it a vector of length 1; null for one without a direction. */
function quantize(vector: Float32Array): { values: Int8Array; scale: number } | null {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  if (!(largest > 0 && largest < Infinity)) return null;
  const values = new Int8Array(vector.length);
  let square = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const value = Math.round(((vector[index] ?? 0) / largest) * 127);
    values[index] = value;
    square += value * value;
  }
  return { values, scale: 1 / Math.sqrt(square) };
}

/** Takes the same sample of pairs each time, of documents that are far apart in the order of arrival. */
function pairOf(pair: number, members: readonly number[]): readonly [number, number] {
  const one = Math.imul(pair + 1, 2654435761) >>> 0;
  const other = Math.imul(pair + 7, 1597334677) >>> 0;
  return [members[one % members.length] ?? 0, members[other % members.length] ?? 0];
}

function copied<Items extends Int8Array | Float32Array>(target: Items, items: Items): Items {
  target.set(items);
  return target;
}
