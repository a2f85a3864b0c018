import type { Column, Scalar } from './columns.js';

/** A condition, checked and in one spelling. Bounds of dates are milliseconds. */
export type Filter =
  | { kind: 'values'; field: string; values: readonly Scalar[] }
  | { kind: 'range'; field: string; dates: boolean; gte?: number; gt?: number; lte?: number; lt?: number }
  | { kind: 'and' | 'or'; clauses: readonly Filter[] }
  | { kind: 'not'; clause: Filter }
  | { kind: 'exists'; field: string }
  | { kind: 'radius'; lat: number; lng: number; radiusKm: number }
  | { kind: 'box'; west: number; south: number; east: number; north: number };

/** What a filter looks into. */
export interface Filterable {
  readonly size: number;
  columnOf(field: string): Column | null;
  /** Of a document; null where it has none. */
  placeOf(document: number): readonly [latitude: number, longitude: number] | null;
}

const EARTH_KM = 6371.0088;

/** Marks the documents for which the condition is true. A missing field makes every condition false except `not`. */
export function marksOf(filter: Filter, documents: Filterable): Uint8Array {
  const marks = new Uint8Array(documents.size);
  switch (filter.kind) {
    case 'values': {
      const wanted = new Set(
        filter.values.map((value) => (typeof value === 'string' ? value.normalize('NFC') : value)),
      );
      if (wanted.size > 0) documents.columnOf(filter.field)?.mark((value) => wanted.has(value), marks);
      return marks;
    }
    case 'range':
      documents
        .columnOf(filter.field)
        ?.mark((value) => isWithin(filter.dates ? Date.parse(String(value)) : value, filter), marks);
      return marks;
    case 'exists':
      documents.columnOf(filter.field)?.mark(() => true, marks);
      return marks;
    case 'and':
      marks.fill(1);
      for (const clause of filter.clauses) combine(marks, marksOf(clause, documents), (one, other) => one & other);
      return marks;
    case 'or':
      for (const clause of filter.clauses) combine(marks, marksOf(clause, documents), (one, other) => one | other);
      return marks;
    case 'not':
      return marksOf(filter.clause, documents).map((mark) => 1 - mark);
    case 'radius':
    case 'box':
      return marks.map((_, document) => Number(isAround(filter, documents.placeOf(document))));
  }
}

function combine(marks: Uint8Array, others: Uint8Array, join: (one: number, other: number) => number): void {
  for (let document = 0; document < marks.length; document += 1) {
    marks[document] = join(marks[document] ?? 0, others[document] ?? 0);
  }
}

function isWithin(value: Scalar, { gte, gt, lte, lt }: Extract<Filter, { kind: 'range' }>): boolean {
  if (typeof value !== 'number' || Number.isNaN(value)) return false;
  return !(
    (gte !== undefined && value < gte) ||
    (gt !== undefined && value <= gt) ||
    (lte !== undefined && value > lte) ||
    (lt !== undefined && value >= lt)
  );
}

function isAround(
  filter: Extract<Filter, { kind: 'radius' | 'box' }>,
  place: readonly [latitude: number, longitude: number] | null,
): boolean {
  if (place === null) return false;
  const [latitude, longitude] = place;
  if (filter.kind === 'radius') return kilometres([filter.lat, filter.lng], place) <= filter.radiusKm;
  const { west, south, east, north } = filter;
  // West of its east end a box crosses the date line.
  const isBetween = west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return isBetween && latitude >= south && latitude <= north;
}

function kilometres(from: readonly [number, number], to: readonly [number, number]): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const along = Math.cos(radians(from[0])) * Math.cos(radians(to[0])) * half(to[1] - from[1]);
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(half(to[0] - from[0]) + along)));
}
