/** The parameters of ranking. Each was measured (docs/adr/0021); bench/relevance/sweep.js compares other values. */
export interface RankingParameters {
  /** BM25 `k1`: how early repeated occurrences of a term stop raising the score. */
  readonly k1: number;
  /** BM25 `b`: how strongly long documents are penalised. */
  readonly b: number;
  /** The part of the score of a short query that depends on the share of its terms that a document contains. */
  readonly coordination: number;
  /** The longest query to which coordination applies. In a sentence about half of the words are not about the topic. */
  readonly maxCoordinatedTerms: number;
  readonly feedback: FeedbackParameters;
  /** The weight of the vector similarity in the hybrid score; keywords have the rest. */
  readonly vectorWeight: number;
}

/** Pseudo-relevance feedback: the query is expanded by terms of its best results. */
export interface FeedbackParameters {
  /** The number of results that the expansion terms are taken from. */
  readonly documents: number;
  readonly terms: number;
  /** The weight of the expansion terms beside the terms of the query. */
  readonly weight: number;
  /** Shorter queries are not expanded. */
  readonly minQueryTerms: number;
}

export const DEFAULT_RANKING: RankingParameters = {
  k1: 1.6,
  b: 0.7,
  coordination: 0.4,
  maxCoordinatedTerms: 5,
  feedback: { documents: 5, terms: 16, weight: 0.3, minQueryTerms: 6 },
  vectorWeight: 0.25,
};
