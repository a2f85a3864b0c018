import type { Column, Scalar } from './columns.js';

export interface FacetCount {
  readonly value: Scalar;
  readonly count: number;
}

export interface FacetStats {
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly count: number;
}

/** Counts the values of a field in these documents, sorted by frequency, the highest first, then by value. */
export function countFacet(column: Column, ordinals: Uint32Array): FacetCount[] {
  const counts = column.count(ordinals);
  const found = column.values.flatMap((value, number) => {
    const count = counts[number] ?? 0;
    return count > 0 ? [{ value, count }] : [];
  });
  return found.sort((a, b) => b.count - a.count || compareValues(a.value, b.value));
}

/** Returns null if there is no number among the values. */
export function facetStats(counts: readonly FacetCount[]): FacetStats | null {
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
