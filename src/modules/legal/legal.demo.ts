import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { REFERENCE } from './contracts/contract-id.js';
import { ContractsService } from './contracts/contracts.service.js';
import type { CreatePolicy } from './policies/policy.dto.js';
import { PoliciesService } from './policies/policies.service.js';
import type { CreatePolicyAssignment } from './policy-assignments/policy-assignment.dto.js';
import { PolicyAssignmentsService } from './policy-assignments/policy-assignments.service.js';
import type { CreatePolicyVersion } from './policy-versions/policy-version.dto.js';
import { PolicyVersionsService } from './policy-versions/policy-versions.service.js';

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

/** With the number of the policy. */
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

type Stage = 'draft' | 'issued' | 'sent' | 'void';

const CONTRACTS: readonly (readonly [title: string, stage: Stage])[] = [
  ['Travel contract Danube cruise 2027', 'draft'],
  ['Travel contract city tour Bucharest', 'issued'],
  ['Travel contract Dolomites 2027', 'sent'],
  ['Travel contract Lisbon weekend, to be changed', 'draft'],
  ['Travel contract Azores, to be issued', 'draft'],
  ['Travel contract Crete, to be dispatched', 'issued'],
  ['Travel contract Tallinn, to be declared void', 'issued'],
  ['Travel contract Malta, called off', 'void'],
  ['Travel contract Porto, to be withdrawn', 'issued'],
];

/** The contract that customers may read. */
const SENT = 3;

const RECIPIENT = { recipientName: 'Clara Ionescu', recipientEmail: 'clara.ionescu@example.com' };

/** The policies and contracts that the examples of the API document name. */
@Injectable()
export class LegalDemo {
  constructor(
    private readonly policies: PoliciesService,
    private readonly versions: PolicyVersionsService,
    private readonly assignments: PolicyAssignmentsService,
    private readonly contracts: ContractsService,
  ) {}

  /**
   * Policy 1 is read and applies everywhere; of 2, version 2 is changed and 3 published; of 3, version 4 is retired.
   * Assignment 1 is read, 2 changed, 3 removed, and 4 is locked.
   */
  @DemoData(440, 'policies')
  async loadPolicies(): Promise<void> {
    for (const [index, policy] of POLICIES.entries()) await this.policies.create(policy, demoId('pol', index + 1));
    for (const [index, { policy, becomes, ...version }] of VERSIONS.entries()) {
      const [policyId, versionId] = [demoId('pol', policy), demoId('polv', index + 1)];
      await this.versions.create(policyId, version, versionId);
      if (becomes === 'published') await this.versions.publish({ policyId, versionId }, null);
    }
    for (const [index, { policy, ...assignment }] of ASSIGNMENTS.entries()) {
      await this.assignments.create({ ...assignment, policyId: demoId('pol', policy) }, demoId('pasn', index + 1));
    }
  }

  /** 1 is a draft, 2 issued, 3 sent, 4 is changed, 5 issued, 6 dispatched, 7 voided, 9 withdrawn; 8 is void. */
  @DemoData(500, 'contracts')
  async loadContracts(): Promise<void> {
    for (const [index, [title, stage]] of CONTRACTS.entries()) {
      const id = demoId(REFERENCE, index + 1);
      const body = `<h1>${title}</h1><p>The organizer provides the services listed in the confirmation.</p>`;
      await this.contracts.create({ title, body, ...RECIPIENT, metadata: { source: 'demo' } }, id);
      if (stage !== 'draft') await this.contracts.issue(id, null);
      if (stage === 'sent') await this.contracts.dispatch(id, {}, null);
      if (stage === 'void') await this.contracts.void(id, 'Called off by the customer', null);
    }
  }

  /** The public id of the contract that was sent, for the credentials file; null without demo data. */
  async publicContractId(): Promise<string | null> {
    return (await this.contracts.find(demoId(REFERENCE, SENT)))?.publicId ?? null;
  }
}
