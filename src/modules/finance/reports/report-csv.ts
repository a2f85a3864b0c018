import { csvLines } from '../../../platform/http/csv.js';
import { decimalOf } from '../../../platform/money/money.js';
import type { ColumnKind } from './report.js';

export type ReportRow = Readonly<Record<string, unknown>>;
type Columns = Readonly<Record<string, ColumnKind>>;

/** Makes the header: each amount has a second column with the decimal number, without `Cents` in its name. */
export function csvHeader(columns: Columns): string {
  const names = Object.entries(columns).flatMap(([name, kind]) =>
    kind === 'cents' || kind === 'baseCents' ? [name, name.replace(/Cents$/, '')] : [name],
  );
  return csvLines([names]);
}

/** Amounts are in the row's `currency`, or its `baseCurrency`. */
export function csvRows(columns: Columns, rows: readonly ReportRow[]): string {
  const lines = rows.map((row) =>
    Object.entries(columns).flatMap(([name, kind]) => {
      const text = textOf(row[name]);
      if (kind === 'cents') return [text, text === '' ? '' : decimalOf(text, textOf(row['currency']))];
      if (kind === 'baseCents') return [text, text === '' ? '' : decimalOf(text, textOf(row['baseCurrency']))];
      return [text];
    }),
  );
  return csvLines(lines);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
