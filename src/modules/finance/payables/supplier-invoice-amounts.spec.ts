import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppError } from '../../../platform/errors/app-error.js';
import { assertTotals, baseTotals, effectiveRate, priceLines, storedRate, sumOf } from './supplier-invoice-amounts.js';

const MAX = Number.MAX_SAFE_INTEGER;
const CHF = { currency: 'CHF', baseCurrency: 'EUR', exchangeRate: '1.0325' };

describe('the lines of a supplier invoice', () => {
  it('a line has defaults: one unit, no tax, service type other, and the computed total', () => {
    expect(priceLines([{ description: 'Guide', unitAmountCents: 24_000 }])).toEqual([
      {
        description: 'Guide',
        serviceType: 'other',
        quantity: 1,
        unitAmountCents: 24_000,
        taxAmountCents: 0,
        totalAmountCents: 24_000,
      },
    ]);
  });

  it('a stated total other than quantity * unit + tax is rejected', () => {
    const line = { description: 'Room', quantity: 3, unitAmountCents: 100, taxAmountCents: 7, totalAmountCents: 306 };
    expect(thrownBy(() => priceLines([line]))).toEqual({
      status: 422,
      code: 'totals_mismatch',
      details: { field: 'lines.0.totalAmountCents', expected: 307, actual: 306 },
    });
  });

  it('a line total beyond 2^53-1 is rejected without being rounded first', () => {
    const line = { description: 'Room', quantity: 2, unitAmountCents: MAX };
    expect(thrownBy(() => priceLines([line]))).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(thrownBy(() => priceLines([{ ...line, quantity: 1, taxAmountCents: 1 }]))).toMatchObject({ status: 400 });
    expect(priceLines([{ ...line, quantity: 1 }])[0]?.totalAmountCents).toBe(MAX);
  });

  it('lines whose sum is beyond 2^53-1 are rejected', () => {
    const lines = priceLines([MAX, 1].map((unitAmountCents) => ({ description: 'Room', unitAmountCents })));
    expect(thrownBy(() => sumOf(lines, ({ totalAmountCents }) => totalAmountCents))).toMatchObject({ status: 400 });
  });
});

describe('the totals of a supplier invoice', () => {
  const lines = priceLines([{ description: 'Room', unitAmountCents: 100, taxAmountCents: 19 }]);

  it('totals are valid without lines and with lines that add up to them', () => {
    expect(() => assertTotals({ totalCents: 119, subtotalCents: 100, taxCents: 19 }, [])).not.toThrow();
    expect(() => assertTotals({ totalCents: 119, subtotalCents: 100, taxCents: 19 }, lines)).not.toThrow();
    expect(() => assertTotals({ totalCents: 0, subtotalCents: 0, taxCents: 0 }, [])).not.toThrow();
  });

  it.each([
    [
      { totalCents: 119, subtotalCents: 100, taxCents: 20 },
      { field: 'totalCents', expected: 120, actual: 119 },
    ],
    [
      { totalCents: 119, subtotalCents: -1, taxCents: 120 },
      { field: 'taxCents', expected: 119, actual: 120 },
    ],
    [
      { totalCents: 120, subtotalCents: 100, taxCents: 20 },
      { field: 'lines', expected: 120, actual: 119 },
    ],
  ])('the totals %j are rejected', (totals, details) => {
    expect(thrownBy(() => assertTotals(totals, lines))).toEqual({ status: 422, code: 'totals_mismatch', details });
  });
});

describe('the exchange rate', () => {
  it('the effective rate is 1 between equal currencies, and null if it is unknown', () => {
    expect(effectiveRate({ currency: 'EUR', baseCurrency: 'EUR', exchangeRate: null })).toBe('1');
    expect(effectiveRate(CHF)).toBe('1.0325');
    expect(effectiveRate({ ...CHF, exchangeRate: null })).toBeNull();
    expect(effectiveRate({ currency: 'EUR', baseCurrency: null, exchangeRate: null })).toBeNull();
  });

  it('between equal currencies only the rate 1 is accepted, and it is not stored', () => {
    const equal = { currency: 'EUR', baseCurrency: 'EUR' };
    expect(['1', '1.0', '1.0000000000'].map((exchangeRate) => storedRate({ ...equal, exchangeRate }))).toEqual([
      null,
      null,
      null,
    ]);
    expect(thrownBy(() => storedRate({ ...equal, exchangeRate: '1.0000000001' }))).toMatchObject({ status: 400 });
  });

  it('a rate needs a base currency', () => {
    expect(thrownBy(() => storedRate({ ...CHF, baseCurrency: null }))).toMatchObject({ status: 400 });
  });
});

describe('the base amounts', () => {
  it('total and subtotal are rounded once each, and the tax is their difference', () => {
    const totals = { totalCents: 11_900, subtotalCents: 10_000, taxCents: 1_900 };
    // The unrounded amounts are 12286.75 and 10325; a separately converted tax would be 1961.75.
    expect(baseTotals({ ...totals, ...CHF })).toEqual({
      baseTotalCents: 12_287,
      baseSubtotalCents: 10_325,
      baseTaxCents: 1_962,
    });
  });

  it('base amounts are null without a rate, and equal the amounts between equal currencies', () => {
    const totals = { totalCents: 119, subtotalCents: 100, taxCents: 19 };
    const none = { baseTotalCents: null, baseSubtotalCents: null, baseTaxCents: null };
    expect(baseTotals({ ...totals, ...CHF, exchangeRate: null })).toEqual(none);
    expect(baseTotals({ ...totals, ...CHF, baseCurrency: null, exchangeRate: null })).toEqual(none);
    expect(baseTotals({ ...totals, currency: 'EUR', baseCurrency: 'EUR', exchangeRate: null })).toEqual({
      baseTotalCents: 119,
      baseSubtotalCents: 100,
      baseTaxCents: 19,
    });
  });

  it('base amounts beyond 2^53-1 are rejected', () => {
    const totals = { totalCents: MAX, subtotalCents: MAX, taxCents: 0 };
    expect(thrownBy(() => baseTotals({ ...totals, ...CHF }))).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('base amounts always add up and are never negative', () => {
    const currency = fc.constantFrom('EUR', 'USD', 'JPY', 'KWD', 'CLF');
    const cents = fc.integer({ min: 0, max: 10 ** 8 });
    const rate = fc
      .tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 9_999_999_999 }))
      .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(10, '0')}`);
    fc.assert(
      fc.property(fc.tuple(currency, currency), fc.tuple(cents, cents), rate, (pair, [subtotalCents, taxCents], r) => {
        const [from, to] = pair;
        const exchangeRate = from === to ? null : r;
        const totals = { totalCents: subtotalCents + taxCents, subtotalCents, taxCents };
        const base = baseTotals({ ...totals, currency: from, baseCurrency: to, exchangeRate });
        const { baseTotalCents, baseSubtotalCents, baseTaxCents } = base;
        return (
          baseTotalCents !== null &&
          baseSubtotalCents !== null &&
          baseTaxCents !== null &&
          baseSubtotalCents + baseTaxCents === baseTotalCents &&
          baseSubtotalCents >= 0 &&
          baseTaxCents >= 0
        );
      }),
    );
  });
});

function thrownBy(act: () => unknown): object | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, code, details } = error;
    return { status, code, details };
  }
}
