import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AppliedRate } from '../../books/exchange-rates/base-amounts.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import { convertedHead, convertedLines, type CreditedLine, creditedShares } from './base-lines.js';
import { priceLines } from './line-amounts.js';

const rateOf = (from: string, to: string, rate: string): AppliedRate => ({
  ...{ from, to, rate },
  day: '2027-01-29',
  source: 'ecb',
});
const EUR = 'EUR';

/** Makes lines with amounts including tax, each at a tax rate in basis points. */
function linesOf(...amounts: (readonly [totalCents: number, taxCents: number, rate?: number])[]): PricedLine[] {
  const lines = amounts.map(([unitPriceCents, taxCents, taxRateBasisPoints = null]) => ({
    ...{ description: 'Trip', priceBasis: 'allocated' as const, unitPriceCents, taxCents },
    ...{ taxCodeId: `taxc_${taxRateBasisPoints}`, taxCode: `T${taxRateBasisPoints}`, taxKind: 'standard' as const },
    taxRateBasisPoints,
  }));
  return priceLines(lines);
}

describe('an invoice in the base currency', () => {
  it.each([
    ['a published rate of the base currency divides', 100_000, rateOf('EUR', 'USD', '1.0870'), 91_996],
    ['a rate to the base currency multiplies', 10_001, rateOf('JPY', 'EUR', '0.0061'), 6_101],
    ['minor units of three decimals are converted', 12_345, rateOf('KWD', 'EUR', '2.98'), 3_679],
  ])('%s', (_, cents, rate, expected) => {
    const lines = convertedLines(linesOf([cents, 0]), { rate, baseCurrency: EUR });
    expect(convertedHead(lines, { rate, baseCurrency: EUR })).toEqual({
      baseCurrency: EUR,
      exchangeRate: rate,
      baseSubtotalCents: expected,
      baseTaxCents: 0,
      baseTotalCents: expected,
    });
  });

  it('net and gross amount of each tax group are rounded once, and the lines of a group add up to them', () => {
    // At a rate of 0.45, 3 lines of 10 with a tax of 2 are 13.5 gross and 10.8 net; 5 without tax are 2.25.
    const rate = rateOf('USD', 'EUR', '0.45');
    const lines = convertedLines(linesOf([10, 2, 1900], [5, 0, 0], [10, 2, 1900], [10, 2, 1900]), {
      rate,
      baseCurrency: EUR,
    });
    const figures = lines.map(({ baseNetCents, baseTaxCents, baseTotalCents }) => [
      baseNetCents,
      baseTaxCents,
      baseTotalCents,
    ]);
    expect(figures).toEqual([
      [4, 1, 5],
      [2, 0, 2],
      [3, 1, 4],
      [4, 1, 5],
    ]);
    expect(convertedHead(lines, { rate, baseCurrency: EUR })).toMatchObject({
      baseSubtotalCents: 13,
      baseTaxCents: 3,
      baseTotalCents: 16,
    });
  });

  it('an amount beyond the safe integers is rejected with 409', () => {
    const huge = { rate: rateOf('JPY', 'EUR', '9999999999'), baseCurrency: EUR };
    expect(() => convertedLines(linesOf([Number.MAX_SAFE_INTEGER, 0]), huge)).toThrow(
      expect.objectContaining({ status: 409, code: 'amount_too_large' }),
    );
  });
});

describe('a credit note in the base currency', () => {
  it('credit notes that credit a line in parts have exactly its base amounts together', () => {
    const credits = fc.record({
      total: fc.integer({ min: 1, max: 1_000_000 }),
      taxShare: fc.integer({ min: 0, max: 100 }),
      cuts: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 6 }),
      rate: fc.integer({ min: 1, max: 30_000 }).map((points) => `${Math.floor(points / 10_000)}.${points % 10_000}1`),
    });
    fc.assert(
      fc.property(credits, ({ total, taxShare, cuts, rate: text }) => {
        const tax = Math.floor((total * taxShare) / 100);
        const conversion = { rate: rateOf('USD', 'EUR', text), baseCurrency: EUR };
        const invoiced = convertedLines(linesOf([total, tax]), conversion);
        const ends = [...cuts.map((cut) => cut / 100), 1].sort((a, b) => a - b);
        const credited: CreditedLine[] = [];
        let [totalLeft, taxLeft] = [total, tax];
        for (const end of ends) {
          const [to, taxTo] = [Math.floor(total * (1 - end)), Math.floor(tax * (1 - end))];
          const [totalCents, taxCents] = [totalLeft - to, taxLeft - taxTo];
          const amounts = { totalCents, taxCents, netCents: totalCents - taxCents, originalPosition: 1 };
          const lines = invoiced.map((line) => ({ ...line, ...amounts }));
          credited.push(...creditedShares(lines, { invoiced, credited }));
          [totalLeft, taxLeft] = [to, taxTo];
        }
        const sums = (lines: readonly CreditedLine[]) =>
          lines.reduce(
            ([net, gross], line) => [net + (line.baseNetCents ?? 0), gross + (line.baseTotalCents ?? 0)] as const,
            [0, 0] as readonly [number, number],
          );
        expect(sums(credited)).toEqual(sums(invoiced));
        return true;
      }),
    );
  });
});
