import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { divideRounded, isCurrency, minorUnits } from './money.js';

describe('currencies', () => {
  it('are those of ISO 4217, in upper case', () => {
    expect(['EUR', 'JPY', 'KWD'].map(isCurrency)).toEqual([true, true, true]);
    expect(['eur', 'EU', 'EURO', 'ZZZ', '', 978].map(isCurrency)).toEqual([false, false, false, false, false, false]);
  });

  it('have as many decimals as the standard says', () => {
    expect([minorUnits('EUR'), minorUnits('JPY'), minorUnits('KWD')]).toEqual([2, 0, 3]);
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
  ])('%s / %s is %s', (numerator, denominator, rounded) => expect(divideRounded(numerator, denominator)).toBe(rounded));

  it('is never further than half a unit from the exact value', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.bigInt(1n, 10n ** 6n), (numerator, denominator) => {
        const rest = 2n * (divideRounded(numerator, denominator) * denominator - numerator);
        return rest <= denominator && rest >= -denominator;
      }),
    );
  });
});
