/*
 * The impact of a stem in a document is its part of the BM25 score without the inverse document frequency. It is stored in
 * the tsvector itself: PostgreSQL computes ts_rank of a query of one word from the weight labels of its positions alone,
 * `w1 + w2 / 4` if the first is not below the second, and `w1 + w2` otherwise (calc_rank_or in tsrank.c). The combinations
 * of one or two labels are twenty values, at most 21 % apart. A contract test compares them with those of the server.
 */

/** The weights of the labels D, C, B and A, in the order of the argument of ts_rank. */
export const LABEL_WEIGHTS = [0.22, 0.34, 0.52, 1] as const;
const LABELS = ['D', 'C', 'B', 'A'] as const;
/** The impact of a single position with the label A. Higher impacts than 2.43 are stored as 2.43. */
const IMPACT_OF_A = 1.6;
/** From this impact on, a word is strong: it is in the name, or is repeated. */
const STRONG_IMPACT = 1.35;

/** The result of ts_rank times this factor is an impact. */
export const IMPACT_PER_RANK = 1.64493406685 * IMPACT_OF_A;

/** The positions of a tsvector literal that stand for an impact, such as `1A,2C`, by ascending impact. */
export const IMPACT_CODES: readonly { readonly impact: number; readonly positions: string }[] = codes();

/** The positions for the nearest impact that can be stored. */
export function positionsOf(impact: number): string {
  let [low, high] = [0, IMPACT_CODES.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [one, next] = [IMPACT_CODES[middle]?.impact ?? 0, IMPACT_CODES[middle + 1]?.impact ?? 0];
    if (impact > Math.sqrt(one * next)) low = middle + 1;
    else high = middle;
  }
  return IMPACT_CODES[low]?.positions ?? '';
}

export function isStrong(impact: number): boolean {
  return impact >= STRONG_IMPACT;
}

function codes() {
  const found = new Map<number, string>();
  for (const [index, label] of LABELS.entries()) {
    const first = LABEL_WEIGHTS[index] ?? 0;
    for (const [other, secondLabel] of LABELS.entries()) {
      const second = LABEL_WEIGHTS[other] ?? 0;
      found.set(first + (second > first ? second : second / 4), `1${label},2${secondLabel}`);
    }
  }
  for (const [index, label] of LABELS.entries()) found.set(LABEL_WEIGHTS[index] ?? 0, `1${label}`);
  const sorted = [...found].sort(([one], [other]) => one - other);
  return sorted.map(([weight, positions]) => ({ impact: weight * IMPACT_OF_A, positions }));
}
