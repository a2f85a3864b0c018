import type { Filter } from '../../../search-engine/index.js';
import type { FieldKeys } from './field-keys.js';
import type { SqlParameters } from './sql-parameters.js';

const EARTH_RADIUS_KM = 6371.0088;

/** The condition that a row `d` meets a filter. It is never null, because `not` reverses it. */
export function filterSql(filter: Filter, keys: FieldKeys, parameters: SqlParameters): string {
  switch (filter.kind) {
    case 'values':
      return valuesSql(filter, keys, parameters);
    case 'range':
      return rangeSql(filter, keys, parameters);
    case 'exists':
      return filter.field === 'id' ? 'true' : hasAnyKey([keys.presence(filter.field)], parameters);
    case 'and':
    case 'or':
      return joined(filter, keys, parameters);
    case 'not':
      return `not ${filterSql(filter.clause, keys, parameters)}`;
    case 'radius': {
      const [lat, lng] = [`${parameters.add(filter.lat)}::float8`, `${parameters.add(filter.lng)}::float8`];
      const haversine = (degrees: string) => `power(sin(radians(${degrees}) / 2), 2)`;
      const chord = `${haversine(`d.latitude - ${lat}`)}
        + cos(radians(${lat})) * cos(radians(d.latitude)) * ${haversine(`d.longitude - ${lng}`)}`;
      const distance = `2 * ${EARTH_RADIUS_KM} * asin(least(1, sqrt(${chord})))`;
      return `coalesce(${distance} <= ${parameters.add(filter.radiusKm)}::float8, false)`;
    }
    case 'box': {
      const [west, east] = [`${parameters.add(filter.west)}::float8`, `${parameters.add(filter.east)}::float8`];
      const [south, north] = [`${parameters.add(filter.south)}::float8`, `${parameters.add(filter.north)}::float8`];
      // A box whose west is greater than its east crosses the date line.
      const join = filter.west <= filter.east ? 'and' : 'or';
      const isBetween = `(d.longitude >= ${west} ${join} d.longitude <= ${east})`;
      return `coalesce(${isBetween} and d.latitude between ${south} and ${north}, false)`;
    }
  }
}

/** Returns whether only rows of this index can meet the filter: value keys differ between indexes. */
export function isOfOneIndex(filter: Filter): boolean {
  if (filter.kind === 'values') return filter.field !== 'id' && filter.values.length > 0;
  return filter.kind === 'and' && filter.clauses.some(isOfOneIndex);
}

function valuesSql(
  { field, values }: Extract<Filter, { kind: 'values' }>,
  keys: FieldKeys,
  parameters: SqlParameters,
): string {
  if (values.length === 0) return 'false';
  const normalized = values.map((value) => (typeof value === 'string' ? value.normalize('NFC') : value));
  if (field === 'id') return `d.id = any(${parameters.add(normalized.map(String))}::text[])`;
  return hasAnyKey(
    normalized.map((value) => keys.key(field, value)),
    parameters,
  );
}

function hasAnyKey(wanted: readonly bigint[], parameters: SqlParameters): string {
  return `d.keys && ${parameters.add(`{${wanted.join(',')}}`)}::bigint[]`;
}

/** `width_bucket` returns how many elements of a sorted list are at most the number, by binary search. */
function rangeSql(
  { field, gte, gt, lte, lt }: Extract<Filter, { kind: 'range' }>,
  keys: FieldKeys,
  parameters: SqlParameters,
): string {
  const bound = (value: number) => keys.bound(field, value);
  const above = [keys.presence(field) - 1n];
  if (gte !== undefined) above.push(bound(gte) - 1n);
  if (gt !== undefined) above.push(bound(gt));
  const below = [keys.last(field)];
  if (lte !== undefined) below.push(bound(lte));
  if (lt !== undefined) below.push(bound(lt) - 1n);
  const [from, to] = [above.reduce(greater), below.reduce((a, b) => (a < b ? a : b))];
  if (to <= from) return 'false';
  const count = (key: bigint) => `width_bucket(${parameters.add(String(key))}::bigint, d.bounds)`;
  return `${count(to)} > ${count(from)}`;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function joined(
  { kind, clauses }: Extract<Filter, { kind: 'and' | 'or' }>,
  keys: FieldKeys,
  parameters: SqlParameters,
): string {
  if (clauses.length === 0) return kind === 'and' ? 'true' : 'false';
  return `(${clauses.map((clause) => filterSql(clause, keys, parameters)).join(` ${kind} `)})`;
}
