import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../platform/errors/app-error.js';
import { parseFilters } from './search-filters.js';

function pathsOf(filters: unknown[]): string[] {
  try {
    parseFilters('products', filters);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([error.status, error.code]).toEqual([400, 'invalid_request']);
    return (error.details?.['issues'] as { path: string }[]).map(({ path }) => path);
  }
}

describe('the filters of a search', () => {
  it('the filters of a search may be none', () => expect(pathsOf([])).toEqual([]));

  it.each<[string, unknown[], string]>([
    ['a text for a number', [{ kind: 'eq', field: 'stars', value: '4' }], 'filters.0.value'],
    [
      'an unknown field in a clause',
      [{ kind: 'and', clauses: [{ stars: 1 }, { kind: 'eq', field: 'x', value: 1 }] }],
      'filters.0.clauses.1.field',
    ],
    ['an unknown kind', [{ kind: 'near' }], 'filters.0.kind'],
    ['NUL in a value', [{ kind: 'eq', field: 'countries', value: 'Gr\0eece' }], 'filters.0.value'],
    ['a lone surrogate in a list', [{ country: ['Italy', '\ud800'] }], 'filters.0.country.1'],
    ['a range of texts', [{ kind: 'range', field: 'countries', gte: 1 }], 'filters.0'],
    ['a range without a bound', [{ kind: 'range', field: 'stars' }], 'filters.0'],
    ['an unknown bound', [{ stars: { from: 1 } }], 'filters.0.stars.from'],
    ['a text in place of an object', ['x'], 'filters.0'],
    ['251 values', [{ countries: Array.from({ length: 251 }, String) }], 'filters.0.countries'],
    ['101 filters', Array.from({ length: 101 }, () => ({ stars: 1 })), 'filters'],
    [
      'six levels',
      [[1, 2, 3, 4, 5].reduce<object>((clause) => ({ kind: 'not', clause }), { stars: 1 })],
      'filters.0.clause.clause.clause.clause.clause',
    ],
    ['a latitude beyond the pole', [{ kind: 'geo', lat: 91, lng: 0, radiusKm: 1 }], 'filters.0.lat'],
  ])('the filters of a search are rejected for %s', (_, filters, path) => expect(pathsOf(filters)).toEqual([path]));
});
