import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { ListGroundOperators, UpdateGroundOperator } from './ground-operator.dto.js';

describe('a change of a ground operator', () => {
  it.each([
    [{ name: null }, 'name'],
    [{ active: null }, 'active'],
    [{ insuranceExpiresOn: '2027-02-29' }, 'insuranceExpiresOn'],
    [{ contactEmail: 'x' }, 'contactEmail'],
    [{ id: 'a' }, 'id'],
    [{}, ''],
  ])('a change of a ground operator rejects %j at "%s"', async (changes, path) => {
    expect(await invalidMembers(UpdateGroundOperator, changes)).toEqual([path]);
  });
});

describe('a query for ground operators', () => {
  it.each([
    ['limit=1.5', 'limit'],
    ['active=yes', 'active'],
    ['search=', 'search'],
    ['sort=colour', 'sort'],
    ['limit=1&limit=2', 'limit'],
  ])('a query for ground operators rejects %s at %s', async (query, path) => {
    expect(await invalidMembers(ListGroundOperators, query)).toEqual([path]);
  });
});
