import type { Postings } from './postings.js';
import type { Plan, Wording } from './search-index.js';

/** How well each document fits the words of a query, and how many of them it has. */
export interface WordScores {
  readonly scores: Float32Array;
  readonly matched: Uint8Array;
}

/**
 * How much it counts that a document has all words of a short query. For sentences it does harm: half of their words are
 * about nothing (measured, docs/adr/0021).
 */
const COORDINATION = 0.4;
const SHORT_QUERY = 5;

/** BM25, summed over the words; each word counts by the best of its wordings. */
export function scoreWords(plan: Plan, postings: Postings, size: number): WordScores {
  const scores = new Float32Array(size);
  const matched = new Uint8Array(size);
  for (const wordings of plan) {
    const best = new Float32Array(size);
    for (const wording of wordings) scoreWording(wording, postings, best);
    for (let document = 0; document < size; document += 1) {
      const score = best[document] ?? 0;
      if (score > 0) {
        scores[document] = (scores[document] ?? 0) + score;
        matched[document] = (matched[document] ?? 0) + 1;
      }
    }
  }
  if (plan.length > 1 && plan.length <= SHORT_QUERY) coordinate({ scores, matched }, plan.length);
  return { scores, matched };
}

function scoreWording({ stems, weight }: Wording, postings: Postings, best: Float32Array): void {
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
  best: Float32Array,
): void {
  const rarest = stems.toSorted((a, b) => postings.frequencyOf(a) - postings.frequencyOf(b))[0];
  const parts = stems.map((stem) => {
    const part = new Float32Array(best.length);
    postings.score(stem, (weight / stems.length) * postings.rarity(postings.frequencyOf(stem)), part);
    return part;
  });
  for (const document of rarest === undefined ? [] : postings.documentsOf(rarest)) {
    const scores = parts.map((part) => part[document] ?? 0);
    const sum = scores.reduce((total, score) => total + score, 0);
    if (scores.every((score) => score > 0) && sum > (best[document] ?? 0)) best[document] = sum;
  }
}

function coordinate({ scores, matched }: WordScores, words: number): void {
  for (let document = 0; document < scores.length; document += 1) {
    const share = (matched[document] ?? 0) / words;
    scores[document] = (scores[document] ?? 0) * (1 - COORDINATION + COORDINATION * share);
  }
}
