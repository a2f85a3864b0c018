import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  COMMISSION_BASES,
  type CommissionTerms,
  completeTerms,
  computeCommission,
  type GivenTerms,
  type Sale,
} from './commission-terms.js';

const sale = (over: Partial<Sale> = {}): Sale => ({
  currency: 'EUR',
  quantity: 1,
  totalSellCents: 120_000,
  taxIncludedCents: 0,
  costCents: null,
  costCurrency: null,
  ...over,
});
const cost = (costCents: number) => ({ costCents, costCurrency: 'EUR' });
const amount = (terms: GivenTerms, over: Partial<Sale> = {}) => computeCommission(completeTerms(terms), sale(over));

describe('the commission examples of the reference', () => {
  it.each<[string, GivenTerms, Partial<Sale>, { baseCents: number; amountCents: number }]>([
    [
      '12.5 % of the net price',
      { rateBasisPoints: 1250 },
      { taxIncludedCents: 20_000 },
      { baseCents: 100_000, amountCents: 12_500 },
    ],
    [
      '15 % of 3333, half up',
      { rateBasisPoints: 1500 },
      { totalSellCents: 3333 },
      { baseCents: 3333, amountCents: 500 },
    ],
    [
      '10 % of the gross price',
      { basis: 'gross_sell', rateBasisPoints: 1000 },
      { taxIncludedCents: 20_000 },
      { baseCents: 120_000, amountCents: 12_000 },
    ],
    [
      'a fixed amount for each of three',
      { commissionModel: 'fixed', amountCents: 500, perUnit: true },
      { quantity: 3 },
      { baseCents: 500, amountCents: 1500 },
    ],
    [
      'half of the markup',
      { commissionModel: 'markup', rateBasisPoints: 5000 },
      { totalSellCents: 100_000, ...cost(80_000) },
      { baseCents: 20_000, amountCents: 10_000 },
    ],
    [
      'what the net rate leaves',
      { commissionModel: 'net', netRateCents: 85_000 },
      { totalSellCents: 100_000 },
      { baseCents: 100_000, amountCents: 15_000 },
    ],
  ])('the commission in the example of the reference is correct: %s', (...[, terms, over, expected]) =>
    expect(amount(terms, over)).toEqual(expected),
  );
});

describe('a commission', () => {
  it('a commission is 0 if there is no margin or the net rate exceeds the price', () => {
    const margin = { basis: 'margin', rateBasisPoints: 10_000 } as const;
    expect(amount(margin, cost(130_000))).toEqual({ baseCents: 0, amountCents: 0 });
    expect(amount(margin, cost(100_000)).amountCents).toBe(20_000);
    expect(amount({ commissionModel: 'net', netRateCents: 120_001 }).amountCents).toBe(0);
  });

  it.each<[GivenTerms, Partial<Sale>]>([
    [{ basis: 'margin', rateBasisPoints: 1 }, {}],
    [{ commissionModel: 'markup', rateBasisPoints: 1 }, {}],
    [
      { commissionModel: 'markup', rateBasisPoints: 1 },
      { costCents: 5, costCurrency: 'USD' },
    ],
  ])('%j without a cost in the currency of the sale is 422 cost_unknown', (terms, over) => {
    expect(thrownBy(() => amount(terms, over))).toMatchObject({ status: 422, code: 'cost_unknown' });
  });

  it.each<[GivenTerms, Partial<Sale>]>([
    [{ rateBasisPoints: 1 }, { totalSellCents: -1 }],
    [{ commissionModel: 'fixed', amountCents: Number.MAX_SAFE_INTEGER, perUnit: true }, { quantity: 2 }],
  ])('%j of %j is 422 commission_exceeds_base', (terms, over) => {
    expect(thrownBy(() => amount(terms, over))).toMatchObject({ status: 422, code: 'commission_exceeds_base' });
  });

  it.each<[GivenTerms, string, string]>([
    [{}, 'rateBasisPoints', 'required_by_model'],
    [{ commissionModel: 'markup' }, 'rateBasisPoints', 'required_by_model'],
    [{ commissionModel: 'fixed' }, 'amountCents', 'required_by_model'],
    [{ commissionModel: 'net' }, 'netRateCents', 'required_by_model'],
    [{ rateBasisPoints: 1, amountCents: 1 }, 'amountCents', 'not_of_model'],
    [{ rateBasisPoints: 1, perUnit: true }, 'perUnit', 'not_of_model'],
    [{ commissionModel: 'markup', rateBasisPoints: 1, basis: 'margin' }, 'basis', 'not_of_model'],
    [{ commissionModel: 'fixed', amountCents: 1, rateBasisPoints: 1 }, 'rateBasisPoints', 'not_of_model'],
    [{ commissionModel: 'net', netRateCents: 1, amountCents: 1 }, 'amountCents', 'not_of_model'],
  ])('the terms %j are rejected with 400 at %s: %s', (terms, path, code) => {
    const details = { issues: [{ path, code, message: expect.any(String) }] };
    expect(thrownBy(() => completeTerms(terms))).toMatchObject({ status: 400, details });
  });

  it('a percentage is between 0 and its base, exact to half a unit, and grows with the rate', () => {
    const terms = (rateBasisPoints: number, basis: CommissionTerms['basis']) =>
      completeTerms({ rateBasisPoints, ...(basis ? { basis } : {}) });
    const sales = fc
      .record({ totalSellCents: fc.oneof(fc.maxSafeNat(), fc.nat(100_000)), share: fc.integer({ min: 0, max: 100 }) })
      .map(({ totalSellCents, share }) => {
        const taxIncludedCents = Number((BigInt(totalSellCents) * BigInt(share)) / 100n);
        return sale({ totalSellCents, taxIncludedCents, ...cost(taxIncludedCents) });
      });
    const bp = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(sales, bp, fc.constantFrom(...COMMISSION_BASES), (of, rate, basis) => {
        const { baseCents, amountCents } = computeCommission(terms(rate, basis), of);
        expect(amountCents).toBeGreaterThanOrEqual(0);
        expect(amountCents).toBeLessThanOrEqual(baseCents);
        expect(baseCents).toBeLessThanOrEqual(of.totalSellCents);
        const doubled = 2n * (BigInt(amountCents) * 10_000n - BigInt(baseCents) * BigInt(rate));
        expect(doubled > -10_000n && doubled <= 10_000n).toBe(true);
        const more = computeCommission(terms(Math.min(10_000, rate + 1), basis), of);
        expect(more.amountCents).toBeGreaterThanOrEqual(amountCents);
      }),
      { numRuns: 3_000 },
    );
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, code, details } = error;
    return { status, code, details };
  }
}
