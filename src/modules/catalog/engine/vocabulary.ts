import { Numbers } from './numbers.js';

/** A word of the vocabulary that may have been meant, and how well it fits (0..1). */
export interface Candidate {
  readonly surface: string;
  readonly fit: number;
}

const BEST = 5;
/** So many words may have come since the rest was put in order. */
const UNSORTED = 2_000;
/** From so many letters on a word may be meant by another one. */
const LETTERS = 4;
/**
 * Who leaves out a letter or swaps two has one way to do so; who types another letter or one too many has twenty-five. What
 * is typed is the likelier a trace of the former (measured, docs/adr/0021).
 */
const LIKELIER = 0.35;

/**
 * The words of a slice as they are written, for prefixes and typing errors. Each has a mask of its letters: an edit changes
 * at most two bits, so that nearly all words are passed over without being compared.
 */
export class Vocabulary {
  private readonly numbers = new Map<string, number>();
  private readonly words: string[] = [];
  private readonly uses = Numbers.whole(64);
  private readonly masks = Numbers.whole(64);
  /** The numbers of the words in alphabetical order, but for those that came since. */
  private sorted: number[] = [];

  add(surface: string): void {
    const known = this.numbers.get(surface);
    if (known === undefined) {
      this.numbers.set(surface, this.words.length);
      this.words.push(surface);
      this.uses.push(1);
      this.masks.push(maskOf(surface));
    } else {
      this.uses.array()[known] = this.uses.at(known) + 1;
    }
  }

  remove(surface: string): void {
    const known = this.numbers.get(surface);
    if (known !== undefined) this.uses.array()[known] = Math.max(0, this.uses.at(known) - 1);
  }

  has(surface: string): boolean {
    const known = this.numbers.get(surface);
    return known !== undefined && this.uses.at(known) > 0;
  }

  /** Words that begin so, the frequent ones first. */
  beginningWith(prefix: string, limit: number): string[] {
    const found: { word: string; uses: number }[] = [];
    for (const number of this.numbersBeginningWith(prefix)) {
      const word = this.words[number] ?? '';
      const uses = this.uses.at(number);
      if (uses > 0 && word.length > prefix.length) found.push({ word, uses });
    }
    return found
      .sort((a, b) => b.uses - a.uses || (a.word < b.word ? -1 : 1))
      .slice(0, limit)
      .map(({ word }) => word);
  }

  /** What may have been meant by a word that is not here: one edit from 4 letters, two from 8; the nearest first. */
  near(surface: string): Candidate[] {
    // Three letters may be what is left of four.
    const edits = surface.length >= 8 ? 2 : surface.length >= LETTERS - 1 ? 1 : 0;
    for (let most = 1; most <= edits; most += 1) {
      const found = this.within(surface, most);
      if (found.length > 0) return found;
    }
    return [];
  }

  get bytes(): number {
    return this.words.length * 80 + this.uses.bytes + this.masks.bytes;
  }

  private numbersBeginningWith(prefix: string): number[] {
    const { words } = this;
    if (words.length - this.sorted.length > UNSORTED) {
      this.sorted = Array.from(words, (_, number) => number).sort((a, b) =>
        (words[a] ?? '') < (words[b] ?? '') ? -1 : 1,
      );
    }
    const wordAt = (index: number) => words[this.sorted[index] ?? 0] ?? '';
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (wordAt(middle) < prefix) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (; low < this.sorted.length && wordAt(low).startsWith(prefix); low += 1) found.push(this.sorted[low] ?? 0);
    for (let number = this.sorted.length; number < words.length; number += 1) {
      if (words[number]?.startsWith(prefix)) found.push(number);
    }
    return found;
  }

  private within(surface: string, edits: number): Candidate[] {
    const mask = maskOf(surface);
    const masks = this.masks.array();
    const found: (Candidate & { uses: number })[] = [];
    for (let number = 0; number < this.words.length; number += 1) {
      if (bitsOf((masks[number] ?? 0) ^ mask) > edits * 2) continue;
      const word = this.words[number] ?? '';
      const uses = this.uses.at(number);
      if (uses === 0 || Math.max(word.length, surface.length) < LETTERS) continue;
      if (Math.abs(word.length - surface.length) > edits || distance(surface, word, edits) > edits) continue;
      found.push({ surface: word, fit: fitOf(surface, word), uses });
    }
    found.sort((a, b) => b.fit - a.fit || b.uses - a.uses || (a.surface < b.surface ? -1 : 1));
    return found.slice(0, BEST);
  }
}

/** 0..1 */
function fitOf(typed: string, word: string): number {
  const isLikely = word.length > typed.length || (word.length === typed.length && sorted(word) === sorted(typed));
  return similarity(typed, word) * (1 - LIKELIER) + (isLikely ? LIKELIER : 0);
}

function sorted(word: string): string {
  return [...word].sort().join('');
}

function maskOf(word: string): number {
  let mask = 0;
  for (let index = 0; index < word.length; index += 1) mask |= 1 << (word.charCodeAt(index) & 31);
  return mask >>> 0;
}

export function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Insertions, deletions, replacements and swaps of neighbours from one word to the other; more than `most` is `most + 1`. */
export function distance(from: string, to: string, most: number): number {
  // What both begin and end with is no difference, and most words differ in little.
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  return fromEnd - start === 0 || toEnd - start === 0
    ? Math.min(fromEnd - start + toEnd - start, most + 1)
    : distanceOfRest(from.slice(start, fromEnd), to.slice(start, toEnd), most);
}

function distanceOfRest(from: string, to: string, most: number): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const now = [row];
    let least = row;
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1);
      let fewest = Math.min(replaced, (last[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1);
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) fewest = Math.min(fewest, (before[column - 2] ?? 0) + 1);
      now.push(fewest);
      least = Math.min(least, fewest);
    }
    if (least > most) return most + 1;
    [before, last] = [last, now];
  }
  return Math.min(last[to.length] ?? 0, most + 1);
}

/** Shared trigrams of both words with their edges, 0..1: among words of one distance the more alike is the likelier. */
function similarity(one: string, other: string): number {
  const [ones, others] = [trigrams(one), new Set(trigrams(other))];
  const shared = ones.filter((part) => others.has(part)).length;
  return (2 * shared) / (ones.length + others.size);
}

function trigrams(word: string): string[] {
  const edged = `  ${word} `;
  return [...new Set(Array.from({ length: edged.length - 2 }, (_, index) => edged.slice(index, index + 3)))];
}
