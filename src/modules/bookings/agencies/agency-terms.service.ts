import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { CustomersService } from '../../customers/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { completePolicy } from '../payment-policies/payment-policy.js';
import type { ReplaceAgencyTerms } from './agency-terms.dto.js';
import { type AgencyConditions, AgencyTerms, NO_CONDITIONS } from './agency-terms.entity.js';

/** The terms of agencies. They are locked after bookings and departures. */
@Injectable()
export class AgencyTermsService {
  private readonly rows: Rows<AgencyTerms>;

  constructor(
    private readonly database: Database,
    private readonly customers: CustomersService,
    private readonly channels: ChannelsService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(AgencyTerms);
  }

  /** Returns null for a customer without terms. Throws 404 for an unknown customer. */
  async get(customerId: string): Promise<AgencyTerms | null> {
    await this.customers.get(customerId);
    return this.find(customerId);
  }

  async find(customerId: string): Promise<AgencyTerms | null> {
    return this.rows.findBy({ id: customerId });
  }

  /** The channel that a new booking of the customer takes unless it names another. */
  async channelOf(customerId: string | null): Promise<string | null> {
    const terms = customerId === null ? null : await this.find(customerId);
    return terms?.channelId ?? null;
  }

  /** Until the transaction ends, no other sale to the customer counts its balance. */
  async lock(customerId: string): Promise<AgencyTerms | null> {
    return this.rows.findAndLock(customerId);
  }

  async replace(customerId: string, body: ReplaceAgencyTerms, expected: ExpectedVersions): Promise<AgencyTerms> {
    const conditions = conditionsOf(body);
    if (!isDeepStrictEqual(conditions, NO_CONDITIONS) && !(await this.isCompany(customerId))) {
      throw unprocessable('customer_not_company', 'Only a company can be an agency', { field: 'customerId' });
    }
    return this.database.transaction(async () => {
      await this.customers.lockLive(customerId);
      if (conditions.channelId !== null) await this.channels.lockUsable(conditions.channelId);
      const now = this.clock.now();
      await this.rows.insertUnlessTaken(make(AgencyTerms, { id: customerId, ...NO_CONDITIONS, createdAt: now }));
      const terms = await this.rows.lock(customerId);
      assertVersion(expected, terms);
      const before = terms.auditImage();
      terms.replace(conditions, now);
      await this.rows.update(terms);
      this.ledger.record('bookings.agency_terms.replace', {
        subjectType: 'customer',
        subjectId: customerId,
        before,
        after: terms.auditImage(),
      });
      return terms;
    });
  }

  /**
   * Gives a company without terms those of the first duplicate that has some. Returns the duplicate; null without one. A person
   * gets none: only companies are agencies.
   */
  async moveToCustomer(customerId: string, duplicateIds: readonly string[]): Promise<string | null> {
    if (!(await this.isCompany(customerId))) return null;
    const [moved] = await this.database.query<{ id: string }>(
      `update agency_terms terms set id = $1, version = terms.version + 1
       from (
         select id from agency_terms where id = any($2)
           and not exists (select from agency_terms own where own.id = $1)
         order by array_position($2, id) limit 1 for update
       ) former
       where terms.id = former.id returning former.id`,
      [customerId, duplicateIds],
    );
    return moved?.id ?? null;
  }

  async moveBack(customerId: string, formerId: string): Promise<void> {
    await this.database.execute(
      `update agency_terms terms set id = $2, version = terms.version + 1
       where id = $1 and not exists (select from agency_terms own where own.id = $2)`,
      [customerId, formerId],
    );
  }

  private async isCompany(customerId: string): Promise<boolean> {
    return (await this.customers.get(customerId)).kind === 'company';
  }
}

function conditionsOf(body: ReplaceAgencyTerms): AgencyConditions {
  const { channelId = null, paymentPolicy, creditLimitCents = null, creditCurrency = null } = body;
  if ((creditLimitCents === null) !== (creditCurrency === null)) {
    const missing = creditCurrency === null ? 'creditCurrency' : 'creditLimitCents';
    throw invalidField(missing, 'creditLimitCents and creditCurrency are sent together', 'required');
  }
  const policy = paymentPolicy ? completePolicy(paymentPolicy, 'paymentPolicy') : null;
  return { channelId, paymentPolicy: policy, creditLimitCents, creditCurrency };
}
