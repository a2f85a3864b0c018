import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { CatalogSearchRequest } from './search.dto.js';

describe('a search', () => {
  it.each<[string, object, string]>([
    ['251 values of a facet', { facets: [{ field: 'country', limit: 251 }] }, 'facets.0.limit'],
    ['a page of 251 results', { pagination: { limit: 251 } }, 'pagination.limit'],
    ['a page without results', { pagination: { limit: 0 } }, 'pagination.limit'],
    ['an unknown order', { sort: 'price' }, 'sort'],
    ['an unknown mode', { mode: 'fuzzy' }, 'mode'],
    ['an unknown member', { filter: [] }, 'filter'],
    ['an invalid language tag', { locale: 'no tag' }, 'locale'],
    ['a text of 2,049 characters', { query: 'x'.repeat(2_049) }, 'query'],
  ])('a search is rejected for %s', async (_, body, path) => {
    expect(await invalidMembers(CatalogSearchRequest, { vertical: 'products', ...body })).toEqual([path]);
  });
});
