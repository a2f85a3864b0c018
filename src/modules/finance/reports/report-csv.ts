import { csvLines } from '../../../platform/http/csv.js';
import { minorUnits } from '../../../platform/money/money.js';
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
      if (kind === 'cents') return [text, text === '' ? '' : decimal(text, textOf(row['currency']))];
      if (kind === 'baseCents') return [text, text === '' ? '' : decimal(text, textOf(row['baseCurrency']))];
      return [text];
    }),
  );
  return csvLines(lines);
}

/** Formats an amount in minor units as a decimal number: 5900 EUR is 59.00, 5900 JPY is 5900. */
export function decimal(cents: string, currency: string): string {
  const digits = minorUnits(currency);
  const [sign, units] = cents.startsWith('-') ? ['-', cents.slice(1)] : ['', cents];
  if (digits === 0) return cents;
  const padded = units.padStart(digits + 1, '0');
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
