import { describe, expect, it } from '@jest/globals';
import currencies from 'currency-codes';
import fc from 'fast-check';
import { divideRounded, exchange, exchangeBack, isCurrency, minorUnits } from './money.js';

describe('currencies', () => {
  it('currencies are those of ISO 4217, in upper case', () => {
    expect(['EUR', 'JPY', 'KWD'].map(isCurrency)).toEqual([true, true, true]);
    expect(['eur', 'EU', 'EURO', 'ZZZ', '', 978].map(isCurrency)).toEqual([false, false, false, false, false, false]);
  });

  it('currencies are circulating ones: codes of metals, units of account, funds and tests are rejected', () => {
    const named = currencies.codes().filter((code) => currencies.code(code)?.countries.length === 0);
    const codes = [
      ...named,
      'XAU',
      'XAG',
      'XDR',
      'XSU',
      'XUA',
      'XTS',
      'XXX',
      'CHE',
      'CLF',
      'COU',
      'MXV',
      'USN',
      'UYI',
      'UYW',
    ];
    expect(codes.filter(isCurrency)).toEqual([]);
    expect(['XAF', 'XCD', 'XCG', 'XOF', 'XPF', 'CHF', 'CLP', 'USD'].filter(isCurrency)).toHaveLength(8);
  });

  it('currencies have the number of decimals of the standard', () => {
    expect([minorUnits('EUR'), minorUnits('JPY'), minorUnits('KWD'), minorUnits('XCG')]).toEqual([2, 0, 3, 2]);
    expect(() => minorUnits('ZZZ')).toThrow(RangeError);
  });
});

describe('rounding', () => {
  it.each([
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [4n, 3n, 1n],
    [-4n, 3n, -1n],
    [1n, -2n, -1n],
    [0n, 7n, 0n],
  ])('%s / %s is rounded to %s', (numerator, denominator, rounded) =>
    expect(divideRounded(numerator, denominator)).toBe(rounded),
  );

  it('rounding never changes a value by more than half a unit', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.bigInt(1n, 10n ** 6n), (numerator, denominator) => {
        const rest = 2n * (divideRounded(numerator, denominator) * denominator - numerator);
        return rest <= denominator && rest >= -denominator;
      }),
    );
  });
});

describe('an amount in another currency', () => {
  it.each([
    // The same number of decimals, fewer, more; halves away from zero; rounding happens once, at the end.
    [11_900, '1.0325', 'CHF', 'EUR', 12_287n],
    [10_001, '163.255', 'EUR', 'JPY', 16_327n],
    [10_001, '0.0061', 'JPY', 'EUR', 6_101n],
    [1_000, '0.337', 'EUR', 'KWD', 3_370n],
    [1, '0.5', 'EUR', 'USD', 1n],
    [1, '0.4999999999', 'EUR', 'USD', 0n],
    [0, '1.0325', 'CHF', 'EUR', 0n],
    [Number.MAX_SAFE_INTEGER, '9999999999.9999999999', 'JPY', 'KWD', 90071992547409909999099280075n],
  ] as const)('an amount of %i at the rate %s from %s to %s is %s', (...[cents, rate, from, to, expected]) =>
    expect(exchange(cents, { rate, from, to })).toBe(expected),
  );

  it.each([
    // Published as units of another currency for one euro: more decimals, fewer, halves away from zero.
    [100_000, '1.0870', 'EUR', 'USD', 91_996n],
    [16_327, '163.255', 'EUR', 'JPY', 10_001n],
    [3_370, '0.337', 'EUR', 'KWD', 1_000n],
    [1, '2', 'EUR', 'USD', 1n],
    [-1, '2', 'EUR', 'USD', -1n],
    [1, '2.0000000001', 'EUR', 'USD', 0n],
  ] as const)(
    'an amount of %i is divided by the rate %s from %s to %s to get %s',
    (...[cents, rate, from, to, expected]) => expect(exchangeBack(cents, { rate, from, to })).toBe(expected),
  );

  const cents = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const rate = fc
    .tuple(fc.bigInt(0n, 10n ** 10n - 1n), fc.bigInt(1n, 10n ** 10n - 1n))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(10, '0')}`);

  it('an amount in another currency is the same at a rate of one, also with trailing zeros', () => {
    fc.assert(
      fc.property(cents, (amount) => exchange(amount, { rate: '1.000', from: 'EUR', to: 'USD' }) === BigInt(amount)),
    );
  });

  it('an amount in another currency never decreases when the amount grows', () => {
    fc.assert(
      fc.property(cents, cents, rate, (a, b, oneRate) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((amount) =>
          exchange(amount, { rate: oneRate, from: 'EUR', to: 'JPY' }),
        );
        return less !== undefined && more !== undefined && less <= more;
      }),
    );
  });
});
