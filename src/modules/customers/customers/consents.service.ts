import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { CustomerListener } from './customer-listener.js';
import { Customer } from './customer.entity.js';
import type { CreateConsent, ListConsents, ListedConsent } from './consent.dto.js';
import { Consent, type ConsentPurpose } from './consent.entity.js';

/**
 * The consents `consent` of a customer, whose id is the expression, and of the duplicates that are merged into it. A withdrawal
 * that a merge carried over counts only while its customers are merged.
 */
const ofCustomer = (id: string): string => {
  const isMember = (column: string) =>
    `(${column} = ${id} or ${column} in (select id from customers where merged_into_id = ${id}))`;
  return `${isMember('consent.customer_id')}
    and (consent.carried_from_id is null or ${isMember('consent.carried_from_id')})`;
};

/** For each of these customers and each purpose, whether the newest consent is a grant. */
const CURRENT = `
  select distinct on (customer.id, consent.purpose) customer.id as "customerId", consent.purpose, consent.granted
  from customers customer join customer_consents consent on ${ofCustomer('customer.id')}
  where customer.id = any($1) order by customer.id, consent.purpose, consent.given_at desc, consent.id desc`;

/** Whether a customer consents to a purpose at present. */
export interface CurrentConsent {
  customerId: string;
  purpose: ConsentPurpose;
  granted: boolean;
}

/** Consents of customers. Nothing changes or removes one: the newest of each purpose counts. */
@Injectable()
export class ConsentsService {
  private readonly customers: Rows<Customer>;

  constructor(
    private readonly database: Database,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.customers = database.rows(Customer);
  }

  /** An archived customer can still withdraw a consent. */
  async give(customerId: string, input: CreateConsent, id = newId('cons')): Promise<ListedConsent> {
    const now = this.clock.now();
    const givenAt = input.givenAt === undefined ? now : new Date(input.givenAt);
    if (givenAt > now) throw invalidField('givenAt', 'givenAt must not be in the future', 'in_the_future');
    return this.database.transaction(async () => {
      const customer = await this.customers.lock(customerId);
      if (customer.status === 'merged' || customer.status === 'erased') customer.assertLive();
      const consent = newConsent({ ...input, id, customerId, givenAt, createdAt: now });
      await this.append(consent);
      const [newest] = await this.read(customerId, { purpose: [input.purpose], limit: 1 });
      const isCurrent = newest?.consent.id === consent.id;
      if (isCurrent && !input.granted && input.purpose === 'health_data') {
        await this.reportWithdrawal(customerId);
      }
      return { consent, isCurrent };
    });
  }

  /** Also one of a duplicate that was merged into the customer. */
  async get(customerId: string, id: string): Promise<ListedConsent> {
    const [found] = await this.read(customerId, { id });
    if (!found) throw notFound();
    return found;
  }

  /** Newest first unless `sort` is given. */
  async list(customerId: string, query: ListConsents): Promise<{ rows: ListedConsent[]; total: number }> {
    await this.customers.get(customerId);
    const rows = await this.read(customerId, query);
    const [count] = await this.database.query<{ total: number }>(
      `select count(*)::int as total from customer_consents consent
       where ${ofCustomer('$1')} and ($2::text[] is null or consent.purpose = any($2))`,
      [customerId, query.purpose ?? null],
    );
    return { rows, total: count?.total ?? 0 };
  }

  /** The newest consent of each purpose, for each of these customers. */
  async current(customerIds: readonly string[]): Promise<CurrentConsent[]> {
    return this.database.query<CurrentConsent>(CURRENT, [customerIds]);
  }

  /** Returns whether the customer, or the one into whom it was merged, consents to this purpose at present. */
  async isGranted(customerId: string, purpose: ConsentPurpose): Promise<boolean> {
    const customer = await this.customers.find(customerId);
    const current = await this.current([customer?.mergedIntoId ?? customerId]);
    return current.some((one) => one.purpose === purpose && one.granted);
  }

  /** Records a withdrawal, for the customer into whom this one was merged; nothing if the consent is not granted. */
  async withdraw(customerId: string, purpose: ConsentPurpose, source: string): Promise<void> {
    const found = await this.customers.find(customerId);
    if (!found) return;
    await this.database.transaction(async () => {
      // The lock prevents that two requests at once record it twice.
      const { id, status } = await this.customers.lock(found.mergedIntoId ?? customerId);
      if (status === 'erased' || !(await this.isGranted(id, purpose))) return;
      await this.give(id, { purpose, granted: false, source });
    });
  }

  /**
   * Call this after a merge, with what `current` returned before it. A withdrawal of one of the customers beats a later grant of
   * another one: it is recorded again for the survivor, and counts until the duplicate is separated.
   */
  async keepWithdrawals(survivorId: string, before: readonly CurrentConsent[]): Promise<void> {
    const now = this.clock.now();
    for (const { purpose, granted } of await this.current([survivorId])) {
      const states = before.filter((one) => one.purpose === purpose);
      if (!granted || states.every((one) => one.granted)) continue;
      // Either the duplicate withdrew it, or the survivor did and the duplicate granted it.
      const carriedFromId = states.find(({ customerId }) => customerId !== survivorId)?.customerId;
      const given = { customerId: survivorId, purpose, granted: false, carriedFromId, source: 'merge of duplicates' };
      await this.append(newConsent({ ...given, id: newId('cons'), givenAt: now, createdAt: now }));
      if (purpose === 'health_data') await this.reportWithdrawal(survivorId);
    }
  }

  private async reportWithdrawal(customerId: string): Promise<void> {
    await this.listeners.call(CustomerListener, (listener) => listener.healthConsentWithdrawn?.(customerId));
  }

  private async append(consent: Consent): Promise<void> {
    await this.database.insert(consent);
    const subject = { subjectType: 'customer', subjectId: consent.customerId };
    this.ledger.record('customers.consent.create', { ...subject, before: null, after: consent.auditImage() });
  }

  private async read(customerId: string, query: ListConsents & { id?: string }): Promise<ListedConsent[]> {
    const { limit, offset } = pageBounds(query);
    const { sort = '-givenAt' } = query;
    const [column, direction] = [sort.endsWith('createdAt') ? 'created' : 'given', directionOf(sort)];
    const found = await this.database.read<Consent, { current: boolean }>(Consent, {
      text: `select * from (
          select ${this.database.columnsOf(Consent, 'consent')},
            row_number() over (partition by consent.purpose order by consent.given_at desc, consent.id desc) = 1 as current,
            consent.given_at as given, consent.created_at as created, consent.id as tie, consent.purpose as kind
          from customer_consents consent where ${ofCustomer('$1')}
        ) as listed where ($2::text[] is null or kind = any($2)) and ($5::text is null or tie = $5)
        order by ${column} ${direction}, tie ${direction} limit $3 offset $4`,
      values: [customerId, query.purpose ?? null, limit, offset, query.id ?? null],
    });
    return found.map(({ entity, raw }) => ({ consent: entity, isCurrent: raw.current }));
  }
}

interface GivenConsent {
  id: string;
  customerId: string;
  purpose: ConsentPurpose;
  granted: boolean;
  source: string;
  textVersion?: string;
  carriedFromId?: string | undefined;
  givenAt: Date;
  createdAt: Date;
}

function newConsent(given: GivenConsent): Consent {
  return make(Consent, given);
}
