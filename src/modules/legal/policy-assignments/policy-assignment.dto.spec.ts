import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { UpdatePolicyAssignment } from './policy-assignment.dto.js';

describe('a change of a policy assignment', () => {
  it.each([
    [{ scope: 'global' }, 'scope'],
    [{ targetId: 'x' }, 'targetId'],
    [{ policyId: 'pol_01k0dem000e000000000000001' }, 'policyId'],
    [{ locked: true }, 'locked'],
    [{ priority: null }, 'priority'],
    [{}, ''],
  ])('a change of a policy assignment rejects %j at "%s"', async (changes, path) => {
    expect(await invalidMembers(UpdatePolicyAssignment, changes)).toEqual([path]);
  });
});
