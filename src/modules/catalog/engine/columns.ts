import { Numbers } from './numbers.js';

export type Scalar = string | number | boolean;

/**
 * One field of all documents: each distinct value has a number, and a document has the numbers of its values. A condition
 * is decided once for each distinct value, and counting is adding to a list of numbers.
 */
export class Column {
  private readonly numbers = new Map<Scalar, number>();
  readonly values: Scalar[] = [];
  /** Where the numbers of a document begin; they end where the next one's begin. */
  private readonly starts = Numbers.whole(64);
  private readonly entries = Numbers.whole(64);

  constructor() {
    this.starts.push(0);
  }

  /** Adds the values of the next document, each once. */
  add(values: readonly Scalar[]): void {
    for (const value of new Set(values))
      this.entries.push(this.numberOf(typeof value === 'string' ? value.normalize('NFC') : value));
    this.starts.push(this.entries.length);
  }

  /** Marks the documents of which one value is accepted. */
  mark(accepts: (value: Scalar) => boolean, marks: Uint8Array): void {
    const accepted = Uint8Array.from(this.values, (value) => Number(accepts(value)));
    const [starts, entries] = [this.starts.array(), this.entries.array()];
    for (let document = 0; document < marks.length; document += 1) {
      const end = starts[document + 1] ?? 0;
      for (let index = starts[document] ?? 0; index < end; index += 1) {
        if (accepted[entries[index] ?? 0] === 1) {
          marks[document] = 1;
          break;
        }
      }
    }
  }

  /** How many of these documents have each value; by the value's number. */
  count(documents: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.values.length);
    const [starts, entries] = [this.starts.array(), this.entries.array()];
    for (const document of documents) {
      const end = starts[document + 1] ?? 0;
      for (let index = starts[document] ?? 0; index < end; index += 1) {
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
