/** What decides which document stands first. All of it was measured (docs/adr/0021); bench/relevance/sweep.js tries others. */
export interface Tuning {
  /** BM25: how late a word that is repeated stops counting, and how much a long text is held against it. */
  readonly saturation: number;
  readonly lengths: number;
  /** How much it counts that a document has all words of a query that has few. In sentences half of them are about nothing. */
  readonly coordination: number;
  readonly fewWords: number;
  readonly feedback: Feedback;
  /** How much meaning counts beside words. */
  readonly meaning: number;
}

/** What the best documents say tells what a query is about. */
export interface Feedback {
  /** How many of them are heard, and how many of their words count. */
  readonly documents: number;
  readonly words: number;
  /** How much these words count beside the query's own. */
  readonly share: number;
  /** Shorter queries are meant as they are. */
  readonly fromWords: number;
}

export const TUNING: Tuning = {
  saturation: 1.6,
  lengths: 0.7,
  coordination: 0.4,
  fewWords: 5,
  feedback: { documents: 5, words: 16, share: 0.3, fromWords: 6 },
  meaning: 0.25,
};
