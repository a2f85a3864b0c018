/** A score per document, and the list of documents that have one: most documents of an index have none. */
export class ScoreAccumulator {
  readonly scores: Float32Array;
  private readonly touched: Uint32Array;
  private count = 0;

  constructor(size: number) {
    this.scores = new Float32Array(size);
    this.touched = new Uint32Array(size);
  }

  /** Keeps the higher of the current and the given score, which must be positive. */
  max(ordinal: number, score: number): void {
    const present = this.scores[ordinal] ?? 0;
    if (present === 0) this.touched[this.count++] = ordinal;
    if (score > present) this.scores[ordinal] = score;
  }

  /** Adds a positive score. */
  add(ordinal: number, score: number): void {
    const present = this.scores[ordinal] ?? 0;
    if (present === 0) this.touched[this.count++] = ordinal;
    this.scores[ordinal] = present + score;
  }

  ordinals(): Uint32Array {
    return this.touched.subarray(0, this.count);
  }

  clear(): void {
    for (const ordinal of this.ordinals()) this.scores[ordinal] = 0;
    this.count = 0;
  }
}

/**
 * Returns a score that at least `count` of the scores reach, and not many more; 0 if there are at most `count` scores. A
 * histogram is faster than sorting.
 */
export function scoreOfTop(count: number, scores: Float32Array | Float64Array): number {
  if (scores.length <= count) return 0;
  const buckets = 2_048;
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  const bucketsPerScore = buckets / (highest || 1);
  const histogram = new Uint32Array(buckets + 1);
  for (const score of scores) {
    const bucket = Math.floor(score * bucketsPerScore);
    histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  }
  let bucket = buckets;
  for (let found = histogram[buckets] ?? 0; found < count && bucket > 0; found += histogram[bucket] ?? 0) bucket -= 1;
  // Slightly less, because dividing and multiplying loses precision.
  return (bucket / bucketsPerScore) * 0.999_999;
}
