import { SignBits } from './sign-bits.js';

/** Up to so many vectors each is compared exactly; beyond, their signs choose who is. */
const EXACT_UP_TO = 5_000;
const CANDIDATES = 1_000;
const PAIRS = 2_000;
/** Among documents that are all alike the usual distance says nothing: nearer than this is near enough. */
const NEAR_ENOUGH = 0.35;
const NEAR_BY_DEFAULT = 0.3;
/** So many documents of no direction stand beside the ones that there are: the mean of a few is chance. */
const UNDIRECTED = 20;

/** How much of what all documents have in common is left out of account: all of it hurts where they are few (docs/adr/0021). */
const COMMON = 0.5;

/** A query's vector beside those of the documents. */
export interface Comparison {
  /** The marked documents that may be the nearest; all that have a vector where there are few. */
  candidates(marks: Uint8Array): number[];
  /** The cosine: decides who is found, as it stays what it is. */
  nearness(document: number): number;
  /** The cosine of what sets both apart from the mean: ranks better. 0 without a vector. */
  likeness(document: number): number;
}

/**
 * The vectors of a slice: eight bits for each dimension to compare by, and one (the sign beside the mean) to choose by. Mean
 * and floor are those of when the slice last doubled.
 */
export class Meanings {
  private dimensions = 0;
  private values = new Int8Array(0);
  private scales = new Float32Array(0);
  private signs = new SignBits(0);
  private mean = new Float32Array(0);
  private meanSquare = 0;
  /** The product of each vector with the mean. */
  private alongMean = new Float32Array(0);
  private count = 0;
  private counted = 0;
  /** How near two documents must be to be nearer than nine in ten pairs. */
  floor = NEAR_BY_DEFAULT;

  /** Sets the vector of a document. */
  set(document: number, vector: Float32Array): void {
    if (this.dimensions === 0) {
      this.dimensions = vector.length;
      this.signs = new SignBits(vector.length);
      this.mean = new Float32Array(vector.length);
    }
    if (vector.length !== this.dimensions) return;
    this.reserve(document + 1);
    const length = lengthOf(vector);
    let largest = 1e-9;
    for (const value of vector) largest = Math.max(largest, Math.abs(value) / length);
    const offset = document * this.dimensions;
    for (let index = 0; index < this.dimensions; index += 1) {
      this.values[offset + index] = Math.round(((vector[index] ?? 0) / length / largest) * 127);
    }
    this.scales[document] = largest / 127;
    this.place(document);
    this.count += 1;
    if (this.count >= 2 * this.counted) this.settle();
  }

  has(document: number): boolean {
    return (this.scales[document] ?? 0) > 0;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get bytes(): number {
    return this.values.byteLength + this.scales.byteLength + this.alongMean.byteLength + this.signs.bytes;
  }

  /** Of a query's vector of length 1. */
  compare(query: Float32Array): Comparison {
    const along = product(query, this.mean) * COMMON;
    const square = this.meanSquare * COMMON ** 2;
    const away = Math.sqrt(Math.max(1 - 2 * along + square, 1e-9));
    const known = new Map<number, number>();
    const nearness = (document: number) => {
      let near = known.get(document);
      if (near === undefined) known.set(document, (near = this.cosine(document, query)));
      return near;
    };
    const likeness = (document: number) => {
      if (!this.has(document)) return 0;
      const own = (this.alongMean[document] ?? 0) * COMMON;
      const ownAway = Math.sqrt(Math.max(1 - 2 * own + square, 1e-9));
      const cosine = (nearness(document) - own - along + square) / (away * ownAway);
      return Math.min(1, Math.max(-1, cosine));
    };
    return { candidates: (marks) => this.candidates(query, marks), nearness, likeness };
  }

  private candidates(query: Float32Array, marks: Uint8Array): number[] {
    const marked = new Uint32Array(marks.length);
    let count = 0;
    for (let document = 0; document < marks.length; document += 1) {
      if (marks[document] === 1 && this.has(document)) marked[count++] = document;
    }
    const documents = marked.subarray(0, count);
    if (count <= EXACT_UP_TO) return [...documents];
    return this.signs.nearest((index) => (query[index] ?? 0) > (this.mean[index] ?? 0), documents, CANDIDATES);
  }

  private cosine(document: number, query: Float32Array): number {
    const offset = document * this.dimensions;
    const values = this.values;
    let sum = 0;
    for (let index = 0; index < this.dimensions; index += 1) {
      sum += (query[index] ?? 0) * (values[offset + index] ?? 0);
    }
    return sum * (this.scales[document] ?? 0);
  }

  /** Takes mean and floor anew, and what goes by them. */
  private settle(): void {
    const members = [...this.scales.keys()].filter((document) => this.has(document));
    this.counted = Math.max(members.length, 8);
    const mean = new Float64Array(this.dimensions);
    for (const document of members) {
      const offset = document * this.dimensions;
      const share = (this.scales[document] ?? 0) / (members.length + UNDIRECTED);
      for (let index = 0; index < this.dimensions; index += 1) {
        mean[index] = (mean[index] ?? 0) + (this.values[offset + index] ?? 0) * share;
      }
    }
    this.mean = Float32Array.from(mean);
    this.meanSquare = product(this.mean, this.mean);
    for (const document of members) this.place(document);
    this.floor = this.floorAmong(members);
  }

  private floorAmong(members: readonly number[]): number {
    if (members.length < 8) return NEAR_BY_DEFAULT;
    const near = Array.from({ length: PAIRS }, (_, pair) => {
      const [one, other] = pairOf(pair, members);
      const vector = Float32Array.from({ length: this.dimensions }, (__, index) => this.valueOf(one, index));
      return one === other ? -1 : this.cosine(other, vector);
    }).filter((nearness) => nearness >= -0.99);
    near.sort((a, b) => a - b);
    return Math.min(near[Math.floor(near.length * 0.9)] ?? NEAR_BY_DEFAULT, NEAR_ENOUGH);
  }

  private valueOf(document: number, index: number): number {
    return (this.values[document * this.dimensions + index] ?? 0) * (this.scales[document] ?? 0);
  }

  /** Where a vector lies beside the mean. */
  private place(document: number): void {
    this.alongMean[document] = this.cosine(document, this.mean);
    const [offset, scale] = [document * this.dimensions, this.scales[document] ?? 0];
    this.signs.set(document, (index) => (this.values[offset + index] ?? 0) * scale > (this.mean[index] ?? 0));
  }

  private reserve(documents: number): void {
    this.signs.reserve(documents);
    if (documents <= this.scales.length) return;
    const capacity = Math.max(documents, this.scales.length * 2, 64);
    this.values = copied(new Int8Array(capacity * this.dimensions), this.values);
    this.scales = copied(new Float32Array(capacity), this.scales);
    this.alongMean = copied(new Float32Array(capacity), this.alongMean);
  }
}

/** The same pairs each time, far apart in the order of arrival. */
function pairOf(pair: number, members: readonly number[]): readonly [number, number] {
  const one = Math.imul(pair + 1, 2654435761) >>> 0;
  const other = Math.imul(pair + 7, 1597334677) >>> 0;
  return [members[one % members.length] ?? 0, members[other % members.length] ?? 0];
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(product(vector, vector)) || 1;
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function copied<Items extends Int8Array | Float32Array | Uint32Array>(target: Items, items: Items): Items {
  target.set(items);
  return target;
}
