/** The parameters of ranking. `npm run bench:relevance` evaluates each on several collections (docs/adr/0021). */
export interface RankingParameters {
  /** BM25 `k1`, which determines how soon repeated occurrences of a term stop raising the score. */
  readonly k1: number;
  /** BM25 `b`, which determines how strongly long documents are penalised. */
  readonly b: number;
  /** Maximum number of terms of a keyword query. A longer query is a sentence, and half of it does not concern the topic. */
  readonly maxKeywords: number;
  /** The part of the score of a keyword query that depends on the share of its terms that a document contains. */
  readonly coordination: number;
  /** Pseudo-relevance feedback for sentences. */
  readonly feedback: FeedbackParameters;
  /** Weights of words that replace a term of the query; 0 disables them. */
  readonly alternatives: {
    readonly synonym: number;
    /** The weight of the likeliest correction of an unknown word. The second has the square, and so on. */
    readonly correction: number;
    /** Weight of completions of the last word, which may still be incomplete. */
    readonly completion: number;
    /** Weight of completions if no document contains the last word. */
    readonly completionOfUnknown: number;
  };
  /** The weight of the vector similarity in the hybrid score; keywords have the rest. */
  readonly vectorWeight: number;
}

/** The query is expanded by terms of its best results. */
export interface FeedbackParameters {
  /** The number of results that supply the expansion terms. */
  readonly documents: number;
  readonly terms: number;
  /** The weight of the expansion terms relative to the terms of the query; 0 disables the expansion. */
  readonly weight: number;
}

export const DEFAULT_RANKING: RankingParameters = {
  k1: 1.6,
  b: 0.75,
  maxKeywords: 5,
  coordination: 0.4,
  feedback: { documents: 5, terms: 16, weight: 0.2 },
  alternatives: { synonym: 0.5, correction: 0.6, completion: 0.2, completionOfUnknown: 0.7 },
  vectorWeight: 0.3,
};
