import { demoId } from '../../platform/ids/id.js';
import type { CreatePolicy } from './policies/policy.dto.js';
import type { Policies } from './policies/policies.service.js';
import type { CreatePolicyAssignment } from './policy-assignments/policy-assignment.dto.js';
import type { PolicyAssignments } from './policy-assignments/policy-assignments.service.js';
import type { CreatePolicyVersion } from './policy-versions/policy-version.dto.js';
import type { PolicyVersions } from './policy-versions/policy-versions.service.js';
import type { Publications } from './policy-versions/publications.service.js';

interface Makers {
  policies: Policies;
  versions: PolicyVersions;
  publications: Publications;
  assignments: PolicyAssignments;
}

const POLICIES: readonly CreatePolicy[] = [
  { kind: 'cancellation', name: 'Standard cancellation' },
  { kind: 'cancellation', name: 'Cancellation of tours' },
  { kind: 'guarantee', name: 'Best price guarantee' },
  { kind: 'terms_and_conditions', name: 'General terms' },
  { kind: 'payment', name: 'Payment terms' },
];

const REFUNDS: CreatePolicyVersion['rules'] = [
  { type: 'percentage', daysBeforeDeparture: 30, refundBasisPoints: 10_000, refundType: 'cash' },
  { type: 'percentage', daysBeforeDeparture: 14, refundBasisPoints: 5_000, refundType: 'cash_or_credit' },
  { type: 'percentage', daysBeforeDeparture: 0, refundBasisPoints: 0, refundType: 'none' },
];

/** By policy; those that are named published are. */
const VERSIONS: readonly (CreatePolicyVersion & { policy: number; becomes?: 'published' })[] = [
  {
    policy: 1,
    title: 'Standard cancellation terms',
    body: '<p>Refunds: in full until 30 days before departure, half until 14 days before, nothing afterwards.</p>',
    rules: REFUNDS,
    becomes: 'published',
  },
  { policy: 2, title: 'Tours, to be changed', body: '<p>Tours are cancelled in writing.</p>', rules: REFUNDS },
  { policy: 2, title: 'Tours, to be published', body: '<p>Tours are cancelled in writing.</p>', rules: REFUNDS },
  { policy: 3, title: 'Guarantee, to be retired', body: '<p>The price is the best.</p>', becomes: 'published' },
  { policy: 4, title: 'General terms', body: '<p>The organizer provides what is booked.</p>', becomes: 'published' },
  { policy: 5, title: 'Payment terms', body: '<p>The rest is due before departure.</p>', becomes: 'published' },
];

const ASSIGNMENTS: readonly (Omit<CreatePolicyAssignment, 'policyId'> & { policy: number; locked?: boolean })[] = [
  { policy: 1, scope: 'global' },
  { policy: 2, scope: 'product', targetId: 'alpine-crossing', validFrom: '2027-01-01' },
  { policy: 3, scope: 'channel', targetId: demoId('chan', 2) },
  { policy: 4, scope: 'global', locked: true },
  { policy: 5, scope: 'global' },
];

/**
 * The policies that the API document's examples name. 1 is read and applies everywhere; of 2, version 2 is changed and 3
 * published; of 3, version 4 is retired. Of the assignments 1 is read, 2 changed, 3 removed, and 4 is locked.
 */
export async function loadDemoPolicies({ policies, versions, publications, assignments }: Makers): Promise<void> {
  for (const [index, policy] of POLICIES.entries()) await policies.create(policy, demoId('pol', index + 1));
  for (const [index, { policy, becomes, ...version }] of VERSIONS.entries()) {
    const [policyId, versionId] = [demoId('pol', policy), demoId('polv', index + 1)];
    await versions.create(policyId, version, versionId);
    if (becomes === 'published') await publications.publish({ policyId, versionId }, null);
  }
  for (const [index, { policy, ...assignment }] of ASSIGNMENTS.entries()) {
    await assignments.create({ ...assignment, policyId: demoId('pol', policy) }, demoId('pasn', index + 1));
  }
}
