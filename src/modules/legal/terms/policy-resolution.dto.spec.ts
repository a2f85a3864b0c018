import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { ResolvePolicy } from './policy-resolution.dto.js';

describe('a query for the policy that applies', () => {
  it.each([
    ['kind=refund&productId=', 'productId'],
    ['kind=refund&productId=a&productId=b', 'productId'],
    ['kind=x', 'kind'],
    ['', 'kind'],
    ['kind=refund&at=2027-02-30', 'at'],
  ])('a query for the policy that applies rejects "%s" at %s', async (query, path) => {
    expect(await invalidMembers(ResolvePolicy, query)).toEqual([path]);
  });
});
