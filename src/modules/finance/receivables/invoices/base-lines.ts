import { divideRounded } from '../../../../platform/money/money.js';
import { type AppliedRate, type BaseAmounts, baseCents, converted, taxGroupOf } from '../../books/index.js';
import type { InvoiceTotals, PricedLine } from '../account/billing-document.entity.js';

/** A line of an issued credit note, with the credited amount in the base currency. */
export interface CreditedLine {
  originalPosition?: number | null;
  totalCents: number;
  taxCents: number;
  baseTotalCents?: number | null;
  baseNetCents?: number | null;
}

interface Sums {
  netCents: bigint;
  totalCents: bigint;
}

/**
 * Returns the lines of an invoice in the base currency. Converts net and gross amount of each tax group as a whole and rounds
 * them once; the tax is their difference. Each line gets the step by which the converted sum of its group grows, so that the
 * lines of a group add up to it.
 */
export function convertedLines(
  lines: readonly PricedLine[],
  { rate, baseCurrency }: { rate: AppliedRate; baseCurrency: string },
): PricedLine[] {
  const groups = new Map<string, Sums>();
  const inBase = (cents: bigint) => converted(cents, rate, baseCurrency);
  return lines.map((line) => {
    const before = groups.get(taxGroupOf(line)) ?? { netCents: 0n, totalCents: 0n };
    const after = {
      netCents: before.netCents + BigInt(line.netCents),
      totalCents: before.totalCents + BigInt(line.totalCents),
    };
    groups.set(taxGroupOf(line), after);
    return withBase(line, {
      netCents: inBase(after.netCents) - inBase(before.netCents),
      totalCents: inBase(after.totalCents) - inBase(before.totalCents),
    });
  });
}

/**
 * Returns the lines of a credit note in the base currency, as shares of the converted lines of the invoice. Shares are
 * cumulative, so that all credit notes of a line together have exactly its base amounts.
 */
export function creditedShares(
  lines: readonly PricedLine[],
  { invoiced, credited }: { invoiced: readonly PricedLine[]; credited: readonly CreditedLine[] },
): PricedLine[] {
  const counted = [...credited];
  return lines.map((line) => {
    const original = invoiced[(line.originalPosition ?? 0) - 1];
    if (!original) throw new Error('A line of a credit note credits a line of its invoice');
    const earlier = counted.filter(({ originalPosition }) => originalPosition === line.originalPosition);
    const totals = { whole: original.totalCents, base: original.baseTotalCents ?? 0 };
    const nets = { whole: original.netCents, base: original.baseNetCents ?? 0 };
    const converted = withBase(line, {
      totalCents: share(totals, {
        upTo: sum(earlier, ({ totalCents }) => totalCents) + BigInt(line.totalCents),
        taken: sum(earlier, ({ baseTotalCents }) => baseTotalCents ?? 0),
      }),
      netCents: share(nets, {
        upTo: sum(earlier, ({ totalCents, taxCents }) => totalCents - taxCents) + BigInt(line.netCents),
        taken: sum(earlier, ({ baseNetCents }) => baseNetCents ?? 0),
      }),
    });
    // A line can be credited at several rates, so the next credit follows this one.
    counted.push(converted);
    return converted;
  });
}

/** Returns the head of a document whose lines are converted. */
export function convertedHead(
  lines: readonly PricedLine[],
  { rate, baseCurrency }: { rate: AppliedRate; baseCurrency: string },
): BaseAmounts {
  const baseSubtotalCents = baseCents(sum(lines, ({ baseNetCents }) => baseNetCents ?? 0));
  const baseTotalCents = baseCents(sum(lines, ({ baseTotalCents: cents }) => cents ?? 0));
  const baseTaxCents = baseTotalCents - baseSubtotalCents;
  return { baseCurrency, exchangeRate: rate, baseSubtotalCents, baseTaxCents, baseTotalCents };
}

/** Returns the head of a document in the base currency. */
export function ownAmounts(totals: InvoiceTotals, baseCurrency: string): BaseAmounts {
  const { subtotalCents: baseSubtotalCents, taxCents: baseTaxCents, totalCents: baseTotalCents } = totals;
  return { baseCurrency, exchangeRate: null, baseSubtotalCents, baseTaxCents, baseTotalCents };
}

function share({ whole, base }: { whole: number; base: number }, { upTo, taken }: { upTo: bigint; taken: bigint }) {
  return whole === 0 ? 0n : divideRounded(BigInt(base) * upTo, BigInt(whole)) - taken;
}

function withBase(line: PricedLine, { netCents, totalCents }: Sums): PricedLine {
  const [baseNetCents, baseTotalCents] = [baseCents(netCents), baseCents(totalCents)];
  return { ...line, baseNetCents, baseTaxCents: baseTotalCents - baseNetCents, baseTotalCents };
}

function sum<Item>(items: readonly Item[], figure: (item: Item) => number): bigint {
  return items.reduce((total, item) => total + BigInt(figure(item)), 0n);
}
