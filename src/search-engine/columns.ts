import { GrowableArray } from './growable-array.js';

export type Scalar = string | number | boolean;

/**
 * One field of all documents, dictionary encoded: each distinct value has a number, and a document has the numbers of its
 * values. A condition is evaluated once per distinct value, and counting is adding to an array.
 */
export class Column {
  private readonly numbers = new Map<Scalar, number>();
  readonly values: Scalar[] = [];
  /** The start of each document's entries; they end at the start of the next document's. */
  private readonly starts = GrowableArray.uint32(64);
  private readonly entries = GrowableArray.uint32(64);

  constructor() {
    this.starts.push(0);
  }

  /** Adds the values of the next document; duplicates are ignored. */
  add(values: readonly Scalar[]): void {
    for (const value of new Set(values))
      this.entries.push(this.numberOf(typeof value === 'string' ? value.normalize('NFC') : value));
    this.starts.push(this.entries.length);
  }

  /** Sets the mask of the documents with at least one accepted value. */
  match(accepts: (value: Scalar) => boolean, mask: Uint8Array): void {
    const accepted = Uint8Array.from(this.values, (value) => Number(accepts(value)));
    const [starts, entries] = [this.starts.array(), this.entries.array()];
    for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
      const end = starts[ordinal + 1] ?? 0;
      for (let index = starts[ordinal] ?? 0; index < end; index += 1) {
        if (accepted[entries[index] ?? 0] === 1) {
          mask[ordinal] = 1;
          break;
        }
      }
    }
  }

  /** Counts these documents for each value, by the number of the value. */
  count(ordinals: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.values.length);
    const [starts, entries] = [this.starts.array(), this.entries.array()];
    for (const ordinal of ordinals) {
      const end = starts[ordinal + 1] ?? 0;
      for (let index = starts[ordinal] ?? 0; index < end; index += 1) {
        const entry = entries[index] ?? 0;
        counts[entry] = (counts[entry] ?? 0) + 1;
      }
    }
    return counts;
  }

  get bytes(): number {
    return this.values.length * 60 + this.starts.bytes + this.entries.bytes;
  }

  private numberOf(value: Scalar): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    this.numbers.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}
