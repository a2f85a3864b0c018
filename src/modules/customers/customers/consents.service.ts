import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { Customer } from './customer.entity.js';
import type { CreateConsent, ListConsents, ListedConsent } from './consent.dto.js';
import { Consent, type ConsentPurpose } from './consent.entity.js';

/** The consents of a customer and of the duplicates that were merged into it. */
const OF_CUSTOMER = `consent.customer_id = $1
  or consent.customer_id in (select id from customers where merged_into_id = $1)`;

/** Consents of customers. Nothing changes or removes one: the newest of each purpose counts. */
@Injectable()
export class ConsentsService {
  private readonly customers: Rows<Customer>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.customers = database.rows(Customer);
  }

  /** Also of an archived customer, who can still withdraw. */
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
      return { consent, isCurrent: newest?.consent.id === consent.id };
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
       where (${OF_CUSTOMER}) and ($2::text[] is null or consent.purpose = any($2))`,
      [customerId, query.purpose ?? null],
    );
    return { rows, total: count?.total ?? 0 };
  }

  /** After a merge: what one of the customers has withdrawn stays withdrawn, also if another one granted it later. */
  async keepWithdrawals(customerId: string, duplicateIds: readonly string[]): Promise<void> {
    const withdrawn = await this.database.query<{ purpose: ConsentPurpose }>(
      `select purpose from (
         select distinct on (customer_id, purpose) purpose, granted from customer_consents
         where customer_id = any($1) order by customer_id, purpose, given_at desc, id desc
       ) as newest group by purpose having bool_or(not granted) and bool_or(granted)`,
      [[customerId, ...duplicateIds]],
    );
    const now = this.clock.now();
    for (const { purpose } of withdrawn) {
      const source = 'withdrawn by a duplicate that was merged';
      await this.append(
        newConsent({ id: newId('cons'), customerId, purpose, granted: false, source, givenAt: now, createdAt: now }),
      );
    }
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
          from customer_consents consent where ${OF_CUSTOMER}
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
  givenAt: Date;
  createdAt: Date;
}

function newConsent(given: GivenConsent): Consent {
  return make(Consent, given);
}
