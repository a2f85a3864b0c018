import type { Sort } from './search-index.js';
import type { SliceDocuments } from './slice-documents.js';

/** What stands first has the smaller key, part by part; equal ones are in the order of their ids. */
export type Key = readonly number[];

/** The key of a document in an order that needs no scores. What is missing comes last, whichever way the order goes. */
export function keyOf(sort: Sort, documents: SliceDocuments, { place, now }: { place: number; now: number }): Key {
  switch (sort) {
    case 'price-asc':
      return [orLast(documents.prices.at(place))];
    case 'price-desc':
      return [orLast(-documents.prices.at(place))];
    case 'departure-asc': {
      const [departure, start] = [documents.departures.at(place), documents.starts.at(place)];
      // A day is not past before it is over.
      const today = now - (now % 86_400_000);
      return [departure >= now ? departure : start >= today ? start : Number.MAX_VALUE];
    }
    case 'newest':
      return [orLast(-documents.newness.at(place))];
    case 'relevance':
      return [-documents.merits.at(place), orLast(-documents.newness.at(place))];
  }
}

/** Negative where the first one stands first. */
export function compareKeys(one: Key, other: Key): number {
  for (const [index, part] of one.entries()) {
    const difference = part - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function compareIds(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** JSON knows no infinity. */
function orLast(key: number): number {
  return Number.isNaN(key) ? Number.MAX_VALUE : key;
}
