import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { CreatePolicy, ListPolicies, UpdatePolicy } from './policy.dto.js';

it('a new policy requires a known kind and a name of at most 255 characters', async () => {
  expect(await invalidMembers(CreatePolicy, { kind: 'terms', name: 'x'.repeat(256) })).toEqual(['kind', 'name']);
});

describe('a change of a policy', () => {
  it.each([
    [{ kind: 'refund' }, 'kind'],
    [{ slug: 'Upper-Case' }, 'slug'],
    [{ slug: 'two--hyphens' }, 'slug'],
    [{ slug: null }, 'slug'],
    [{ name: ' ' }, 'name'],
    [{ language: 'x' }, 'language'],
    [{ currentVersionId: null }, 'currentVersionId'],
    [{}, ''],
  ])('a change of a policy rejects %j at "%s"', async (changes, path) => {
    expect(await invalidMembers(UpdatePolicy, changes)).toEqual([path]);
  });
});

it('a query for policies rejects an unknown kind', async () => {
  expect(await invalidMembers(ListPolicies, 'kind=terms')).toEqual(['kind']);
});
