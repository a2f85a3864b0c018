import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { make, type Rows } from '../../../../platform/database/rows.js';
import { checkedAs } from '../../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { ActionLedger, Undoes, versionAfter } from '../../../action-ledger/index.js';
import { completePolicy, PaymentPolicyBody } from '../../../bookings/index.js';
import { OrganizationPolicy } from './payment-policy.entity.js';

const ID = 'organization';

/** Manages the payment policy of the organization, which applies to bookings without their own. */
@Injectable()
export class PaymentPoliciesService {
  private readonly rows: Rows<OrganizationPolicy>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(OrganizationPolicy);
  }

  async get(): Promise<OrganizationPolicy> {
    return this.rows.get(ID);
  }

  async find(): Promise<OrganizationPolicy | null> {
    return this.rows.find(ID);
  }

  /** Replaces the whole policy. Existing plans do not change. */
  @Undoes('finance.payment_policy.replace', {
    effect: 'finance.payment_policy.replace',
    values: async (entry) => [await checkedAs(PaymentPolicyBody, entry.before), versionAfter(entry)] as const,
  })
  async replace(input: PaymentPolicyBody, expected: ExpectedVersions): Promise<OrganizationPolicy> {
    const { steps, ...terms } = completePolicy(input, '');
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const created = make(OrganizationPolicy, { id: ID, steps: [...steps], ...terms, createdAt: now });
      // If two first calls are concurrent, the second waits here and then replaces the row of the first one.
      if (expected === null && (await this.rows.insertUnlessTaken(created))) {
        this.recordReplacement(created, null);
        return created;
      }
      const policy = await this.rows.lock(ID);
      assertVersion(expected, policy);
      const before = policy.auditImage();
      policy.replace({ steps, ...terms }, now);
      await this.rows.update(policy);
      this.recordReplacement(policy, before);
      return policy;
    });
  }

  private recordReplacement(policy: OrganizationPolicy, before: object | null): void {
    this.ledger.record('finance.payment_policy.replace', {
      subjectType: 'payment_policy',
      subjectId: policy.id,
      before,
      after: policy.auditImage(),
    });
    this.outbox.add({
      channel: 'finance.payment-policy',
      event: 'payment_policy.replaced',
      data: { version: policy.version },
    });
  }
}
