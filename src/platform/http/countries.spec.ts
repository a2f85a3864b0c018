import { describe, expect, it } from '@jest/globals';
import { isCountry } from './countries.js';

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

describe('a country code', () => {
  it('a country code is one of the 249 that ISO 3166-1 assigns', () => {
    expect(PAIRS.filter(isCountry)).toHaveLength(249);
  });
  it.each(['RO', 'DE', 'GB', 'AX', 'BQ', 'SS', 'CW', 'TL'])('a country code may be %s', (code) =>
    expect(isCountry(code)).toBe(true),
  );
  it.each(['UK', 'EU', 'XK', 'AN', 'SU', 'YU', 'ZZ', 'XX', 'ro', 'ROU', '', 40, null])(
    'a country code must not be %s',
    (code) => expect(isCountry(code)).toBe(false),
  );
});
