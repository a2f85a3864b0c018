import type { InvertedIndex } from './inverted-index.js';
import type { ParsedQuery, TermAlternative } from './query-parser.js';
import type { RankingParameters } from './ranking-parameters.js';
import { ScoreAccumulator } from './score-accumulator.js';

/** The keyword scores of a query. */
export interface KeywordScores {
  /** Scores by ordinal; 0 for documents without a term of the query. */
  readonly scores: Float32Array;
  /** Number of query terms that each document contains, by ordinal. */
  readonly matchedTerms: Uint8Array;
  /** The documents that contain at least one term, including removed ones. */
  readonly ordinals: Uint32Array;
}

/** Okapi BM25 over an inverted index. */
export class Bm25 {
  constructor(
    private readonly index: InvertedIndex,
    private readonly parameters: RankingParameters,
  ) {}

  /** Returns the inverse document frequency of a stem. */
  idf(stem: string): number {
    const frequency = this.index.documentFrequency(stem);
    return Math.log(1 + (this.index.documentCount - frequency + 0.5) / (frequency + 0.5));
  }

  /** Returns the score of one document for a stem without its idf; 0 if the document does not contain the stem. */
  termScore(stem: string, weight: number, ordinal: number): number {
    const frequency = this.index.frequency(stem, ordinal);
    if (frequency === 0) return 0;
    const { constant, perLength } = this.lengthNormalization();
    const { lengths } = this.index;
    return (weight * (this.parameters.k1 + 1) * frequency) / (frequency + constant + perLength * lengths.at(ordinal));
  }

  /** Scores all documents by the sum of the terms of a query, each with its best alternative. */
  score(query: ParsedQuery, size: number): KeywordScores {
    const [sums, best] = [new ScoreAccumulator(size), new ScoreAccumulator(size)];
    const matchedTerms = new Uint8Array(size);
    for (const alternatives of query) {
      for (const alternative of alternatives) this.scoreAlternative(alternative, best);
      for (const ordinal of best.ordinals()) {
        sums.add(ordinal, best.scores[ordinal] ?? 0);
        matchedTerms[ordinal] = (matchedTerms[ordinal] ?? 0) + 1;
      }
      best.clear();
    }
    const found = { scores: sums.scores, matchedTerms, ordinals: sums.ordinals() };
    if (query.length > 1 && query.length <= this.parameters.maxKeywords) this.coordinate(found, query.length);
    return found;
  }

  private scoreAlternative({ stems, weight }: TermAlternative, best: ScoreAccumulator): void {
    const [stem] = stems;
    if (stems.length === 1 && stem !== undefined) this.scoreStem(stem, weight * this.idf(stem), best);
    else this.scoreConjunction(stems, weight, best);
  }

  private scoreStem(stem: string, weight: number, best: ScoreAccumulator): void {
    const list = this.index.postings(stem);
    if (!list) return;
    const [ordinals, frequencies] = [list.ordinals.array(), list.frequencies.array()];
    const { constant, perLength } = this.lengthNormalization();
    const lengths = this.index.lengths.array();
    const factor = weight * (this.parameters.k1 + 1);
    for (let index = 0; index < list.ordinals.length; index += 1) {
      const ordinal = ordinals[index] ?? 0;
      const frequency = frequencies[index] ?? 0;
      best.max(ordinal, (factor * frequency) / (frequency + constant + perLength * (lengths[ordinal] ?? 0)));
    }
  }

  /** Scores the documents that contain all stems. */
  private scoreConjunction(stems: readonly string[], weight: number, best: ScoreAccumulator): void {
    const byFrequency = stems.toSorted((a, b) => this.index.documentFrequency(a) - this.index.documentFrequency(b));
    const list = byFrequency[0] === undefined ? null : this.index.postings(byFrequency[0]);
    if (!list) return;
    const weights = stems.map((stem) => (weight / stems.length) * this.idf(stem));
    for (const ordinal of list.ordinals.array().subarray(0, list.ordinals.length)) {
      const scores = stems.map((stem, index) => this.termScore(stem, weights[index] ?? 0, ordinal));
      const sum = scores.reduce((total, score) => total + score, 0);
      if (scores.every((score) => score > 0)) best.max(ordinal, sum);
    }
  }

  private coordinate({ scores, matchedTerms, ordinals }: KeywordScores, terms: number): void {
    const { coordination } = this.parameters;
    for (const ordinal of ordinals) {
      const share = (matchedTerms[ordinal] ?? 0) / terms;
      scores[ordinal] = (scores[ordinal] ?? 0) * (1 - coordination + coordination * share);
    }
  }

  /** `k1 * (1 - b + b * length / average)` as a constant and a factor of the length. */
  private lengthNormalization(): { constant: number; perLength: number } {
    const { k1, b } = this.parameters;
    return { constant: k1 * (1 - b), perLength: (k1 * b) / this.index.averageLength };
  }
}
