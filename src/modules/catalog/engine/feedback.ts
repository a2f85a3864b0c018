import type { Contents } from './contents.js';
import type { Postings } from './postings.js';
import { scoreOfBest } from './scores.js';
import type { Feedback } from './tuning.js';

const DEEP = 200;

/** What is known of the documents that were found by words; the lists run side by side. */
export interface Heard {
  readonly places: Uint32Array;
  readonly scores: Float32Array;
  readonly idOf: (place: number) => string;
  readonly contentsOf: (place: number) => Contents;
  readonly postings: Postings;
}

/**
 * Lets the best documents say what the query of so many words is about: among the best two hundred those move up that say
 * the same. A sentence gains by it more than by anything else (docs/adr/0021).
 */
export function feedBack(heard: Heard, words: number, { documents, words: most, share }: Feedback): void {
  const { places, scores, postings } = heard;
  const least = scoreOfBest(DEEP, scores);
  const best: number[] = [];
  // Of thousands that are all alike not all can be looked at.
  for (let index = 0; index < scores.length && best.length < 4 * DEEP; index += 1) {
    const score = scores[index] ?? 0;
    if (score > 0 && score >= least) best.push(index);
  }
  const told = wordsOf(heard, firstOf(best, documents, heard));
  const kept = [...told].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, most);
  const whole = kept.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  const factor = ((share / (1 - share)) * words) / whole;
  const weights = kept.map(([stem, weight]): [string, number] => [
    stem,
    factor * weight * postings.rarity(postings.frequencyOf(stem)),
  ]);
  for (const index of best) {
    for (const [stem, weight] of weights) {
      scores[index] = (scores[index] ?? 0) + postings.scoreOf(stem, weight, places[index] ?? 0);
    }
  }
}

function firstOf(indexes: readonly number[], count: number, { places, scores, idOf }: Heard): number[] {
  const id = (index: number) => idOf(places[index] ?? 0);
  return indexes.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || (id(a) < id(b) ? -1 : 1)).slice(0, count);
}

/** How much each word tells: it is frequent in good documents, and rare elsewhere. */
function wordsOf({ places, scores, contentsOf, postings }: Heard, best: readonly number[]): Map<string, number> {
  const told = new Map<string, number>();
  for (const index of best) {
    const { frequencies, telling, length } = contentsOf(places[index] ?? 0);
    for (const stem of telling) {
      const share = (frequencies.get(stem) ?? 0) / length;
      const weight = (scores[index] ?? 0) * share * postings.rarity(postings.frequencyOf(stem));
      told.set(stem, (told.get(stem) ?? 0) + weight);
    }
  }
  return told;
}
