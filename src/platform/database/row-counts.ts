import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { rowKindOf } from './row-kind.js';

/** The columns by which triggers count rows: counting at query time gets slower as the table grows. */
export const COUNTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  bookings: ['status'],
  contracts: ['status'],
  departures: ['status'],
  invoices: ['type', 'status'],
  notification_messages: ['status'],
  payments: ['direction', 'kind', 'status'],
  supplier_invoices: ['status'],
  trip_envelopes: ['status'],
};

const EQUALITY = /^(\w+)\.(\w+) = (:\w+|'\w+'|any\(:\w+\))$/;

/**
 * Returns the SQL for the number of rows with these column values, from the counts that triggers keep. The values are SQL: a
 * placeholder, a literal, or `any` of a list. Throws for a table or a column that is not counted.
 */
export function rowCountSql(table: string, values: Readonly<Record<string, string>>): string {
  const columns = COUNTED_COLUMNS[table];
  const conditions = [`relation = '${table}'`];
  for (const [column, value] of Object.entries(values)) {
    const place = (columns?.indexOf(column) ?? -1) + 1;
    if (place === 0) throw new Error(`The rows of ${table} are not counted by ${column}`);
    conditions.push(`part[${place}] = ${value}`);
  }
  return `(select coalesce(sum(number), 0)::bigint from row_counts where ${conditions.join(' and ')})`;
}

/** The same for a query; null if it has a join, or a condition other than equality of one of these columns. */
export function rowCountOf(found: SelectQueryBuilder<ObjectLiteral>): string | null {
  const { wheres, joinAttributes, mainAlias } = found.expressionMap;
  const table = mainAlias?.hasMetadata ? mainAlias.metadata.tableName : '';
  const columns = COUNTED_COLUMNS[table];
  if (!columns || joinAttributes.length > 0) return null;
  const kind = mainAlias && rowKindOf(mainAlias.metadata);
  if (kind && !columns.includes(kind.column)) return null;
  const values: Record<string, string> = kind ? { [kind.column]: kind.literal } : {};
  for (const { type, condition } of wheres) {
    const equality = type !== 'or' && typeof condition === 'string' ? EQUALITY.exec(condition) : null;
    const [, alias, column = '', value = ''] = equality ?? [];
    if (alias !== found.alias || !columns.includes(column) || column in values) return null;
    values[column] = value;
  }
  return rowCountSql(table, values);
}
