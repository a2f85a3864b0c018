import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** A value that a column is compared with by `=`. */
export interface Comparand {
  /** The SQL of the value, with the placeholder of its one parameter. */
  readonly sql: (place: string) => string;
  readonly value: unknown;
}

/** Keeps the rows whose column has one of the values; without values it keeps all. */
export function filterRows<Entity extends ObjectLiteral>(
  found: SelectQueryBuilder<Entity>,
  column: string,
  values: readonly string[] | undefined,
): void {
  if (values === undefined) return;
  const name = column.slice(column.lastIndexOf('.') + 1);
  const { sql, value } = anyOf(values);
  found.andWhere(`${column} = ${sql(`:${name}`)}`, { [name]: value });
}

/**
 * A single value is compared alone: PostgreSQL then reads an index on the column and the sort field in list order, without
 * reading the rows behind the page.
 */
export function anyOf(values: readonly string[]): Comparand {
  return values.length === 1
    ? { sql: (place) => place, value: values[0] }
    : { sql: (place) => `any(${place})`, value: values };
}
