import { describe, expect, it } from '@jest/globals';
import { billedShares } from './billed-shares.js';

type Line = readonly [totalCents: number, taxCents: number];

const line = (...amounts: Line): Line => amounts;

/** `named` has the amounts of lines that name the item of this index. */
function shares(lines: readonly Line[], grossCents: number, taxCents: number, named: Record<number, Line> = {}) {
  const items = lines.map(([totalSellCents, taxIncludedCents], index) => ({
    id: String(index),
    totalSellCents,
    taxIncludedCents,
  }));
  const own = Object.entries(named).map(([itemId, [gross, tax]]) => ({ itemId, grossCents: gross, taxCents: tax }));
  const found = billedShares(items, { grossCents, taxCents, items: own });
  return found.map(({ earlierRateCents, earlierRateTaxCents }) => [earlierRateCents, earlierRateTaxCents]);
}

describe('the shares of items in what documents billed', () => {
  it('one item has all of it', () => {
    expect(shares([line(119_000, 19_000)], 35_700, 5_700)).toEqual([[35_700, 5_700]]);
  });

  it('the gross follows the totals, the tax follows the gross', () => {
    expect(shares([line(119_000, 19_000), line(59_500, 9_500)], 119_000, 19_000)).toEqual([
      [79_333, 12_667],
      [39_667, 6_333],
    ]);
  });

  it('an amount billed beyond the items keeps its share of the tax, even if the tax of the items has changed since', () => {
    expect(shares([line(20_000, 1_308)], 30_000, 4_790)).toEqual([[20_000, 3_193]]);
  });

  it('shares of items and discounts add up, and what is billed in full is each item in full', () => {
    const lines = [line(100, 16), line(-33, -5), line(50, 8)];
    expect(shares(lines, 117, 19)).toEqual(lines);
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

  it('an item has what lines bill that name it, and the others have none of it', () => {
    expect(shares([line(119_000, 19_000), line(119_000, 19_000)], 119_000, 19_000, { 1: [119_000, 19_000] })).toEqual([
      [0, 0],
      [119_000, 19_000],
    ]);
  });

  it('what names no item is shared by what is left of the items', () => {
    const lines = [line(100, 16), line(100, 16), line(200, 32)];
    expect(shares(lines, 250, 40, { 0: [100, 16] })).toEqual([
      [100, 16],
      [50, 8],
      [100, 16],
    ]);
  });

  it('what lines bill beyond the price of their item counts for the other items', () => {
    expect(shares([line(60, 10), line(100, 16)], 100, 16, { 0: [100, 16] })).toEqual([
      [60, 10],
      [40, 6],
    ]);
  });

  it('credits that name no item take from all items that lines name', () => {
    expect(shares([line(100, 16), line(100, 16)], 90, 14, { 0: [100, 16], 1: [20, 3] })).toEqual([
      [75, 12],
      [15, 2],
    ]);
  });

  it('a discount of items that are billed in full is billed too', () => {
    expect(shares([line(100, 16), line(-33, -5)], 100, 16, { 0: [100, 16] })).toEqual([
      [100, 16],
      [-33, -5],
    ]);
  });

  it('for any lines that name items, the shares add up to the billed amount and stay within their items', () => {
    for (let seed = 1; seed <= 500; seed++) {
      let state = seed;
      const next = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
      const lines = Array.from({ length: 1 + next(5) }, (_, index) => {
        const total = index > 0 && next(4) === 0 ? -next(200) : next(1_000);
        return line(total, Math.trunc(total * 0.16));
      });
      const named = Object.fromEntries(
        lines.flatMap(([total], index): [number, Line][] =>
          next(2) === 0 ? [[index, [Math.trunc((total * next(15)) / 10), Math.trunc(total * 0.1)]]] : [],
        ),
      );
      const whole = lines.reduce((sum, [total]) => sum + total, 0);
      const grossCents = next(1_500) - 100;
      const found = shares(lines, grossCents, Math.trunc(grossCents * 0.16), named);
      const billed = found.reduce((sum, [gross = 0]) => sum + gross, 0);
      expect({ seed, billed }).toEqual({ seed, billed: Math.max(0, Math.min(grossCents, whole)) });
      for (const [index, [gross = 0, tax = 0]] of found.entries()) {
        const [total = 0] = lines[index] ?? [];
        expect([seed, Math.min(0, total) <= gross && gross <= Math.max(0, total)]).toEqual([seed, true]);
        expect([seed, Math.min(0, gross) <= tax && tax <= Math.max(0, gross)]).toEqual([seed, true]);
      }
    }
  });
});
