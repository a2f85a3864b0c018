import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreatePolicyVersion, UpdatePolicyVersion } from './policy-version.dto.js';

describe.each([
  ['a new policy version', CreatePolicyVersion, { title: 'Terms', body: 'Text' }],
  ['a change of a policy version', UpdatePolicyVersion, { title: 'Changed' }],
])('the body of a policy version: %s', (_, type, body) => {
  it('a policy version is valid without rules', async () => expect(await issuesOf(type, body)).toEqual([]));

  it.each([
    ['an unknown type', { type: 'bonus' }, 'type', 'unknown_value'],
    ['more than the whole', { type: 'percentage', refundBasisPoints: 10_001 }, 'refundBasisPoints', 'too_large'],
    ['days after departure', { type: 'window', daysBeforeDeparture: -1 }, 'daysBeforeDeparture', 'too_small'],
    ['an unknown member', { type: 'percentage', refund: 1 }, 'refund', 'unknown_member'],
  ])('a policy version is rejected for a rule with %s', async (...[, rule, member, code]) => {
    expect(await issuesOf(type, { ...body, rules: [rule] })).toEqual([issue(`rules.0.${member}`, code)]);
  });
});
