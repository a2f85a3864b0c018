import { type Filter, marksOf } from './filter.js';
import type { Meanings } from './meanings.js';
import type { Mode } from './search-index.js';
import type { SliceDocuments } from './slice-documents.js';
import type { WordScores } from './word-scores.js';

const NEAREST = 200;
const DEEP = 1_000;
/** How much meaning counts beside words (measured, docs/adr/0021). */
const MEANING_WEIGHT = 0.2;
/** What is not named exactly as the query stays below what is. */
const NOT_NAMED = 0.99;

export interface Question {
  readonly mode: Mode;
  readonly filters: readonly Filter[];
  /** Null for an empty query, which finds everything. */
  readonly words: WordScores | null;
  readonly vector: Float32Array | null;
  /** The places of documents whose name is the query. */
  readonly named: ReadonlySet<number>;
  /** How many words must be matched to be found by words. */
  readonly matched: number;
  /** How near is near enough; null: to be found. */
  readonly nearness: number | null;
}

export interface Match {
  readonly places: Uint32Array;
  /** By place, 0..1; empty for an empty query. */
  readonly scores: Float64Array;
  /** How near the farthest of those is that were found by meaning; null: none was. */
  readonly nearness: number | null;
}

/** The documents that a question finds, and how well they fit. Filters come first; words and meaning are sought among the rest. */
export function match(question: Question, documents: SliceDocuments, meanings: Meanings): Match {
  const { filters, mode, words, vector } = question;
  const marks = documents.living();
  for (const filter of filters) {
    const fits = marksOf(filter, documents);
    for (let place = 0; place < marks.length; place += 1) marks[place] = (marks[place] ?? 0) & (fits[place] ?? 0);
  }
  if (words === null) return { places: placesOf(marks), scores: new Float64Array(0), nearness: null };

  const near = mode === 'keyword' || vector === null ? null : nearOnes(question, { vector, marks, meanings });
  const members = new Uint8Array(marks.length);
  for (let place = 0; place < marks.length; place += 1) {
    const byWords =
      mode !== 'semantic' && marks[place] === 1 && (words.matched[place] ?? 0) >= Math.max(question.matched, 1);
    members[place] = Number(byWords);
  }
  for (const { place } of near?.members ?? []) members[place] = 1;
  const places = placesOf(members);
  return { places, scores: scoresOf(places, question, near), nearness: near ? near.cutOff : null };
}

/** The most words that a document of the filtered set has. */
export function mostMatched({ filters, words }: Question, documents: SliceDocuments): number {
  const marks = documents.living();
  const fits = filters.map((filter) => marksOf(filter, documents));
  let most = 0;
  for (let place = 0; place < marks.length; place += 1) {
    const matched = words?.matched[place] ?? 0;
    if (matched > most && marks[place] === 1 && fits.every((one) => one[place] === 1)) most = matched;
  }
  return most;
}

interface Nearness {
  readonly members: readonly { place: number; near: number }[];
  /** How near a document is, as far as that was found out. */
  readonly known: Map<number, number>;
  readonly cutOff: number | null;
  readonly of: (place: number) => number;
}

function nearOnes(
  question: Question,
  { vector, marks, meanings }: { vector: Float32Array; marks: Uint8Array; meanings: Meanings },
): Nearness {
  const known = new Map<number, number>();
  for (const place of meanings.candidates(vector, marks)) known.set(place, meanings.nearness(place, vector));
  const floor = question.nearness ?? meanings.floor;
  const ranked = [...known].map(([place, near]) => ({ place, near })).filter(({ near }) => near >= floor);
  ranked.sort((a, b) => b.near - a.near || a.place - b.place);
  // What was found on the first page decides: later ones must not lose anything to what came in between.
  const members = question.nearness === null ? ranked.slice(0, NEAREST) : ranked;
  const of = (place: number) => (meanings.has(place) ? meanings.nearness(place, vector) : 0);
  return { members, known, cutOff: question.nearness ?? members.at(-1)?.near ?? null, of };
}

function scoresOf(places: Uint32Array, { mode, words, named }: Question, near: Nearness | null): Float64Array {
  const best = places.reduce((most, place) => Math.max(most, words?.scores[place] ?? 0), 0);
  const wordsOf = (place: number) => (best > 0 ? (words?.scores[place] ?? 0) / best : 0);
  const least =
    near && mode === 'hybrid' ? leastOfBest(places.length, (index) => wordsOf(places[index] ?? 0)) : Infinity;
  const nearnessOf = (place: number) => {
    const known = near?.known.get(place) ?? (wordsOf(place) >= least ? near?.of(place) : 0);
    return Math.min(1, Math.max(0, known ?? 0));
  };
  const weight = near === null ? 0 : mode === 'semantic' ? 1 : MEANING_WEIGHT;
  const any = places.some((place) => named.has(place));
  const scores = new Float64Array(words?.scores.length ?? 0);
  for (const place of places) {
    const score = (1 - weight) * wordsOf(place) + weight * nearnessOf(place);
    scores[place] = any ? (named.has(place) ? 1 : score * NOT_NAMED) : score;
  }
  return scores;
}

/** The score of the last one of the best thousand. Numbers are sorted many times as fast as things by their numbers. */
function leastOfBest(count: number, scoreOf: (index: number) => number): number {
  if (count <= DEEP) return 0;
  const scores = Float32Array.from({ length: count }, (_, index) => scoreOf(index)).sort();
  return scores[count - DEEP] ?? 0;
}

function placesOf(marks: Uint8Array): Uint32Array {
  const places = new Uint32Array(marks.length);
  let found = 0;
  for (let place = 0; place < marks.length; place += 1) {
    if (marks[place] === 1) places[found++] = place;
  }
  return places.subarray(0, found);
}
