import { invalidField } from '../../../platform/errors/app-error.js';
import type { AsOf } from '../receivables/index.js';

/** Adds a value to the statement and returns its placeholder. */
export type Place = (value: unknown, type: 'date' | 'text' | 'text[]' | 'timestamptz') => string;

/** `cents` are in the row's `currency`, `baseCents` in its `baseCurrency`. */
export type ColumnKind = 'text' | 'count' | 'cents' | 'baseCents';

/**
 * A report: a SELECT with these columns. Totals are sums over all its rows, per currency, in the same statement, so that they
 * always agree with the rows.
 */
export interface Report<Query> {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly rows: (query: Query, place: Place, today: string) => string;
  /** The order of the rows, unless the query names a column to sort by. */
  readonly order: string;
  /** Columns that together identify a row; they order rows with the same value of the column that the query names. */
  readonly identity?: readonly string[];
  /** Columns that are summed. */
  readonly sums: readonly string[];
  /** Replaces the totals: a SELECT from `report`. */
  readonly totals?: (query: Query, place: Place, today: string) => string;
  /** Totals in the base currency: a SELECT from `report`. */
  readonly baseTotals?: string;
}

/** Rows without a value are last in both directions. The query has been validated: `sort` is a column of the report. */
export function orderOf({ order, identity = [] }: Pick<Report<never>, 'order' | 'identity'>, sort?: string): string {
  if (sort === undefined) return order;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const others = identity.map((column) => `, "${column}" ${direction}`).join('');
  return `"${sort.replace('-', '')}" ${direction} nulls last${others}`;
}

export function asOfOf(query: { asOf?: string; knownAt?: string }, place: Place, today: string): AsOf {
  return {
    day: place(query.asOf ?? today, 'date'),
    known: query.knownAt === undefined ? null : place(query.knownAt, 'timestamptz'),
  };
}

export function conditions(...parts: (string | null)[]): string {
  const given = parts.filter((part) => part !== null);
  return given.length === 0 ? '' : `where ${given.join(' and ')}`;
}

export const equals = (column: string, value: string | undefined, place: Place) =>
  value === undefined ? null : `${column} = ${place(value, 'text')}`;

export const isOneOf = (column: string, values: readonly string[] | undefined, place: Place) =>
  values === undefined ? null : `${column} = any(${place(values, 'text[]')})`;

/** The last day must not precede the first one. */
export function assertOrder({ from, to }: { from?: string | undefined; to?: string | undefined }, field = 'to'): void {
  if (from !== undefined && to !== undefined && to < from) {
    throw invalidField(field, `${field} must not be before the first day`, 'end_before_start');
  }
}

/** Returns the first and the last day of a report: this month until today, unless the query names other days. */
export function daysOf(
  { from, to }: { from?: string; to?: string },
  place: Place,
  today: string,
): readonly [first: string, last: string] {
  assertOrder({ from, to: to ?? today });
  return [firstDayOf({ from, to }, place, today), place(to ?? today, 'date')];
}

/** A statement must refer to each of its parameters, so a statement that needs only the first day adds only that. */
export function firstDayOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  place: Place,
  today: string,
): string {
  return place(from ?? `${(to ?? today).slice(0, 8)}01`, 'date');
}
