import { CsvError, parse } from 'csv-parse/sync';
import { type AppError, unprocessable } from '../../../platform/errors/app-error.js';
import type { ImportRow } from './import-record.entity.js';

export const MAX_LINES = 5_000;
const MAX_LINES_OF_RECORD = 100;
const MAX_LINE_LENGTH = 20_000;
const MAX_REFERENCE_LENGTH = 100;
const DELIMITERS = [',', ';', '\t'] as const;
const REFERENCE = 'reference';
/** Lower camel case or snake case, as in the exports of other systems. */
const COLUMN_NAME = /^[a-z][A-Za-z0-9_]{0,39}$/;

/** The columns of a kind of file; `reference` is always one of them. */
export interface Columns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The lines of a file that become one record. */
export interface RecordRows {
  reference: string | null;
  rows: ImportRow[];
}

interface Parsed {
  record: string[];
  line: number;
}

/**
 * Reads a CSV file (RFC 4180) whose first line names the columns, in any order. The cells are separated by commas, semicolons or
 * tabs. Lines with the same reference belong to one record. Throws 422 with the field `csv` for a file that cannot be read.
 */
export function readImportFile(csv: string, { required, optional }: Columns): { records: RecordRows[]; lines: number } {
  const [header, ...lines] = parseLines(csv);
  if (!header) throw faulty('The file is empty', 'csv_empty');
  const names = columnsOf(header.record, [REFERENCE, ...required], optional);
  if (lines.length === 0) throw faulty('The file has only a header', 'csv_empty');
  if (lines.length > MAX_LINES) throw faulty(`A file has at most ${MAX_LINES} lines`, 'too_many_lines');
  const rows = lines.map(({ record, line }) => {
    if (record.length > names.length) throw faulty(`Line ${line} has more cells than the header`, 'csv_malformed');
    const cells = names.map((name, index) => [name, record[index] ?? ''] as const).filter(([, cell]) => cell !== '');
    return { line, cells: Object.fromEntries(cells) };
  });
  return { records: recordsOf(rows), lines: rows.length };
}

function parseLines(csv: string): Parsed[] {
  const firstLine = csv.slice(0, MAX_LINE_LENGTH).split(/\r\n|\r|\n/, 1)[0] ?? '';
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
  const found: Parsed[] = [];
  try {
    parse(csv, {
      ...{ delimiter, bom: true, trim: true, relax_column_count: true, skip_empty_lines: true },
      ...{ skip_records_with_empty_values: true, max_record_size: MAX_LINE_LENGTH, to: MAX_LINES + 2 },
      on_record: (record: string[], { lines: line }) => {
        found.push({ record, line });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error;
    throw faulty(`The file is not valid CSV${typeof lines === 'number' ? ` at line ${lines}` : ''}`, 'csv_malformed');
  }
  return found;
}

function columnsOf(header: readonly string[], required: readonly string[], optional: readonly string[]): string[] {
  const known = new Map([...required, ...optional].map((name) => [name.toLowerCase(), name]));
  const names = header.map((cell, index) => {
    const name = known.get(cell.toLowerCase());
    if (name === undefined) throw unknownColumn(cell, index + 1, [...known.values()]);
    return name;
  });
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated >= 0) throw faulty(`Column ${repeated + 1} is a duplicate`, 'column_duplicate');
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw faulty(`The column ${missing} is missing`, 'column_missing');
  return names;
}

/** Names the column only if it looks like a name: the first line of a file without a header contains data of persons. */
function unknownColumn(cell: string, column: number, columns: readonly string[]): AppError {
  const name = COLUMN_NAME.test(cell) ? ` (${cell})` : '';
  return unprocessable(
    'column_unknown',
    `Column ${column}${name} is not known. The columns are ${columns.join(', ')}`,
    {
      field: 'csv',
      column,
      columns,
    },
  );
}

/** Lines without a reference stay single: they are reported one by one. */
function recordsOf(rows: readonly ImportRow[]): RecordRows[] {
  const records: RecordRows[] = [];
  const byReference = new Map<string, RecordRows>();
  for (const row of rows) {
    const reference = row.cells[REFERENCE] ?? null;
    const present = reference === null ? undefined : byReference.get(reference);
    if (present) {
      if (present.rows.length >= MAX_LINES_OF_RECORD) {
        throw faulty(`Line ${row.line}: at most ${MAX_LINES_OF_RECORD} lines have one reference`, 'too_many_lines');
      }
      present.rows.push(row);
      continue;
    }
    if (reference !== null && [...reference].length > MAX_REFERENCE_LENGTH) {
      throw faulty(
        `Line ${row.line}: the reference is longer than ${MAX_REFERENCE_LENGTH} characters`,
        'reference_too_long',
      );
    }
    const record = { reference, rows: [row] };
    records.push(record);
    if (reference !== null) byReference.set(reference, record);
  }
  return records;
}

function faulty(message: string, code: string): AppError {
  return unprocessable(code, message, { field: 'csv' });
}
