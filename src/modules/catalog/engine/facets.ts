import type { Column, Scalar } from './columns.js';
import type { FacetStats } from './search-index.js';

export interface FacetCount {
  readonly value: Scalar;
  readonly count: number;
}

/** The values of a field over these documents: the frequent ones first, then by value. */
export function countsOf(column: Column, documents: Uint32Array): FacetCount[] {
  const counts = column.count(documents);
  const found = column.values.flatMap((value, number) => {
    const count = counts[number] ?? 0;
    return count > 0 ? [{ value, count }] : [];
  });
  return found.sort((a, b) => b.count - a.count || compareValues(a.value, b.value));
}

/** Null for a field of which there is no number. */
export function statsOf(counts: readonly FacetCount[]): FacetStats | null {
  const numbers = counts.flatMap(({ value, count }) => (typeof value === 'number' ? [{ value, count }] : []));
  const count = numbers.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  const values = numbers.map(({ value }) => value);
  return {
    min: values.reduce((least, value) => Math.min(least, value)),
    max: values.reduce((most, value) => Math.max(most, value)),
    avg: numbers.reduce((sum, one) => sum + one.value * one.count, 0) / count,
    count,
  };
}

function compareValues(one: Scalar, other: Scalar): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return one < other ? -1 : one > other ? 1 : 0;
}
