import type { Column, Scalar } from './columns.js';

/** A validated condition. The bounds of dates are milliseconds. */
export type Filter =
  | { kind: 'values'; field: string; values: readonly Scalar[] }
  | { kind: 'range'; field: string; dates: boolean; gte?: number; gt?: number; lte?: number; lt?: number }
  | { kind: 'and' | 'or'; clauses: readonly Filter[] }
  | { kind: 'not'; clause: Filter }
  | { kind: 'exists'; field: string }
  | { kind: 'radius'; lat: number; lng: number; radiusKm: number }
  | { kind: 'box'; west: number; south: number; east: number; north: number };

export type Coordinates = readonly [latitude: number, longitude: number];

/** The documents that filters are evaluated on. */
export interface Filterable {
  readonly size: number;
  column(field: string): Column | null;
  coordinates(ordinal: number): Coordinates | null;
}

const EARTH_RADIUS_KM = 6371.0088;

/** Returns the mask of the documents that match. A document without the field matches only the condition `not`. */
export function filterMask(filter: Filter, documents: Filterable): Uint8Array {
  const mask = new Uint8Array(documents.size);
  switch (filter.kind) {
    case 'values': {
      const wanted = new Set(
        filter.values.map((value) => (typeof value === 'string' ? value.normalize('NFC') : value)),
      );
      if (wanted.size > 0) documents.column(filter.field)?.match((value) => wanted.has(value), mask);
      return mask;
    }
    case 'range':
      documents
        .column(filter.field)
        ?.match((value) => isWithin(filter.dates ? Date.parse(String(value)) : value, filter), mask);
      return mask;
    case 'exists':
      documents.column(filter.field)?.match(() => true, mask);
      return mask;
    case 'and':
      mask.fill(1);
      for (const clause of filter.clauses) combine(mask, filterMask(clause, documents), (one, other) => one & other);
      return mask;
    case 'or':
      for (const clause of filter.clauses) combine(mask, filterMask(clause, documents), (one, other) => one | other);
      return mask;
    case 'not':
      return filterMask(filter.clause, documents).map((bit) => 1 - bit);
    case 'radius':
    case 'box':
      return mask.map((_, ordinal) => Number(isInArea(filter, documents.coordinates(ordinal))));
  }
}

function combine(mask: Uint8Array, other: Uint8Array, join: (one: number, other: number) => number): void {
  for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
    mask[ordinal] = join(mask[ordinal] ?? 0, other[ordinal] ?? 0);
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

function isInArea(filter: Extract<Filter, { kind: 'radius' | 'box' }>, coordinates: Coordinates | null): boolean {
  if (coordinates === null) return false;
  const [latitude, longitude] = coordinates;
  if (filter.kind === 'radius') return distanceKm([filter.lat, filter.lng], coordinates) <= filter.radiusKm;
  const { west, south, east, north } = filter;
  // A box whose west is greater than its east crosses the date line.
  const isBetween = west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return isBetween && latitude >= south && latitude <= north;
}

/** Uses the haversine formula. */
function distanceKm(from: Coordinates, to: Coordinates): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const haversine = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const alongParallel = Math.cos(radians(from[0])) * Math.cos(radians(to[0])) * haversine(to[1] - from[1]);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine(to[0] - from[0]) + alongParallel)));
}
