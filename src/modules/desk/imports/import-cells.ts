import { AppError } from '../../../platform/errors/app-error.js';
import { minorUnits } from '../../../platform/money/money.js';
import { issuesOf, itemFaultOf } from '../item-work.js';
import type { Columns } from './import-file.js';
import type { ImportKind } from './import.entity.js';
import type { ImportedRecord, ImportRow, RecordFault } from './import-record.entity.js';

const MAX_MESSAGE = 500;
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,3}))?$/;
const WHOLE = /^\d{1,9}$/;

/** Imports the records of one kind of file, in the transaction of the caller. */
export interface RecordImporter {
  readonly kind: ImportKind;
  readonly columns: Columns;
  /** What a caller must be allowed to do, besides `customers:write`. */
  readonly scopes: readonly string[];
  /** The columns of members of the API that have another name, by the last part of their path. */
  readonly columnOf: Readonly<Record<string, string>>;
  /** Notes in the lines what only the whole file shows. */
  relate?(rows: readonly ImportRow[]): void;
  /** Creates the record. The errors are those of the API, or `CellError`. */
  run(rows: readonly [ImportRow, ...ImportRow[]]): Promise<ImportedRecord>;
}

/** A cell that cannot be read; `column` is null for several of them. */
export class CellError extends AppError {
  constructor(
    readonly row: ImportRow,
    readonly column: string | null,
    code: string,
    readonly fault: string,
  ) {
    super(422, code, `Line ${row.line}: ${fault}`, { details: { field: column } });
  }
}

/** Reads cells, and reports all that cannot be read with one error. */
export function cellsOf(readers: Readonly<Record<string, () => unknown>>): Record<string, unknown> {
  const errors: CellError[] = [];
  const cells = Object.entries(readers).map(([name, read]): [string, unknown] => {
    try {
      return [name, read()];
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      errors.push(error);
      return [name, undefined];
    }
  });
  const [first, second] = errors;
  if (first && second) {
    throw new CellError(first.row, null, first.code, errors.map(({ fault }) => fault).join('; '));
  } else if (first) throw first;
  return Object.fromEntries(cells);
}

export function text({ cells }: ImportRow, column: string): string | undefined {
  return cells[column];
}

export function required(row: ImportRow, column: string): string {
  const cell = text(row, column);
  if (cell === undefined) throw new CellError(row, column, 'required', `${column} is required`);
  return cell;
}

export function whole(row: ImportRow, column: string): number | undefined {
  const cell = text(row, column);
  if (cell === undefined) return undefined;
  if (!WHOLE.test(cell)) throw new CellError(row, column, 'not_a_number', `${column} must be a whole number`);
  return Number(cell);
}

/** An amount such as `1250.00`, in minor units of the currency; it has at most as many decimals as the currency. */
export function amount(row: ImportRow, column: string, currency: string): number | undefined {
  const cell = text(row, column);
  if (cell === undefined) return undefined;
  const digits = minorUnits(currency);
  const [, units, decimals = ''] = AMOUNT.exec(cell) ?? [];
  if (units === undefined || decimals.length > digits) {
    throw new CellError(row, column, 'not_an_amount', `${column} must be an amount such as 1250.00, not below 0`);
  }
  const cents = Number(units + decimals.padEnd(digits, '0'));
  if (!Number.isSafeInteger(cents)) throw new CellError(row, column, 'not_an_amount', `${column} is too large`);
  return cents;
}

/** In each of these columns, every line of a record must have the value of the first line, or an empty cell. */
export function assertSame(rows: readonly ImportRow[], columns: readonly string[]): void {
  const [first, ...others] = rows;
  for (const row of others) {
    const column = columns.find((name) => row.cells[name] !== undefined && row.cells[name] !== first?.cells[name]);
    if (column !== undefined) {
      throw new CellError(row, column, 'differs', `${column} differs from that of line ${first?.line ?? 0}`);
    }
  }
}

/** Runs work for one line of a record with several lines; its errors name the line. */
export async function ofLine<T>(
  { line }: ImportRow,
  columnOf: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof CellError) throw error;
    const { code, message, columnName } = faultOf(error, columnOf);
    throw new AppError(error.status, code, `Line ${line}: ${message}`, { details: { field: columnName } });
  }
}

/** Describes the error of a record with all of its faults. Messages of the API name no values, so they can be stored. */
export function faultOf(
  error: unknown,
  columnOf: Readonly<Record<string, string>>,
): RecordFault & { isTemporary: boolean } {
  const { code, message, path, isTemporary } = itemFaultOf(error);
  const nameOf = (member: string | undefined) => (member ? (columnOf[member] ?? member) : null);
  const columnAt = (at: string | null) => nameOf(at?.split('.').findLast((part) => !/^\d+$/.test(part)));
  const issues = issuesOf(error);
  const columns = new Set(issues.length > 1 ? issues.map((issue) => columnAt(issue.path)) : [columnAt(path)]);
  // A member may have another name than its column.
  const named = issues.map((issue) => {
    const column = columnAt(issue.path) ?? '';
    return issue.message.startsWith(column) ? issue.message : `${column}: ${issue.message}`;
  });
  const messages = issues.length > 1 ? named.join('; ') : message;
  const [columnName = null, other] = columns;
  return {
    ...{ code, columnName: other === undefined ? columnName : null },
    ...{ message: messages.slice(0, MAX_MESSAGE), isTemporary },
  };
}
