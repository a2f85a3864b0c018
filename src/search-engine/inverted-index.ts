import { GrowableArray } from './growable-array.js';
import type { Token } from './tokenizer.js';

/** The documents that contain a stem, in ascending order of their ordinals. */
export interface PostingList {
  readonly ordinals: GrowableArray<Uint32Array>;
  readonly frequencies: GrowableArray<Float32Array>;
  /** The number of live documents that contain the stem. */
  documentFrequency: number;
}

/** The terms of one document. */
export interface DocumentTerms {
  /** The weighted frequency of each stem: an occurrence counts with the weight of its field. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** The stems of all words that are not stop words. */
  readonly keyTerms: ReadonlySet<string>;
  /** The words as they are written. */
  readonly surfaces: ReadonlySet<string>;
  /** The weighted number of words, without stop words. */
  readonly length: number;
}

/**
 * An inverted index in typed arrays. Field weights are part of the frequencies and of the document lengths, as in BM25F. A
 * removed document stays in the posting lists until the index is rebuilt; its ordinal is no longer live.
 */
export class InvertedIndex {
  private readonly lists = new Map<string, PostingList>();
  /** By ordinal. */
  readonly lengths = GrowableArray.float32(64);
  documentCount = 0;
  private totalLength = 0;

  /** Adds a document. Ordinals must ascend. */
  add(ordinal: number, { frequencies, length }: DocumentTerms): void {
    for (const [stem, frequency] of frequencies) {
      let list = this.lists.get(stem);
      if (!list) {
        const [ordinals, weighted] = [GrowableArray.uint32(2), GrowableArray.float32(2)];
        this.lists.set(stem, (list = { ordinals, frequencies: weighted, documentFrequency: 0 }));
      }
      list.ordinals.push(ordinal);
      list.frequencies.push(frequency);
      list.documentFrequency += 1;
    }
    while (this.lengths.length <= ordinal) this.lengths.push(0);
    this.lengths.array()[ordinal] = length;
    this.documentCount += 1;
    this.totalLength += length;
  }

  remove(ordinal: number, { frequencies }: DocumentTerms): void {
    for (const stem of frequencies.keys()) {
      const list = this.lists.get(stem);
      if (list) list.documentFrequency -= 1;
    }
    this.documentCount -= 1;
    this.totalLength -= this.lengths.at(ordinal);
  }

  has(stem: string): boolean {
    return this.documentFrequency(stem) > 0;
  }

  documentFrequency(stem: string): number {
    return this.lists.get(stem)?.documentFrequency ?? 0;
  }

  /** Includes removed documents. */
  postings(stem: string): PostingList | null {
    return this.lists.get(stem) ?? null;
  }

  /** Returns the frequency of a stem in one document; 0 if the document does not contain it. */
  frequency(stem: string, ordinal: number): number {
    const list = this.lists.get(stem);
    const index = list ? binarySearch(list.ordinals.array(), list.ordinals.length, ordinal) : -1;
    return list && index >= 0 ? list.frequencies.at(index) : 0;
  }

  get averageLength(): number {
    return this.documentCount > 0 ? Math.max(this.totalLength / this.documentCount, 1) : 1;
  }

  get bytes(): number {
    let bytes = this.lengths.bytes;
    for (const { ordinals, frequencies } of this.lists.values()) bytes += 120 + ordinals.bytes + frequencies.bytes;
    return bytes;
  }
}

/** Counts the terms of the searched fields of a document. */
export function countTerms(fields: Iterable<{ tokens: readonly Token[]; weight: number }>): DocumentTerms {
  const frequencies = new Map<string, number>();
  const keyTerms = new Set<string>();
  const surfaces = new Set<string>();
  let length = 0;
  for (const { tokens, weight } of fields) {
    for (const { surface, stem, isStopWord } of tokens) {
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + weight);
      surfaces.add(surface);
      if (isStopWord) continue;
      keyTerms.add(stem);
      length += weight;
    }
  }
  return { frequencies, keyTerms, surfaces, length };
}

/** Returns the index of a number in an ascending list, or -1. */
function binarySearch(numbers: Uint32Array, length: number, wanted: number): number {
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
