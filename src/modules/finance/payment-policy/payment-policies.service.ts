import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { completePolicy, type PaymentPolicyBody } from '../../bookings/index.js';
import { toOrganizationPolicy } from './payment-policy.dto.js';
import { OrganizationPolicy } from './payment-policy.entity.js';

const ID = 'organization';

/** The organization's own policy, which bookings without one follow. */
@Injectable()
export class PaymentPolicies {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 where nobody configured one. */
  async get(): Promise<OrganizationPolicy> {
    const policy = await this.find();
    if (!policy) throw notFound();
    return policy;
  }

  async find(): Promise<OrganizationPolicy | null> {
    return this.database.repository(OrganizationPolicy).findOneBy({ id: ID });
  }

  /** Replaces the policy as a whole. Throws 400, 412, 422 `invalid_payment_policy`. Plans that exist stay as they are. */
  async replace(input: PaymentPolicyBody, expected: ExpectedVersions): Promise<OrganizationPolicy> {
    const { steps, ...terms } = completePolicy(input, '');
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const fresh = make(OrganizationPolicy, {
        ...{ id: ID, steps: [...steps], ...terms },
        ...{ version: 1, createdAt: now, updatedAt: now },
      });
      // Whoever comes second finds the row of the first, also where both found none.
      const added = expected === null && (await this.database.insertUnlessTaken(fresh));
      const policy = added ? fresh : await this.lock();
      const before = added ? null : toOrganizationPolicy(policy);
      if (!added) {
        assertVersion(expected, policy);
        Object.assign(policy, { steps: [...steps], ...terms, updatedAt: now });
        await this.database.update(policy);
      }
      this.tell(policy, before);
      return policy;
    });
  }

  private async lock(): Promise<OrganizationPolicy> {
    const lock = { mode: 'pessimistic_write' } as const;
    const policy = await this.database.repository(OrganizationPolicy).findOne({ where: { id: ID }, lock });
    if (!policy) throw notFound();
    return policy;
  }

  private tell(policy: OrganizationPolicy, before: object | null): void {
    const subject = { subjectType: 'payment_policy', subjectId: policy.id };
    this.ledger.record('finance.payment_policy.replace', { ...subject, before, after: toOrganizationPolicy(policy) });
    this.outbox.add({
      channel: 'finance.payment-policy',
      event: 'payment_policy.replaced',
      data: { version: policy.version },
    });
  }
}
