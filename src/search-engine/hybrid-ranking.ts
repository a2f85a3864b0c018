import type { Bm25, KeywordScores } from './bm25.js';
import type { DocumentStore } from './document-store.js';
import type { Filter } from './filters.js';
import type { DocumentTerms } from './inverted-index.js';
import type { RankingParameters } from './ranking-parameters.js';
import { applyFeedback } from './relevance-feedback.js';
import type { SearchMode } from './search-api.js';
import type { VectorIndex, VectorQuery } from './vector-index.js';

/** The number of documents that match by their vectors. */
export const NEAREST_NEIGHBOURS = 200;
/** With a sort by a field, a document must be this near to the most similar one. */
export const MAX_DISTANCE_FROM_BEST = 0.05;
/** If the name of a document is the query, the scores of all others are multiplied by this. */
export const NOT_EXACT_FACTOR = 0.99;

/** A query, prepared for one index. */
export interface PreparedQuery {
  readonly mode: SearchMode;
  readonly filters: readonly Filter[];
  /** With a sort by a field, weak matches would not come last, so they must not match at all. */
  readonly isSortedByField: boolean;
  /** Whether the query has no words, so that all documents match. */
  readonly matchesAll: boolean;
  readonly termCount: number;
  /** The sum of the weights of the terms. A repeated term has a higher weight. */
  readonly termWeight: number;
  /** Null if keywords are not searched. */
  readonly keywords: KeywordScores | null;
  /** Null if vectors are not searched. */
  readonly vector: VectorQuery | null;
  /** The documents whose name is the query. */
  readonly exactNames: ReadonlySet<number>;
  /** The number of terms that a document must contain to match by keywords. */
  readonly minMatchedTerms: number;
  /** The minimum similarity for a match by vector; null if it must be determined. */
  readonly minSimilarity: number | null;
}

/** The documents that match a query. */
export interface Matches {
  readonly ordinals: Uint32Array;
  /** The lowest similarity of the documents that matched by their vectors; null if there are none. */
  readonly minSimilarity: number | null;
}

/** The parts of an index that ranking reads. */
export interface RankedIndex {
  readonly documents: DocumentStore;
  readonly vectors: VectorIndex;
  readonly bm25: Bm25;
  readonly parameters: RankingParameters;
  readonly termsOf: (ordinal: number) => DocumentTerms;
}

/** Applies the filters first, then the union of keyword and vector matches. */
export function matchesOf(query: PreparedQuery, { documents, vectors }: RankedIndex): Matches {
  const mask = documents.matching(query.filters);
  if (query.matchesAll) return { ordinals: ordinalsOf(mask), minSimilarity: null };

  const byKeywords = query.keywords ? keywordMatches(query.keywords, query.minMatchedTerms, mask) : new Uint32Array(0);
  if (!query.vector) return { ordinals: byKeywords, minSimilarity: null };
  const byVector = vectorMatches(query, query.vector, { mask, floor: vectors.floor });
  const known = new Uint8Array(mask.length);
  for (const ordinal of byKeywords) known[ordinal] = 1;
  const others = byVector.ordinals.filter((ordinal) => known[ordinal] !== 1);
  const ordinals = new Uint32Array(byKeywords.length + others.length);
  ordinals.set(byKeywords);
  ordinals.set(others, byKeywords.length);
  return { ordinals, minSimilarity: byVector.minSimilarity };
}

/** Computes the score of each match, 0..1. The best keyword match has the keyword score 1, and a match without a term has 0. */
export function rank({ ordinals }: Matches, query: PreparedQuery, index: RankedIndex): Float64Array {
  const { parameters, documents } = index;
  const keywordScores = new Float32Array(ordinals.length);
  for (let position = 0; query.keywords && position < ordinals.length; position += 1) {
    keywordScores[position] = query.keywords.scores[ordinals[position] ?? 0] ?? 0;
  }
  let scores = fused({ ordinals, keywordScores }, query, index);
  if (query.keywords !== null && query.termCount > parameters.maxKeywords && parameters.feedback.weight > 0) {
    const idOf = (ordinal: number) => documents.at(ordinal)?.id ?? '';
    const results = { ordinals, scores, keywordScores, queryWeight: query.termWeight };
    applyFeedback(results, { ...index, idOf }, parameters.feedback);
    scores = fused(results, query, index);
  }
  return withExactNames(scores, ordinals, query);
}

/**
 * A hybrid score is a convex combination of the keyword score and of the cosine as far as it is above the floor, so that a
 * document whose vector is not computed yet counts like an unrelated one. A semantic score is the cosine alone.
 */
function fused(
  { ordinals, keywordScores }: { ordinals: Uint32Array; keywordScores: Float32Array },
  { mode, vector }: PreparedQuery,
  { parameters, vectors: { floor } }: RankedIndex,
): Float64Array {
  const scores = new Float64Array(ordinals.length);
  let best = 0;
  for (const score of keywordScores) if (score > best) best = score;
  const vectorWeight = vector === null ? 0 : parameters.vectorWeight;
  const [perKeywordScore, perSimilarity] = [(1 - vectorWeight) / (best || 1), vectorWeight / (1 - floor)];
  for (let position = 0; position < scores.length; position += 1) {
    const similarity = vector?.similarity(ordinals[position] ?? 0) ?? 0;
    const byKeywords = perKeywordScore * (keywordScores[position] ?? 0);
    const hybrid = byKeywords + perSimilarity * Math.max(0, similarity - floor);
    scores[position] = mode === 'semantic' ? (1 + similarity) / 2 : hybrid;
  }
  return scores;
}

/** Raises the documents whose name is the query above all others. */
function withExactNames(scores: Float64Array, ordinals: Uint32Array, { exactNames }: PreparedQuery): Float64Array {
  if (exactNames.size === 0 || !ordinals.some((ordinal) => exactNames.has(ordinal))) return scores;
  return scores.map((score, position) => (exactNames.has(ordinals[position] ?? 0) ? 1 : score * NOT_EXACT_FACTOR));
}

/** Returns the highest number of terms that a filtered document contains. */
export function mostMatchedTerms({ filters, keywords }: PreparedQuery, documents: DocumentStore): number {
  const mask = documents.matching(filters);
  let most = 0;
  for (const ordinal of keywords?.ordinals ?? []) {
    if (mask[ordinal] === 1) most = Math.max(most, keywords?.matchedTerms[ordinal] ?? 0);
  }
  return most;
}

/** Uses plain loops, which are several times as fast as array methods, because nearly all documents can match. */
function keywordMatches(
  { ordinals, matchedTerms }: KeywordScores,
  minMatchedTerms: number,
  mask: Uint8Array,
): Uint32Array {
  const matches = new Uint32Array(ordinals.length);
  let count = 0;
  for (const ordinal of ordinals) {
    if (mask[ordinal] === 1 && (matchedTerms[ordinal] ?? 0) >= minMatchedTerms) matches[count++] = ordinal;
  }
  return matches.subarray(0, count);
}

function vectorMatches(
  { minSimilarity, isSortedByField }: PreparedQuery,
  vector: VectorQuery,
  { mask, floor }: { mask: Uint8Array; floor: number },
): Matches {
  // The first page sets the threshold. Later pages do not limit the count, or new documents would displace matches.
  if (minSimilarity !== null) {
    return { ordinals: vector.nearest(mask, minSimilarity, Infinity), minSimilarity };
  }
  let ordinals = vector.nearest(mask, floor, NEAREST_NEIGHBOURS);
  if (isSortedByField && ordinals.length > 0) {
    const least = vector.similarity(ordinals[0] ?? 0) - MAX_DISTANCE_FROM_BEST;
    ordinals = ordinals.filter((ordinal) => vector.similarity(ordinal) >= least);
  }
  const last = ordinals.at(-1);
  return { ordinals, minSimilarity: last === undefined ? null : vector.similarity(last) };
}

function ordinalsOf(mask: Uint8Array): Uint32Array {
  const ordinals = new Uint32Array(mask.length);
  let count = 0;
  for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
    if (mask[ordinal] === 1) ordinals[count++] = ordinal;
  }
  return ordinals.subarray(0, count);
}
