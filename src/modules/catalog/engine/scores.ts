/** A score for each document, and which documents have one: of many documents most have none. */
export class Scores {
  readonly values: Float32Array;
  private readonly touched: Uint32Array;
  private count = 0;

  constructor(size: number) {
    this.values = new Float32Array(size);
    this.touched = new Uint32Array(size);
  }

  /** The greater of what stands there and of this one; `score` is more than nothing. */
  raise(document: number, score: number): void {
    const known = this.values[document] ?? 0;
    if (known === 0) this.touched[this.count++] = document;
    if (score > known) this.values[document] = score;
  }

  add(document: number, score: number): void {
    const known = this.values[document] ?? 0;
    if (known === 0) this.touched[this.count++] = document;
    this.values[document] = known + score;
  }

  documents(): Uint32Array {
    return this.touched.subarray(0, this.count);
  }

  clear(): void {
    for (const document of this.documents()) this.values[document] = 0;
    this.count = 0;
  }
}

/** The score that about so many of these reach: no fewer, unless there are fewer. Counting them is faster than sorting them. */
export function scoreOfBest(count: number, scores: Float32Array | Float64Array): number {
  if (scores.length <= count) return 0;
  const steps = 2_048;
  let most = 0;
  for (const score of scores) if (score > most) most = score;
  const stepOf = steps / (most || 1);
  const histogram = new Uint32Array(steps + 1);
  for (const score of scores) {
    const step = Math.floor(score * stepOf);
    histogram[step] = (histogram[step] ?? 0) + 1;
  }
  let step = steps;
  for (let found = histogram[steps] ?? 0; found < count && step > 0; found += histogram[step] ?? 0) step -= 1;
  // A little less, as what was divided and multiplied again is not quite what it was.
  return (step / stepOf) * 0.999_999;
}
