import { type Filter, marksOf } from './filter.js';
import { type Heard, feedBack } from './feedback.js';
import type { Comparison, Meanings } from './meanings.js';
import { scoreOfBest } from './scores.js';
import type { Mode } from './search-index.js';
import type { SliceDocuments } from './slice-documents.js';
import type { Tuning } from './tuning.js';
import type { WordScores } from './word-scores.js';

const NEAREST = 200;
const DEEP = 1_000;
/** So much farther than the nearest one a document may be where the order is not by how well it fits. */
const MARGIN = 0.05;
/** What is not named exactly as the query stays below what is. */
const NOT_NAMED = 0.99;

export interface Question {
  readonly mode: Mode;
  readonly filters: readonly Filter[];
  /** Whether the order is by a field: then what fits badly is not put last, and must not be found. */
  readonly isByField: boolean;
  /** Whether everything is asked for. */
  readonly isBrowsing: boolean;
  /** How many words the query has, and the scores by them; null: it is not searched by words. */
  readonly wordCount: number;
  readonly words: WordScores | null;
  /** Null: it is not searched by meaning. */
  readonly meant: Comparison | null;
  /** The places of documents whose name is the query. */
  readonly named: ReadonlySet<number>;
  /** How many words must be matched to be found by words. */
  readonly matched: number;
  /** How near is near enough; null: to be found. */
  readonly nearness: number | null;
}

/** The documents that a question finds. */
export interface Members {
  readonly places: Uint32Array;
  /** How near the farthest of those is that were found by meaning; null: none was. */
  readonly nearness: number | null;
}

/** What a question is asked of. */
export interface Searched {
  readonly documents: SliceDocuments;
  readonly meanings: Meanings;
  readonly tuning: Tuning;
  readonly contentsOf: Heard['contentsOf'];
  readonly postings: Heard['postings'];
}

/** Filters come first; words and meaning are sought among the rest. */
export function membersOf(question: Question, { documents, meanings }: Searched): Members {
  const { filters, isBrowsing, words, meant } = question;
  const marks = markedBy(filters, documents);
  if (isBrowsing) return { places: placesOf(marks), nearness: null };

  const byWords = words === null ? new Uint32Array(0) : withWords(words, question.matched, marks);
  const near = meant === null ? null : nearOnes(question, { meant, marks, meanings });
  if (!near) return { places: byWords, nearness: null };
  const known = new Uint8Array(marks.length);
  for (const place of byWords) known[place] = 1;
  const others = near.places.filter((place) => known[place] !== 1);
  const places = new Uint32Array(byWords.length + others.length);
  places.set(byWords);
  places.set(others, byWords.length);
  return { places, nearness: near.cutOff };
}

/** How well the members fit, 0..1, side by side with them. */
export function scoresOf({ places }: Members, question: Question, searched: Searched): Float64Array {
  const { mode, meant, named } = question;
  const byWords = wordScoresOf(places, question, searched);
  const scores = new Float64Array(places.length);
  const weight = meant === null ? 0 : searched.tuning.meaning;
  // The meaning of the rest would not lift it among the best.
  const least = meant === null ? Infinity : scoreOfBest(DEEP, byWords);
  const any = named.size > 0 && places.some((place) => named.has(place));
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0;
    const word = byWords[index] ?? 0;
    const near = word >= least || word === 0 ? (meant?.likeness(place) ?? 0) : 0;
    const score = mode === 'semantic' ? (1 + near) / 2 : (1 - weight) * word + weight * Math.max(0, near);
    scores[index] = any ? (named.has(place) ? 1 : score * NOT_NAMED) : score;
  }
  return scores;
}

/** The most words that a document of the filtered set has. */
export function mostMatched({ filters, words }: Question, documents: SliceDocuments): number {
  const marks = markedBy(filters, documents);
  let most = 0;
  for (const place of words?.documents ?? []) {
    if (marks[place] === 1) most = Math.max(most, words?.matched[place] ?? 0);
  }
  return most;
}

/** Of the best one 1, of those without a word 0. */
function wordScoresOf(places: Uint32Array, { words, wordCount }: Question, searched: Searched): Float32Array {
  const { tuning, documents } = searched;
  const scores = new Float32Array(places.length);
  if (words === null) return scores;
  for (let index = 0; index < places.length; index += 1) scores[index] = words.values[places[index] ?? 0] ?? 0;
  if (wordCount >= tuning.feedback.fromWords) {
    const idOf = (place: number) => documents.at(place)?.id ?? '';
    feedBack({ ...searched, places, scores, idOf }, wordCount, tuning.feedback);
  }
  let best = 0;
  for (const score of scores) if (score > best) best = score;
  for (let index = 0; best > 0 && index < scores.length; index += 1) scores[index] = (scores[index] ?? 0) / best;
  return scores;
}

/** The marked ones that have so many of the words. Nearly all of a slice may: plain loops are several times as fast. */
function withWords({ documents, matched }: WordScores, least: number, marks: Uint8Array): Uint32Array {
  const places = new Uint32Array(documents.length);
  let found = 0;
  for (const place of documents) {
    if (marks[place] === 1 && (matched[place] ?? 0) >= least) places[found++] = place;
  }
  return places.subarray(0, found);
}

function nearOnes(
  { nearness, isByField }: Question,
  { meant, marks, meanings }: { meant: Comparison; marks: Uint8Array; meanings: Meanings },
): { places: Uint32Array; cutOff: number | null } {
  const all = meant.candidates(marks).map((place) => ({ place, near: meant.nearness(place) }));
  all.sort((a, b) => b.near - a.near || a.place - b.place);
  const floor = nearness ?? Math.max(meanings.floor, isByField ? (all[0]?.near ?? 0) - MARGIN : 0);
  const ranked = all.filter(({ near }) => near >= floor);
  // What was found on the first page decides: later ones must not lose anything to what came in between.
  const members = nearness === null ? ranked.slice(0, NEAREST) : ranked;
  return {
    places: Uint32Array.from(members, ({ place }) => place),
    cutOff: nearness ?? members.at(-1)?.near ?? null,
  };
}

function markedBy(filters: readonly Filter[], documents: SliceDocuments): Uint8Array {
  const living = documents.living();
  if (filters.length === 0) return living;
  const marks = living.slice();
  for (const filter of filters) {
    const fits = marksOf(filter, documents);
    for (let place = 0; place < marks.length; place += 1) marks[place] = (marks[place] ?? 0) & (fits[place] ?? 0);
  }
  return marks;
}

function placesOf(marks: Uint8Array): Uint32Array {
  const places = new Uint32Array(marks.length);
  let found = 0;
  for (let place = 0; place < marks.length; place += 1) {
    if (marks[place] === 1) places[found++] = place;
  }
  return places.subarray(0, found);
}
