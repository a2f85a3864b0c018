import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
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

/** Contains the number of the policy. */
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

/** First day of the cancellation policy of tours. */
const TOURS_FROM_DAYS = 30;

const assignments = (
  toursFrom: string,
): readonly (Omit<CreatePolicyAssignment, 'policyId'> & { policy: number; locked?: boolean })[] => [
  { policy: 1, scope: 'global' },
  { policy: 2, scope: 'product', targetId: demoId('prod', 2), validFrom: toursFrom },
  { policy: 3, scope: 'channel', targetId: demoId('chan', 2) },
  { policy: 4, scope: 'global', locked: true },
  { policy: 5, scope: 'global' },
];

type Stage = 'draft' | 'issued' | 'sent' | 'void';

/** Contains the number of the booking. */
const CONTRACTS: readonly (readonly [tour: string, customer: string, booking: number, stage: Stage])[] = [
  ['Lake Constance cruise', 'Alan Turing', 3, 'draft'],
  ['Lake Constance cruise', 'Edsger Dijkstra', 4, 'issued'],
  ['Alpine crossing', 'Ada Lovelace', 1, 'sent'],
  ['Vienna museums and music', 'Barbara Liskov', 5, 'draft'],
  ['Transylvania round trip', 'Sophie Germain', 10, 'draft'],
  ['Transylvania round trip', 'Carl Gauss', 11, 'issued'],
  ['Transylvania round trip', 'Maria Agnesi', 12, 'issued'],
  ['Danube Delta by boat', 'Kurt Gödel', 8, 'void'],
  ['Transylvania round trip', 'Leonhard Euler', 13, 'issued'],
];

/** Customers may read this contract. */
const SENT = 3;

/** Makes "ada@example.com" of "Ada Lovelace", as in the bookings. */
function addressOf(customer: string): string {
  const [first = ''] = customer.split(' ');
  return `${first.toLowerCase()}@example.com`;
}

/** Creates the policies and contracts named in the examples of the API document. */
@Injectable()
export class LegalDemo {
  constructor(
    private readonly policies: PoliciesService,
    private readonly versions: PolicyVersionsService,
    private readonly assignments: PolicyAssignmentsService,
    private readonly contracts: ContractsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The examples read policy 1, which applies everywhere. They change version 2 and publish version 3 of policy 2, and retire
   * version 4 of policy 3. They read assignment 1, change 2 and remove 3; assignment 4 is locked.
   */
  @DemoData(440, 'policies')
  async loadPolicies(): Promise<void> {
    const toursFrom = new Date(Date.parse(this.clock.today()) + TOURS_FROM_DAYS * 86_400_000)
      .toISOString()
      .slice(0, 10);
    for (const [index, policy] of POLICIES.entries()) await this.policies.create(policy, demoId('pol', index + 1));
    for (const [index, { policy, becomes, ...version }] of VERSIONS.entries()) {
      const [policyId, versionId] = [demoId('pol', policy), demoId('polv', index + 1)];
      await this.versions.create(policyId, version, versionId);
      if (becomes === 'published') await this.versions.publish({ policyId, versionId }, null);
    }
    for (const [index, { policy, ...assignment }] of assignments(toursFrom).entries()) {
      await this.assignments.create({ ...assignment, policyId: demoId('pol', policy) }, demoId('pasn', index + 1));
    }
  }

  /**
   * Contract 1 is a draft, 2 is issued, 3 is sent and 8 is void. The examples change 4, issue 5, send 6, void 7 and withdraw 9.
   */
  @DemoData(500, 'contracts')
  async loadContracts(): Promise<void> {
    for (const [index, [tour, customer, booking, stage]] of CONTRACTS.entries()) {
      const id = demoId(REFERENCE, index + 1);
      const title = `Travel contract ${tour}`;
      const parties = {
        bookingId: demoId('book', booking),
        recipientName: customer,
        recipientEmail: addressOf(customer),
      };
      const body = `<h1>${title}</h1><p>The organizer provides the services listed in the confirmation.</p>`;
      await this.contracts.create({ title, body, ...parties, metadata: { source: 'demo' } }, id);
      if (stage !== 'draft') await this.contracts.issue(id, null);
      if (stage === 'sent') await this.contracts.dispatch(id, {}, null);
      if (stage === 'void') await this.contracts.void(id, 'Called off by the customer', null);
    }
  }

  /** Returns the public id of the sent contract for the credentials file; null without demo data. */
  async publicContractId(): Promise<string | null> {
    return (await this.contracts.find(demoId(REFERENCE, SENT)))?.publicId ?? null;
  }
}
