import { describe, expect, it } from '@jest/globals';
import { issuesOfFields } from './document-fields.js';

describe('the fields of a document', () => {
  it('the fields of a document consist at least of a name', () =>
    expect(issuesOfFields('products', { name: 'x' }, 'fields')).toEqual([]));

  it.each([
    ['fields.name', 'required', {}],
    ['fields.name', 'wrong_length', { name: ' ' }],
    ['fields.name', 'wrong_length', { name: '<p></p>' }],
    ['fields.name', 'wrong_length', { name: '<br>&nbsp;' }],
    ['fields.name', 'wrong_length', { name: 'x'.repeat(501) }],
    ['fields.stars', 'wrong_type', { name: 'x', stars: 'four' }],
    ['fields.tags', 'wrong_type', { name: 'x', tags: 'beach' }],
    ['fields.hasOffer', 'wrong_type', { name: 'x', hasOffer: 1 }],
    ['fields.priceFromAmountCents', 'wrong_type', { name: 'x', priceFromAmountCents: 1.5 }],
    ['fields.priceFromAmountCents', 'too_small', { name: 'x', priceFromAmountCents: -1 }],
    ['fields.priceFromCurrency', 'wrong_format', { name: 'x', priceFromCurrency: 'XXL' }],
    ['fields.startDate', 'wrong_format', { name: 'x', startDate: '2027-02-30' }],
    ['fields.publishedAt', 'wrong_format', { name: 'x', publishedAt: 'yesterday' }],
    ['fields.primaryMediaUrl', 'wrong_format', { name: 'x', primaryMediaUrl: 'javascript:alert(1)' }],
    ['fields.thumbnailUrl', 'wrong_format', { name: 'x', thumbnailUrl: 'data:text/html,x' }],
    ['fields.coverMediaUrl', 'wrong_format', { name: 'x', coverMediaUrl: 'java\tscript:alert(1)' }],
    ['fields.latitude', 'too_large', { name: 'x', latitude: 91 }],
    ['fields.status', 'unknown_value', { name: 'x', status: 'secret' }],
    ['fields.status', 'wrong_type', { name: 'x', status: null }],
    ['fields.description', 'too_long', { name: 'x', description: 'x'.repeat(20_001) }],
    ['fields.tags', 'too_many', { name: 'x', tags: Array.from({ length: 1_001 }, String) }],
    ['fields.cost', 'not_flat', { name: 'x', cost: { cents: 5 } }],
    ['fields.departures.0.startsAt', 'wrong_format', { name: 'x', departures: [{ endsAt: '2030-01-01T00:00:00Z' }] }],
    [
      'fields.departures.0.seats',
      'unknown_member',
      { name: 'x', departures: [{ startsAt: '2030-01-01T00:00:00Z', seats: 2 }] },
    ],
  ])('the fields of a document have an issue at %s with the code %s if that value is invalid', (path, code, fields) => {
    expect(issuesOfFields('products', fields, 'fields')).toEqual([{ path, code, message: expect.any(String) }]);
  });
});
