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
    ['no field', [{ kind: 'and', clauses: [{ stars: 1 }, { kind: 'eq', value: 1 }] }], 'filters.0.clauses.1.field'],
    ['251 values of an unknown field', [{ x: Array.from({ length: 251 }, String) }], 'filters.0.x'],
    ['21 ranges', Array.from({ length: 21 }, () => ({ stars: { gte: 1 } })), 'filters'],
    [
      '21 ranges and areas',
      [
        { kind: 'or', clauses: Array.from({ length: 20 }, () => ({ kind: 'geo', lat: 0, lng: 0, radiusKm: 1 })) },
        { kind: 'range', field: 'x', gte: 1 },
      ],
      'filters',
    ],
    ['101 unknown fields', [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x${n}`, n]))], 'filters'],
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

  it('the filters of a search on unknown and hidden fields match no document, whatever their values, and are named in warnings', () => {
    const of = (field: string) => [
      { kind: 'eq', field, value: null },
      { kind: 'in', field, values: [1, 'x', {}] },
      { kind: 'range', field, gte: true },
      { kind: 'exists', field },
      { kind: 'not', clause: { kind: 'eq', field, value: 'x' } },
      { kind: 'or', clauses: [{ stars: 1 }, { [field]: ['a'] }] },
      { [field]: { nested: { deep: 1 } } },
    ];
    const none = { kind: 'or', clauses: [] };
    const stars = { kind: 'values', field: 'stars', values: [1] };
    const unknown = parseFilters('products', of('unheard'));
    const hidden = parseFilters('products', of('status'));
    expect(unknown.filters).toEqual([
      ...[none, none, none, none],
      { kind: 'not', clause: none },
      { kind: 'or', clauses: [stars, none] },
      none,
    ]);
    const paths = ['0.field', '1.field', '2.field', '3.field', '4.clause.field', '5.clauses.1.unheard', '6.unheard'];
    expect(unknown.warnings).toEqual(paths.map((path) => ({ path: `filters.${path}`, code: 'unknown_filter' })));
    expect(hidden).toEqual(JSON.parse(JSON.stringify(unknown).replaceAll('unheard', 'status')));
    expect(parseFilters('products', [{ ['x'.repeat(5_000)]: 1 }]).warnings[0]?.path).toHaveLength(200);
  });
});
