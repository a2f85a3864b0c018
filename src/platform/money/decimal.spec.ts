import { describe, expect, it } from '@jest/globals';
import { parseDecimal } from './money.js';

describe('a decimal text', () => {
  it.each([
    ['0.925', 925n, 3],
    ['12', 12n, 0],
    ['1.10', 110n, 2],
    ['0.0000000001', 1n, 10],
    ['9007199254740993.5', 90071992547409935n, 1],
  ])('the decimal text %s is parsed without loss', (text, digits, scale) =>
    expect(parseDecimal(text)).toEqual({ digits, scale }),
  );

  it.each(['', '.5', '5.', '-1', '+1', '1e3', '1,5', ' 1', 'NaN', '0x1', '１'])('%j is not a decimal text', (text) =>
    expect(() => parseDecimal(text)).toThrow(RangeError),
  );
});
