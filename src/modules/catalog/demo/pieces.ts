import type { Place } from './places.js';

/** Numbers that look random, and are the same for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export type Random = ReturnType<typeof seeded>;

export function fill(sentence: string, place: Place, random: Random): string {
  const first = random(place.sights.length);
  const words: Record<string, string> = {
    city: place.city,
    region: place.region,
    sight: at(place.sights, first),
    other: at(place.sights, first + 1),
    food: place.food,
  };
  const filled = sentence.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word);
  return filled.charAt(0).toUpperCase() + filled.slice(1);
}

export function at<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('The list is empty');
  return item;
}

export function pick<T>(list: readonly T[], random: Random): T {
  return at(list, random(list.length));
}

export function slugOf(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
