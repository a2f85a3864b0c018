import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateFacility, ListFacilities, UpdateFacility } from './facility.dto.js';

describe('a new facility', () => {
  it.each([
    { path: 'name', terms: { name: ' ' }, code: 'too_short' },
    { path: 'kind', terms: { kind: 'castle' }, code: 'unknown_value' },
    { path: 'status', terms: { status: 'archived' }, code: 'unknown_value' },
    { path: 'timeZone', terms: { timeZone: 'Europe/Atlantis' }, code: 'wrong_format' },
    { path: 'address.country', terms: { address: { country: 'UK' } }, code: 'wrong_format' },
    { path: 'address.street', terms: { address: { street: 'Quay' } }, code: 'unknown_member' },
    { path: 'latitude', terms: { latitude: 90.0001 }, code: 'too_large' },
    { path: 'longitude', terms: { longitude: -180.0001 }, code: 'too_small' },
    { path: 'tags', terms: { tags: Array.from({ length: 51 }, (_, n) => `tag ${n}`) }, code: 'too_many' },
    { path: 'tags', terms: { tags: ['a', 'a'] }, code: 'duplicate' },
  ])('a new facility rejects an invalid $path with the code $code', async ({ path, terms, code }) => {
    expect(await issuesOf(CreateFacility, { name: 'Harbour', ...terms })).toEqual([issue(path, code)]);
  });
});

describe('a change of a facility', () => {
  it.each([{ name: null }, { kind: null }, { status: null }, { status: 'archived' }])(
    'a change of a facility rejects %j',
    async (changes) => {
      expect(await invalidMembers(UpdateFacility, changes)).toEqual(Object.keys(changes));
    },
  );
});

describe('a query for facilities', () => {
  it.each([
    ['kind=castle', 'kind'],
    ['country=uk', 'country'],
    ['status=gone', 'status'],
    ['search=', 'search'],
  ])('a query for facilities rejects %s at %s', async (query, path) => {
    expect(await invalidMembers(ListFacilities, query)).toEqual([path]);
  });
});
