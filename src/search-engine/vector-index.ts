import { bitCount } from './spelling.js';

/** Up to this many vectors are all compared with the query; of more, their sign bits choose the candidates. */
const EXACT_UP_TO = 5_000;
const CANDIDATES = 1_000;
const SAMPLED_PAIRS = 2_000;
/** The highest similarity floor: if all documents are alike, the usual similarity of two of them is meaningless. */
const MAX_FLOOR = 0.35;
const DEFAULT_FLOOR = 0.3;
/** The mean is computed as if there were this many zero vectors more, because the mean of a few vectors is chance. */
const ZERO_VECTORS = 20;
/** The part of the mean vector that is subtracted. Subtracting all of it hurts small collections (docs/adr/0021). */
const CENTERING = 0.5;

/** A query vector, compared with the vectors of an index. */
export interface VectorQuery {
  /** The documents of the mask that may be the most similar; all with a vector if there are few. */
  candidates(mask: Uint8Array): number[];
  /** The cosine. It decides which documents match, because it does not change when other documents do. */
  similarity(ordinal: number): number;
  /** The cosine after centering. It ranks better than the plain cosine. 0 without a vector. */
  centeredSimilarity(ordinal: number): number;
}

/**
 * A vector index in two quantizations: int8 per dimension for the comparison, and one bit per dimension (the sign after
 * centering) for choosing candidates. The mean and the floor are those of when the index last doubled.
 */
export class VectorIndex {
  private dimensions = 0;
  private values = new Int8Array(0);
  /** The factor from int8 to the unit vector, by ordinal; 0 for a document without a vector. */
  private scales = new Float32Array(0);
  private signBits = new SignBits(0);
  private mean = new Float32Array(0);
  private meanSquare = 0;
  /** The dot product of each vector with the mean. */
  private meanProducts = new Float32Array(0);
  private count = 0;
  private countAtMean = 0;
  /** Documents below this similarity to a query do not match: the similarity that one in ten pairs of documents exceeds. */
  floor = DEFAULT_FLOOR;

  /** The first vector decides the number of dimensions; a vector of another length is ignored. */
  set(ordinal: number, vector: Float32Array): void {
    if (this.dimensions === 0) {
      this.dimensions = vector.length;
      this.signBits = new SignBits(vector.length);
      this.mean = new Float32Array(vector.length);
    }
    if (vector.length !== this.dimensions) return;
    this.reserve(ordinal + 1);
    const length = lengthOf(vector);
    let largest = 1e-9;
    for (const value of vector) largest = Math.max(largest, Math.abs(value) / length);
    const offset = ordinal * this.dimensions;
    for (let index = 0; index < this.dimensions; index += 1) {
      this.values[offset + index] = Math.round(((vector[index] ?? 0) / length / largest) * 127);
    }
    this.scales[ordinal] = largest / 127;
    this.center(ordinal);
    this.count += 1;
    if (this.count >= 2 * this.countAtMean) this.updateMean();
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get bytes(): number {
    return this.values.byteLength + this.scales.byteLength + this.meanProducts.byteLength + this.signBits.bytes;
  }

  /** The query vector must have the length 1. */
  query(vector: Float32Array): VectorQuery {
    const queryProduct = dotProduct(vector, this.mean) * CENTERING;
    const square = this.meanSquare * CENTERING ** 2;
    const queryLength = Math.sqrt(Math.max(1 - 2 * queryProduct + square, 1e-9));
    const computed = new Map<number, number>();
    const similarity = (ordinal: number) => {
      let cosine = computed.get(ordinal);
      if (cosine === undefined) computed.set(ordinal, (cosine = this.cosine(ordinal, vector)));
      return cosine;
    };
    const centeredSimilarity = (ordinal: number) => {
      if (!this.has(ordinal)) return 0;
      const product = (this.meanProducts[ordinal] ?? 0) * CENTERING;
      const length = Math.sqrt(Math.max(1 - 2 * product + square, 1e-9));
      const cosine = (similarity(ordinal) - product - queryProduct + square) / (queryLength * length);
      return Math.min(1, Math.max(-1, cosine));
    };
    return { candidates: (mask) => this.candidates(vector, mask), similarity, centeredSimilarity };
  }

  private has(ordinal: number): boolean {
    return (this.scales[ordinal] ?? 0) > 0;
  }

  private candidates(query: Float32Array, mask: Uint8Array): number[] {
    const masked = new Uint32Array(mask.length);
    let count = 0;
    for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
      if (mask[ordinal] === 1 && this.has(ordinal)) masked[count++] = ordinal;
    }
    const ordinals = masked.subarray(0, count);
    if (count <= EXACT_UP_TO) return [...ordinals];
    return this.signBits.nearest((index) => (query[index] ?? 0) > (this.mean[index] ?? 0), ordinals, CANDIDATES);
  }

  private cosine(ordinal: number, query: Float32Array): number {
    const offset = ordinal * this.dimensions;
    const values = this.values;
    let sum = 0;
    for (let index = 0; index < this.dimensions; index += 1) {
      sum += (query[index] ?? 0) * (values[offset + index] ?? 0);
    }
    return sum * (this.scales[ordinal] ?? 0);
  }

  /** Computes the mean, and everything that depends on it. */
  private updateMean(): void {
    const members = [...this.scales.keys()].filter((ordinal) => this.has(ordinal));
    this.countAtMean = Math.max(members.length, 8);
    const mean = new Float64Array(this.dimensions);
    for (const ordinal of members) {
      const offset = ordinal * this.dimensions;
      const share = (this.scales[ordinal] ?? 0) / (members.length + ZERO_VECTORS);
      for (let index = 0; index < this.dimensions; index += 1) {
        mean[index] = (mean[index] ?? 0) + (this.values[offset + index] ?? 0) * share;
      }
    }
    this.mean = Float32Array.from(mean);
    this.meanSquare = dotProduct(this.mean, this.mean);
    for (const ordinal of members) this.center(ordinal);
    this.floor = this.floorOf(members);
  }

  private floorOf(members: readonly number[]): number {
    if (members.length < 8) return DEFAULT_FLOOR;
    const cosines = Array.from({ length: SAMPLED_PAIRS }, (_, pair) => {
      const [one, other] = pairOf(pair, members);
      const vector = Float32Array.from({ length: this.dimensions }, (__, index) => this.valueOf(one, index));
      return one === other ? -1 : this.cosine(other, vector);
    }).filter((cosine) => cosine >= -0.99);
    cosines.sort((a, b) => a - b);
    return Math.min(cosines[Math.floor(cosines.length * 0.9)] ?? DEFAULT_FLOOR, MAX_FLOOR);
  }

  private valueOf(ordinal: number, index: number): number {
    return (this.values[ordinal * this.dimensions + index] ?? 0) * (this.scales[ordinal] ?? 0);
  }

  private center(ordinal: number): void {
    this.meanProducts[ordinal] = this.cosine(ordinal, this.mean);
    const [offset, scale] = [ordinal * this.dimensions, this.scales[ordinal] ?? 0];
    this.signBits.set(ordinal, (index) => (this.values[offset + index] ?? 0) * scale > (this.mean[index] ?? 0));
  }

  private reserve(documents: number): void {
    this.signBits.reserve(documents);
    if (documents <= this.scales.length) return;
    const capacity = Math.max(documents, this.scales.length * 2, 64);
    this.values = copied(new Int8Array(capacity * this.dimensions), this.values);
    this.scales = copied(new Float32Array(capacity), this.scales);
    this.meanProducts = copied(new Float32Array(capacity), this.meanProducts);
  }
}

/** Binary quantization: one bit per dimension. A small Hamming distance means that two vectors are similar. */
class SignBits {
  private readonly words: number;
  private bits = new Uint32Array(0);

  constructor(private readonly dimensions: number) {
    this.words = Math.ceil(dimensions / 32);
  }

  get bytes(): number {
    return this.bits.byteLength;
  }

  reserve(documents: number): void {
    if (documents * this.words <= this.bits.length) return;
    const capacity = Math.max(documents * this.words, this.bits.length * 2, 64 * this.words);
    this.bits = copied(new Uint32Array(capacity), this.bits);
  }

  set(ordinal: number, isSet: (index: number) => boolean): void {
    this.bits.set(this.pack(isSet), ordinal * this.words);
  }

  /** About `count` of the documents, those with the smallest distance. */
  nearest(isSet: (index: number) => boolean, ordinals: Uint32Array, count: number): number[] {
    const { bits, words } = this;
    const query = this.pack(isSet);
    const distances = new Uint16Array(ordinals.length);
    const histogram = new Uint32Array(this.dimensions + 1);
    for (let index = 0; index < ordinals.length; index += 1) {
      const offset = (ordinals[index] ?? 0) * words;
      let distance = 0;
      for (let word = 0; word < words; word += 1) distance += bitCount((bits[offset + word] ?? 0) ^ (query[word] ?? 0));
      distances[index] = distance;
      histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    let farthest = 0;
    for (let found = histogram[0] ?? 0; found < count && farthest < this.dimensions;) {
      farthest += 1;
      found += histogram[farthest] ?? 0;
    }
    return [...ordinals.filter((_, index) => (distances[index] ?? 0) <= farthest)];
  }

  private pack(isSet: (index: number) => boolean): Uint32Array {
    const bits = new Uint32Array(this.words);
    for (let index = 0; index < this.dimensions; index += 1) {
      const word = index >>> 5;
      if (isSet(index)) bits[word] = (bits[word] ?? 0) | (1 << (index & 31));
    }
    return bits;
  }
}

/** The same sample of pairs each time, of documents that are far apart in the order of arrival. */
function pairOf(pair: number, members: readonly number[]): readonly [number, number] {
  const one = Math.imul(pair + 1, 2654435761) >>> 0;
  const other = Math.imul(pair + 7, 1597334677) >>> 0;
  return [members[one % members.length] ?? 0, members[other % members.length] ?? 0];
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(dotProduct(vector, vector)) || 1;
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function copied<Items extends Int8Array | Float32Array | Uint32Array>(target: Items, items: Items): Items {
  target.set(items);
  return target;
}
