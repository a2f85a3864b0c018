/** A stream of pseudo-random numbers (mulberry32): the same seed gives the same stream on every machine. */
export class Random {
  private state: number;

  /** Streams of one seed are independent, so a clerk can be run again without the others. */
  constructor(seed: number, stream: number) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
    for (let i = 0; i < 8; i += 1) this.next();
  }

  /** At least 0, below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Undefined if the list is empty. */
  pick<Thing>(list: readonly Thing[]): Thing | undefined {
    return list[this.int(0, list.length - 1)];
  }

  /** Selects one of the names with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0];
    if (!found) throw new Error('There is nothing to choose from');
    return found[0];
  }
}
