import { describe, expect, it } from '@jest/globals';
import { billedShares } from './billed-shares.js';

const line = (totalSellCents: number, taxIncludedCents: number) => ({ totalSellCents, taxIncludedCents });
const shares = (lines: ReturnType<typeof line>[], grossCents: number, taxCents: number) =>
  billedShares(lines, { grossCents, taxCents }).map(({ earlierRateCents, earlierRateTaxCents }) => [
    earlierRateCents,
    earlierRateTaxCents,
  ]);

describe('the shares of items in what documents billed', () => {
  it('one item has all of it', () => {
    expect(shares([line(119_000, 19_000)], 35_700, 5_700)).toEqual([[35_700, 5_700]]);
  });

  it('the gross follows the totals, the tax follows the taxes', () => {
    expect(shares([line(119_000, 19_000), line(119_000, 0)], 119_000, 9_500)).toEqual([
      [59_500, 9_500],
      [59_500, 0],
    ]);
  });

  it('shares of items and discounts add up, and what is billed in full is each item in full', () => {
    const lines = [line(100, 16), line(-33, -5), line(50, 8)];
    expect(shares(lines, 117, 19)).toEqual(lines.map((each) => [each.totalSellCents, each.taxIncludedCents]));
    const part = shares(lines, 58, 9);
    expect(part.map(([gross = 0]) => gross).reduce((sum, cents) => sum + cents, 0)).toBe(58);
    expect(part[1]?.[0]).toBeLessThan(0);
  });

  it('what is billed beyond the items, or is credited in full, belongs to no item', () => {
    expect(shares([line(100, 16)], 150, 24)).toEqual([[100, 16]]);
    expect(shares([line(100, 16)], 0, 0)).toEqual([[0, 0]]);
    expect(shares([line(0, 0)], 0, 0)).toEqual([[0, 0]]);
  });

  it('a share of the tax never exceeds its share of the gross', () => {
    expect(shares([line(100, 50)], 10, 40)).toEqual([[10, 10]]);
  });
});
