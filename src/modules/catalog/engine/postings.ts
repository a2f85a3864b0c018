import { Numbers } from './numbers.js';
import type { Scores } from './scores.js';
import type { Tuning } from './tuning.js';

/** Where a stem stands: the documents in the order in which they came, and how much it counts in each. */
export interface Posting {
  readonly documents: Numbers<Uint32Array>;
  readonly frequencies: Numbers<Float32Array>;
  /** How many living documents have it. */
  alive: number;
}

/** BM25 over flat lists. What a field counts more, its words count in the frequency and in the length alike. */
export class Postings {
  private readonly lists = new Map<string, Posting>();
  private readonly lengths = Numbers.real(64);
  private documents = 0;
  private totalLength = 0;

  constructor(private readonly tuning: Pick<Tuning, 'saturation' | 'lengths'>) {}

  /** Adds the next document; `length` counts its words that say something. */
  add(document: number, frequencies: ReadonlyMap<string, number>, length: number): void {
    for (const [stem, frequency] of frequencies) {
      let list = this.lists.get(stem);
      if (!list) this.lists.set(stem, (list = { documents: Numbers.whole(2), frequencies: Numbers.real(2), alive: 0 }));
      list.documents.push(document);
      list.frequencies.push(frequency);
      list.alive += 1;
    }
    while (this.lengths.length <= document) this.lengths.push(0);
    this.lengths.array()[document] = length;
    this.documents += 1;
    this.totalLength += length;
  }

  /** What its words weigh without it; its places in the lists stay until the slice is built anew. */
  remove(document: number, stems: Iterable<string>): void {
    for (const stem of stems) {
      const list = this.lists.get(stem);
      if (list) list.alive -= 1;
    }
    this.documents -= 1;
    this.totalLength -= this.lengths.at(document);
  }

  has(stem: string): boolean {
    return (this.lists.get(stem)?.alive ?? 0) > 0;
  }

  frequencyOf(stem: string): number {
    return this.lists.get(stem)?.alive ?? 0;
  }

  /** How much a word that so many documents have tells about one of them. */
  rarity(documentsWithIt: number): number {
    return Math.log(1 + (this.documents - documentsWithIt + 0.5) / (documentsWithIt + 0.5));
  }

  /**
   * The score of each document that has the stem, the dead ones included: the greater of what stands there and of this one,
   * as all words of one meaning count once.
   */
  score(stem: string, weight: number, best: Scores): void {
    const list = this.lists.get(stem);
    if (!list) return;
    const [documents, frequencies] = [list.documents.array(), list.frequencies.array()];
    const { fixed, growing } = this.damping();
    const lengths = this.lengths.array();
    const factor = weight * (this.tuning.saturation + 1);
    for (let index = 0; index < list.documents.length; index += 1) {
      const document = documents[index] ?? 0;
      const frequency = frequencies[index] ?? 0;
      best.raise(document, (factor * frequency) / (frequency + fixed + growing * (lengths[document] ?? 0)));
    }
  }

  /** The score of one document; 0 where it does not have the stem. */
  scoreOf(stem: string, weight: number, document: number): number {
    const list = this.lists.get(stem);
    const index = list ? placeIn(list.documents.array(), list.documents.length, document) : -1;
    if (!list || index < 0) return 0;
    const { fixed, growing } = this.damping();
    const frequency = list.frequencies.at(index);
    return (
      (weight * (this.tuning.saturation + 1) * frequency) / (frequency + fixed + growing * this.lengths.at(document))
    );
  }

  /** The documents that have the stem, the dead ones included. */
  documentsOf(stem: string): Uint32Array {
    const list = this.lists.get(stem);
    return list ? list.documents.array().subarray(0, list.documents.length) : new Uint32Array(0);
  }

  get bytes(): number {
    let bytes = this.lengths.bytes;
    for (const { documents, frequencies } of this.lists.values()) bytes += 120 + documents.bytes + frequencies.bytes;
    return bytes;
  }

  /** What a word's frequency is damped by: so much always, and so much more for each word of the document. */
  private damping(): { fixed: number; growing: number } {
    const { saturation, lengths } = this.tuning;
    const average = this.documents > 0 ? Math.max(this.totalLength / this.documents, 1) : 1;
    return { fixed: saturation * (1 - lengths), growing: (saturation * lengths) / average };
  }
}

/** Where a number stands among numbers that rise; -1: nowhere. */
function placeIn(numbers: Uint32Array, length: number, wanted: number): number {
  let [low, high] = [0, length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const number = numbers[middle] ?? 0;
    if (number === wanted) return middle;
    if (number < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
