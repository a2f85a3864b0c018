import { type Class, columnsOf, type Plain, plain } from './columns.js';
import type { Columns } from './rows.js';
import { omissionOf } from './unaudited.js';

const audited = new WeakMap<Class, readonly string[]>();

/** An entity whose changes the action ledger records. An entity with computed members or child rows adds them to `imageOf`. */
export abstract class Audited {
  /** Returns the audit snapshot of the row. */
  auditImage(): object {
    return imageOf(this);
  }
}

/** A row as the ledger stores it when no column is omitted. */
export type Image<Row> = { [Name in keyof Columns<Row>]: Plain<Row[Name]> };

/** Returns the columns of a row, except `@Unaudited` and `@Derived` ones. */
export function imageOf<Row extends object>(row: Row): Image<Row> {
  const names = auditedColumnsOf(row.constructor);
  return Object.fromEntries(names.map((name) => [name, plain(Reflect.get(row, name))])) as Image<Row>;
}

function auditedColumnsOf(entity: Class): readonly string[] {
  const names =
    audited.get(entity) ??
    columnsOf(entity)
      .map(({ propertyName }) => propertyName)
      .filter((name) => !omissionOf(entity, name));
  audited.set(entity, names);
  return names;
}
