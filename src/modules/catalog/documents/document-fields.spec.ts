import { describe, expect, it } from '@jest/globals';
import { issuesOfFields } from './document-fields.js';

describe('the fields of a document', () => {
  it('the fields of a document consist at least of a name', () =>
    expect(issuesOfFields('products', { name: 'x' }, 'fields')).toEqual([]));

  it.each([
    ['fields.name', 'isString', {}],
    ['fields.name', 'length', { name: ' ' }],
    ['fields.name', 'length', { name: '<p></p>' }],
    ['fields.name', 'length', { name: '<br>&nbsp;' }],
    ['fields.name', 'length', { name: 'x'.repeat(501) }],
    ['fields.stars', 'isNumber', { name: 'x', stars: 'four' }],
    ['fields.tags', 'isArray', { name: 'x', tags: 'beach' }],
    ['fields.hasOffer', 'isBoolean', { name: 'x', hasOffer: 1 }],
    ['fields.priceFromAmountCents', 'isInt', { name: 'x', priceFromAmountCents: 1.5 }],
    ['fields.priceFromAmountCents', 'min', { name: 'x', priceFromAmountCents: -1 }],
    ['fields.priceFromCurrency', 'isCurrency', { name: 'x', priceFromCurrency: 'XXL' }],
    ['fields.startDate', 'isDate', { name: 'x', startDate: '2027-02-30' }],
    ['fields.publishedAt', 'isInstant', { name: 'x', publishedAt: 'yesterday' }],
    ['fields.primaryMediaUrl', 'isUrl', { name: 'x', primaryMediaUrl: 'javascript:alert(1)' }],
    ['fields.thumbnailUrl', 'isUrl', { name: 'x', thumbnailUrl: 'data:text/html,x' }],
    ['fields.coverMediaUrl', 'isUrl', { name: 'x', coverMediaUrl: 'java\tscript:alert(1)' }],
    ['fields.latitude', 'max', { name: 'x', latitude: 91 }],
    ['fields.status', 'isIn', { name: 'x', status: 'secret' }],
    ['fields.status', 'isString', { name: 'x', status: null }],
    ['fields.description', 'maxLength', { name: 'x', description: 'x'.repeat(20_001) }],
    ['fields.tags', 'arrayMaxSize', { name: 'x', tags: Array.from({ length: 1_001 }, String) }],
    ['fields.cost', 'isFlat', { name: 'x', cost: { cents: 5 } }],
    ['fields.departures.0.startsAt', 'isInstant', { name: 'x', departures: [{ endsAt: '2030-01-01T00:00:00Z' }] }],
    [
      'fields.departures.0.seats',
      'whitelistValidation',
      { name: 'x', departures: [{ startsAt: '2030-01-01T00:00:00Z', seats: 2 }] },
    ],
  ])('the fields of a document have an issue at %s with the code %s if that value is invalid', (path, code, fields) => {
    expect(issuesOfFields('products', fields, 'fields')).toEqual([{ path, code, message: expect.any(String) }]);
  });
});
