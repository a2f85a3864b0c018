import type { Bm25 } from './bm25.js';
import type { DocumentTerms } from './inverted-index.js';
import type { FeedbackParameters } from './ranking-parameters.js';
import { scoreOfTop } from './score-accumulator.js';

/** Only the best results, about 200, are scored again. */
const RESCORED = 200;

/** The results of a search; the arrays run in parallel. */
export interface RankedResults {
  readonly ordinals: Uint32Array;
  readonly scores: Float64Array;
  readonly keywordScores: Float32Array;
  /** The sum of the weights of the terms of the query. */
  readonly queryWeight: number;
}

/** The parts of an index that feedback reads. */
export interface FeedbackSource {
  readonly idOf: (ordinal: number) => string;
  readonly termsOf: (ordinal: number) => DocumentTerms;
  readonly bm25: Bm25;
}

/**
 * Pseudo-relevance feedback in the manner of RM3: the most characteristic terms of the best results are added to the query
 * with a small weight, which changes the keyword scores in place. Adds no results (docs/adr/0021).
 */
export function applyFeedback(results: RankedResults, source: FeedbackSource, parameters: FeedbackParameters): void {
  const { ordinals, scores, keywordScores, queryWeight } = results;
  const threshold = scoreOfTop(RESCORED, scores);
  const top: number[] = [];
  // If thousands of documents have the same score, only some of them are scored again.
  for (let index = 0; index < scores.length && top.length < 4 * RESCORED; index += 1) {
    const score = scores[index] ?? 0;
    if (score > 0 && score >= threshold) top.push(index);
  }
  const { idOf, bm25 } = source;
  const best = bestOf(top, parameters.documents, { ...results, idOf });
  const weighted = termWeights(results, source, best);
  const kept = [...weighted].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, parameters.terms);
  const sum = kept.reduce((total, [, weight]) => total + weight, 0) || 1;
  const factor = ((parameters.weight / (1 - parameters.weight)) * queryWeight) / sum;
  const expansion = kept.map(([stem, weight]): [string, number] => [stem, factor * weight * bm25.idf(stem)]);
  for (const index of top) {
    for (const [stem, weight] of expansion) {
      keywordScores[index] = (keywordScores[index] ?? 0) + bm25.termScore(stem, weight, ordinals[index] ?? 0);
    }
  }
}

function bestOf(
  indexes: readonly number[],
  count: number,
  { ordinals, scores, idOf }: RankedResults & Pick<FeedbackSource, 'idOf'>,
): number[] {
  const id = (index: number) => idOf(ordinals[index] ?? 0);
  return indexes.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || (id(a) < id(b) ? -1 : 1)).slice(0, count);
}

/** A term has a high weight if it is frequent in documents with a high score, and rare in the index. */
function termWeights(
  { ordinals, scores }: RankedResults,
  { termsOf, bm25 }: FeedbackSource,
  best: readonly number[],
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const index of best) {
    const { frequencies, keyTerms, length } = termsOf(ordinals[index] ?? 0);
    for (const stem of keyTerms) {
      const share = (frequencies.get(stem) ?? 0) / length;
      const weight = (scores[index] ?? 0) * share * bm25.idf(stem);
      weights.set(stem, (weights.get(stem) ?? 0) + weight);
    }
  }
  return weights;
}
