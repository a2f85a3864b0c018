import { bitsOf } from './vocabulary.js';

/** Up to so many vectors each is compared exactly; beyond, their signs choose who is. */
const EXACT_UP_TO = 5_000;
const CANDIDATES = 1_000;
const PAIRS = 2_000;
/** Among documents that are all alike the usual distance says nothing: nearer than this is near enough. */
const NEAR_ENOUGH = 0.35;
const NEAR_BY_DEFAULT = 0.3;

/**
 * The vectors of a slice: eight bits for each dimension to compare by, and one (the sign beside the mean) to choose by. Mean
 * and floor are those of when the slice last doubled.
 */
export class Meanings {
  private dimensions = 0;
  private words = 0;
  private values = new Int8Array(0);
  private scales = new Float32Array(0);
  private signs = new Uint32Array(0);
  private mean = new Float32Array(0);
  private count = 0;
  private counted = 0;
  /** How near two documents must be to be nearer than nine in ten pairs. */
  floor = NEAR_BY_DEFAULT;

  /** Sets the vector of a document. */
  set(document: number, vector: Float32Array): void {
    if (this.dimensions === 0) {
      this.dimensions = vector.length;
      this.words = Math.ceil(vector.length / 32);
      this.mean = new Float32Array(vector.length);
    }
    if (vector.length !== this.dimensions) return;
    this.reserve(document + 1);
    const length = Math.hypot(...vector) || 1;
    const unit = vector.map((value) => value / length);
    const largest = unit.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    this.values.set(
      unit.map((value) => Math.round((value / largest) * 127)),
      document * this.dimensions,
    );
    this.scales[document] = largest / 127;
    this.sign(document);
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
    return this.values.byteLength + this.scales.byteLength + this.signs.byteLength;
  }

  /** Cosine with a query's vector of length 1. */
  nearness(document: number, query: Float32Array): number {
    const offset = document * this.dimensions;
    let sum = 0;
    for (let index = 0; index < this.dimensions; index += 1) {
      sum += (query[index] ?? 0) * (this.values[offset + index] ?? 0);
    }
    return sum * (this.scales[document] ?? 0);
  }

  /** The marked documents that may be the nearest; all that have a vector where there are few. */
  candidates(query: Float32Array, marks: Uint8Array): number[] {
    const marked: number[] = [];
    for (let document = 0; document < marks.length; document += 1) {
      if (marks[document] === 1 && this.has(document)) marked.push(document);
    }
    return marked.length <= EXACT_UP_TO ? marked : this.nearestBySigns(query, marked);
  }

  private nearestBySigns(query: Float32Array, marked: readonly number[]): number[] {
    const signs = this.signsOf((index) => query[index] ?? 0);
    const distances = new Uint16Array(marked.length);
    const histogram = new Uint32Array(this.dimensions + 1);
    for (let place = 0; place < marked.length; place += 1) {
      const offset = (marked[place] ?? 0) * this.words;
      let differing = 0;
      for (let word = 0; word < this.words; word += 1) {
        differing += bitsOf((this.signs[offset + word] ?? 0) ^ (signs[word] ?? 0));
      }
      distances[place] = differing;
      histogram[differing] = (histogram[differing] ?? 0) + 1;
    }
    let most = 0;
    for (let found = histogram[0] ?? 0; found < CANDIDATES && most < this.dimensions; found += histogram[most] ?? 0)
      most += 1;
    return marked.filter((_, place) => (distances[place] ?? 0) <= most);
  }

  /** Takes mean and floor anew, and the signs by them. */
  private settle(): void {
    const members = [...this.scales.keys()].filter((document) => this.has(document));
    this.counted = Math.max(members.length, 8);
    const mean = new Float32Array(this.dimensions);
    for (const document of members) {
      for (let index = 0; index < this.dimensions; index += 1) {
        mean[index] = (mean[index] ?? 0) + this.valueOf(document, index) / members.length;
      }
    }
    this.mean = mean;
    for (const document of members) this.sign(document);
    this.floor = this.floorAmong(members);
  }

  private floorAmong(members: readonly number[]): number {
    if (members.length < 8) return NEAR_BY_DEFAULT;
    const near = Array.from({ length: PAIRS }, (_, pair) => {
      const [one, other] = pairOf(pair, members);
      const vector = Float32Array.from({ length: this.dimensions }, (__, index) => this.valueOf(one, index));
      return one === other ? -1 : this.nearness(other, vector);
    }).filter((nearness) => nearness >= -0.99);
    near.sort((a, b) => a - b);
    return Math.min(near[Math.floor(near.length * 0.9)] ?? NEAR_BY_DEFAULT, NEAR_ENOUGH);
  }

  private valueOf(document: number, index: number): number {
    return (this.values[document * this.dimensions + index] ?? 0) * (this.scales[document] ?? 0);
  }

  private sign(document: number): void {
    this.signs.set(
      this.signsOf((index) => this.valueOf(document, index)),
      document * this.words,
    );
  }

  private signsOf(value: (index: number) => number): Uint32Array {
    const signs = new Uint32Array(this.words);
    for (let index = 0; index < this.dimensions; index += 1) {
      const word = index >>> 5;
      if (value(index) > (this.mean[index] ?? 0)) signs[word] = (signs[word] ?? 0) | (1 << (index & 31));
    }
    return signs;
  }

  private reserve(documents: number): void {
    if (documents <= this.scales.length) return;
    const capacity = Math.max(documents, this.scales.length * 2, 64);
    this.values = copied(new Int8Array(capacity * this.dimensions), this.values);
    this.scales = copied(new Float32Array(capacity), this.scales);
    this.signs = copied(new Uint32Array(capacity * this.words), this.signs);
  }
}

/** The same pairs each time, far apart in the order of arrival. */
function pairOf(pair: number, members: readonly number[]): readonly [number, number] {
  const one = Math.imul(pair + 1, 2654435761) >>> 0;
  const other = Math.imul(pair + 7, 1597334677) >>> 0;
  return [members[one % members.length] ?? 0, members[other % members.length] ?? 0];
}

function copied<Items extends Int8Array | Float32Array | Uint32Array>(target: Items, items: Items): Items {
  target.set(items);
  return target;
}
