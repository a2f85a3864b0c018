import type { Postings } from './postings.js';
import { Scores } from './scores.js';
import type { Plan, Wording } from './search-index.js';
import type { Tuning } from './tuning.js';

/** How well documents fit the words of a query, and how many of them each has. */
export interface WordScores {
  /** By document; 0 for those that have none of the words. */
  readonly values: Float32Array;
  readonly matched: Uint8Array;
  /** Those that have one at least, the dead ones included. */
  readonly documents: Uint32Array;
}

/** BM25, summed over the words; each word counts by the best of its wordings. */
export function scoreWords(plan: Plan, postings: Postings, given: { size: number; tuning: Tuning }): WordScores {
  const { size, tuning } = given;
  const [scores, best] = [new Scores(size), new Scores(size)];
  const matched = new Uint8Array(size);
  for (const wordings of plan) {
    for (const wording of wordings) scoreWording(wording, postings, best);
    for (const document of best.documents()) {
      scores.add(document, best.values[document] ?? 0);
      matched[document] = (matched[document] ?? 0) + 1;
    }
    best.clear();
  }
  const found = { values: scores.values, matched, documents: scores.documents() };
  if (plan.length > 1 && plan.length <= tuning.fewWords) coordinate(found, plan.length, tuning.coordination);
  return found;
}

function scoreWording({ stems, weight }: Wording, postings: Postings, best: Scores): void {
  const [stem] = stems;
  if (stems.length === 1 && stem !== undefined) {
    postings.score(stem, weight * postings.rarity(postings.frequencyOf(stem)), best);
  } else {
    scorePhrase(stems, { postings, weight }, best);
  }
}

/** Several words of which all must be there. */
function scorePhrase(
  stems: readonly string[],
  { postings, weight }: { postings: Postings; weight: number },
  best: Scores,
): void {
  const rarest = stems.toSorted((a, b) => postings.frequencyOf(a) - postings.frequencyOf(b))[0];
  const weights = stems.map((stem) => (weight / stems.length) * postings.rarity(postings.frequencyOf(stem)));
  for (const document of rarest === undefined ? [] : postings.documentsOf(rarest)) {
    const scores = stems.map((stem, index) => postings.scoreOf(stem, weights[index] ?? 0, document));
    const sum = scores.reduce((total, score) => total + score, 0);
    if (scores.every((score) => score > 0)) best.raise(document, sum);
  }
}

function coordinate({ values, matched, documents }: WordScores, words: number, share: number): void {
  for (const document of documents) {
    const has = (matched[document] ?? 0) / words;
    values[document] = (values[document] ?? 0) * (1 - share + share * has);
  }
}
