/** Random numbers that are the same for the same seed, on every machine (sfc32, seeded by xmur3). */
export class Random {
  private readonly state: Uint32Array;

  constructor(seed: string) {
    this.state = new Uint32Array(4).map((_, index) => hash(`${index}:${seed}`));
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** An integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound);
  }

  /** An integer between these two, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('There is nothing to pick from');
    return found;
  }

  /** One of the names, with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [name, weight] of entries) {
      if (left < weight) return name;
      left -= weight;
    }
    throw new Error('There is nothing to pick from');
  }

  private next(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.state;
    const result = (a + b + counter) >>> 0;
    this.state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + result, counter + 1]);
    return result;
  }
}

function hash(text: string): number {
  let mixed = 1779033703 ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 3432918353);
    mixed = (mixed << 13) | (mixed >>> 19);
  }
  return Math.imul(mixed ^ (mixed >>> 16), 2246822507) >>> 0;
}
