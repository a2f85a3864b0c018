import type { TaxKind } from '../../../taxes/index.js';

/** The amounts of a document at one rate of one tax code. */
export interface TaxSummaryLine {
  taxCodeId: string | null;
  taxCode: string | null;
  taxKind: TaxKind | null;
  /** Null if the tax was sent as an amount, or if the line shows no rate. */
  taxRateBasisPoints: number | null;
  netCents: number;
  taxCents: number;
  grossCents: number;
  /** Printed reason why no tax is shown. */
  mention: string | null;
  /** Amounts in the base currency of the accounts; null if the document was not converted. */
  baseNetCents: number | null;
  baseTaxCents: number | null;
  baseGrossCents: number | null;
}

interface TaxGroup {
  taxCodeId: string | null;
  taxKind: TaxKind | null;
  taxRateBasisPoints: number | null;
  mention: string | null;
}

interface SummarizedLine extends TaxGroup {
  taxCode: string | null;
  netCents: number;
  taxCents: number;
  totalCents: number;
  baseNetCents?: number | null;
  baseTaxCents?: number | null;
  baseTotalCents?: number | null;
}

interface Currencies {
  currency: string;
  /** Null if the document was not converted. */
  baseCurrency: string | null;
}

/** Returns the name of the group in which the line is summed. */
export function taxGroupOf({ taxCodeId, taxKind, taxRateBasisPoints, mention }: TaxGroup): string {
  return JSON.stringify([taxCodeId, taxKind, taxRateBasisPoints, mention]);
}

/** Sums lines for each tax code and rate, as the database stores them at issue: sorted by tax code, lines without one last. */
export function taxSummaryOf(
  lines: readonly SummarizedLine[],
  { currency, baseCurrency }: Currencies,
): TaxSummaryLine[] {
  const sums = new Map<string, TaxSummaryLine>();
  for (const line of lines) {
    const { taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention } = line;
    const key = taxGroupOf(line);
    const known = sums.get(key) ?? {
      ...{ taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention },
      ...{ netCents: 0, taxCents: 0, grossCents: 0 },
      ...{ baseNetCents: null, baseTaxCents: null, baseGrossCents: null },
    };
    known.netCents += line.netCents;
    known.taxCents += line.taxCents;
    known.grossCents += line.totalCents;
    if (baseCurrency !== null) {
      const isOwn = baseCurrency === currency;
      known.baseNetCents = (known.baseNetCents ?? 0) + (isOwn ? line.netCents : (line.baseNetCents ?? 0));
      known.baseTaxCents = (known.baseTaxCents ?? 0) + (isOwn ? line.taxCents : (line.baseTaxCents ?? 0));
      known.baseGrossCents = (known.baseGrossCents ?? 0) + (isOwn ? line.totalCents : (line.baseTotalCents ?? 0));
    }
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
