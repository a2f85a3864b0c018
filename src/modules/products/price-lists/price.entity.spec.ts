import { describe, expect, it } from '@jest/globals';
import { findOverlap, type PriceTerms } from './price.entity.js';

const price = (terms: Partial<PriceTerms> = {}): PriceTerms => ({
  ...{ productId: 'boat', optionId: null, unitId: 'adult', from: null, to: null, weekday: null, amountCents: 100 },
  ...terms,
});
const SUMMER = { from: '2027-06-01', to: '2027-08-31' };

describe('overlapping prices', () => {
  it.each<[string, PriceTerms[], [number, number] | null]>([
    ['no prices', [], null],
    ['two prices of all days', [price(), price()], [0, 1]],
    ['seasons that meet at midnight', [price({ from: '2027-09-01' }), price(SUMMER)], null],
    ['seasons with one common day', [price({ from: '2027-08-31' }), price(SUMMER)], [0, 1]],
    ['seasons with a gap', [price(SUMMER), price({ from: '2028-06-01', to: '2028-08-31' })], null],
    ['a season within all days', [price(SUMMER), price({ unitId: 'child' }), price()], [0, 2]],
    ['an open end and an open start', [price({ to: '2027-05-31' }), price({ from: '2027-05-31' })], [0, 1]],
    [
      'another unit, option, weekday or product',
      [
        ...[price(), price({ unitId: 'child' }), price({ optionId: 'private' }), price({ weekday: 6 })],
        price({ productId: 'bus' }),
      ],
      null,
    ],
    [
      'the same option and weekday',
      [price({ optionId: 'a', weekday: 7 }), price({ optionId: 'a', weekday: 7 })],
      [0, 1],
    ],
  ])('%s', (_title, prices, expected) => {
    expect(findOverlap(prices)).toEqual(expected);
  });
});
