import type { TaxKind } from '../../taxes/index.js';

/** The amounts of a document at one rate of one tax code. */
export interface TaxSummaryLine {
  taxCodeId: string | null;
  taxCode: string | null;
  taxKind: TaxKind | null;
  /** Null: the tax was sent as an amount, or there are different rates. */
  taxRateBasisPoints: number | null;
  netCents: number;
  taxCents: number;
  grossCents: number;
  /** Printed: why no tax is shown. */
  mention: string | null;
  /** In the base currency of the accounts; null as long as documents have no exchange rate. */
  baseTaxCents: number | null;
}

interface SummarizedLine extends Omit<TaxSummaryLine, 'grossCents' | 'baseTaxCents'> {
  totalCents: number;
}

/** The sums of lines for each tax code and rate, as the database stores them at issue: by tax code, without one last. */
export function taxSummaryOf(lines: readonly SummarizedLine[]): TaxSummaryLine[] {
  const sums = new Map<string, TaxSummaryLine>();
  for (const line of lines) {
    const { taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention } = line;
    const key = JSON.stringify([taxCodeId, taxKind, taxRateBasisPoints, mention]);
    const known = sums.get(key) ?? {
      ...{ taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention },
      ...{ netCents: 0, taxCents: 0, grossCents: 0, baseTaxCents: null },
    };
    known.netCents += line.netCents;
    known.taxCents += line.taxCents;
    known.grossCents += line.totalCents;
    sums.set(key, known);
  }
  return [...sums.values()].sort(
    (a, b) =>
      nullsLast(a.taxCode, b.taxCode) ||
      nullsLast(a.taxCodeId, b.taxCodeId) ||
      nullsLast(a.taxRateBasisPoints, b.taxRateBasisPoints) ||
      nullsLast(a.mention, b.mention),
  );
}

function nullsLast<T extends string | number>(a: T | null, b: T | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
