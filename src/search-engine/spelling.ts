import { GrowableArray } from './growable-array.js';

/** A word of the vocabulary that a misspelled word may stand for. */
export interface Correction {
  readonly surface: string;
  /** 0..1 */
  readonly likelihood: number;
}

const MAX_CORRECTIONS = 5;
/** The alphabetical order is computed again after this many new words. */
const MAX_UNSORTED = 2_000;
const MIN_CORRECTED_LENGTH = 4;
/**
 * A letter can be omitted or swapped in one way, but replaced or added in twenty-five. So a word that explains the input by an
 * omission or a swap is more likely (measured in docs/adr/0021).
 */
const OMISSION_BONUS = 0.35;

/**
 * All words of an index as they are written, for completing prefixes and correcting spelling. Each word has a bit mask of
 * its letters: an edit changes at most two bits, so nearly all words are skipped without a comparison.
 */
export class Vocabulary {
  private readonly ordinals = new Map<string, number>();
  private readonly words: string[] = [];
  private readonly uses = GrowableArray.uint32(64);
  private readonly letterMasks = GrowableArray.uint32(64);
  /** Ordinals in the alphabetical order of their words, except for recently added words. */
  private sorted: number[] = [];

  add(surface: string, uses = 1): void {
    const known = this.ordinals.get(surface);
    if (known === undefined) {
      this.ordinals.set(surface, this.words.length);
      this.words.push(surface);
      this.uses.push(uses);
      this.letterMasks.push(letterMask(surface));
    } else {
      this.uses.array()[known] = this.uses.at(known) + uses;
    }
  }

  remove(surface: string): void {
    const known = this.ordinals.get(surface);
    if (known !== undefined) this.uses.array()[known] = Math.max(0, this.uses.at(known) - 1);
  }

  has(surface: string): boolean {
    const known = this.ordinals.get(surface);
    return known !== undefined && this.uses.at(known) > 0;
  }

  /** Returns longer words with this prefix, the most frequent first. */
  completions(prefix: string, limit: number): string[] {
    const found: { word: string; uses: number }[] = [];
    for (const ordinal of this.withPrefix(prefix)) {
      const word = this.words[ordinal] ?? '';
      const uses = this.uses.at(ordinal);
      if (uses > 0 && word.length > prefix.length) found.push({ word, uses });
    }
    return found
      .sort((a, b) => b.uses - a.uses || (a.word < b.word ? -1 : 1))
      .slice(0, limit)
      .map(({ word }) => word);
  }

  /**
   * Returns words within one edit, or within two for words of 8 letters or more if none is within one; the most likely first.
   */
  corrections(surface: string): Correction[] {
    // A word of three letters may be one of four with an omission.
    const maxEdits = surface.length >= 8 ? 2 : surface.length >= MIN_CORRECTED_LENGTH - 1 ? 1 : 0;
    for (let edits = 1; edits <= maxEdits; edits += 1) {
      const found = this.within(surface, edits);
      if (found.length > 0) return found;
    }
    return [];
  }

  get bytes(): number {
    return this.words.length * 80 + this.uses.bytes + this.letterMasks.bytes;
  }

  private withPrefix(prefix: string): number[] {
    const { words } = this;
    if (words.length - this.sorted.length > MAX_UNSORTED) {
      this.sorted = Array.from(words, (_, ordinal) => ordinal).sort((a, b) =>
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
    for (let ordinal = this.sorted.length; ordinal < words.length; ordinal += 1) {
      if (words[ordinal]?.startsWith(prefix)) found.push(ordinal);
    }
    return found;
  }

  private within(surface: string, edits: number): Correction[] {
    const mask = letterMask(surface);
    const masks = this.letterMasks.array();
    const found: (Correction & { uses: number })[] = [];
    for (let ordinal = 0; ordinal < this.words.length; ordinal += 1) {
      if (bitCount((masks[ordinal] ?? 0) ^ mask) > edits * 2) continue;
      const word = this.words[ordinal] ?? '';
      const uses = this.uses.at(ordinal);
      if (uses === 0 || Math.max(word.length, surface.length) < MIN_CORRECTED_LENGTH) continue;
      if (Math.abs(word.length - surface.length) > edits || damerauDistance(surface, word, edits) > edits) continue;
      found.push({ surface: word, likelihood: likelihoodOf(surface, word), uses });
    }
    found.sort((a, b) => b.likelihood - a.likelihood || b.uses - a.uses || (a.surface < b.surface ? -1 : 1));
    return found.slice(0, MAX_CORRECTIONS);
  }
}

function likelihoodOf(typed: string, word: string): number {
  const isOmission = word.length > typed.length;
  const isSwap = word.length === typed.length && sortedLetters(word) === sortedLetters(typed);
  return trigramSimilarity(typed, word) * (1 - OMISSION_BONUS) + (isOmission || isSwap ? OMISSION_BONUS : 0);
}

function sortedLetters(word: string): string {
  return [...word].sort().join('');
}

function letterMask(word: string): number {
  let mask = 0;
  for (let index = 0; index < word.length; index += 1) mask |= 1 << (word.charCodeAt(index) & 31);
  return mask >>> 0;
}

/** Counts the bits that are set in a 32-bit integer. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Returns the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements and swaps of
 * neighbours. A distance above `max` is returned as `max + 1`.
 */
export function damerauDistance(from: string, to: string, max: number): number {
  // Most compared words have a common beginning and end.
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  return fromEnd - start === 0 || toEnd - start === 0
    ? Math.min(fromEnd - start + toEnd - start, max + 1)
    : distanceOfMiddle(from.slice(start, fromEnd), to.slice(start, toEnd), max);
}

function distanceOfMiddle(from: string, to: string, max: number): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1);
      let fewest = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) fewest = Math.min(fewest, (beforeLast[column - 2] ?? 0) + 1);
      current.push(fewest);
      least = Math.min(least, fewest);
    }
    if (least > max) return max + 1;
    [beforeLast, last] = [last, current];
  }
  return Math.min(last[to.length] ?? 0, max + 1);
}

/** Returns the Dice coefficient of the trigrams of two words, including their edges, 0..1. */
function trigramSimilarity(one: string, other: string): number {
  const [ones, others] = [trigrams(one), new Set(trigrams(other))];
  const shared = ones.filter((part) => others.has(part)).length;
  return (2 * shared) / (ones.length + others.size);
}

function trigrams(word: string): string[] {
  const padded = `  ${word} `;
  return [...new Set(Array.from({ length: padded.length - 2 }, (_, index) => padded.slice(index, index + 3)))];
}
