import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareTax } from './tax-shares.js';

describe('the shares of a tax', () => {
  it.each([
    [100, [30_000, 70_001], [30, 70]],
    [100, [500, 500, 500], [33, 33, 34]],
    [1, [50, 50], [0, 1]],
    [2, [1, 1, 1], [0, 1, 1]],
    [5, [100, 300, 100], [1, 3, 1]],
    [0, [10, 20], [0, 0]],
    [19, [119], [19]],
    [500, [100, 200], [100, 200]],
    [7, [], []],
  ])('the shares of a tax of %i among %j are %j', (tax, amounts, shares) =>
    expect(shareTax(tax, amounts)).toEqual(shares),
  );

  const amounts = fc.array(fc.integer({ min: 1, max: 2 ** 43 }), { minLength: 1, maxLength: 40 });
  const plan = amounts.chain((each) => {
    const total = each.reduce((sum, amount) => sum + amount, 0);
    return fc.record({ each: fc.constant(each), tax: fc.integer({ min: 0, max: total }) });
  });

  it('the shares of a tax add up, each within one unit of its exact share and between 0 and its installment', () => {
    fc.assert(
      fc.property(plan, ({ each, tax }) => {
        const shares = shareTax(tax, each);
        const total = each.reduce((sum, amount) => sum + BigInt(amount), 0n);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(tax);
        for (const [index, amount] of each.entries()) {
          const [share, exact] = [BigInt(shares[index] ?? -1), BigInt(tax) * BigInt(amount)];
          expect(share * total > exact - total && share * total < exact + total).toBe(true);
          expect(share >= 0n && share <= BigInt(amount)).toBe(true);
        }
      }),
    );
  });
});
