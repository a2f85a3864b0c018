import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing, containsWordsSql } from '../../../platform/database/like.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { digitsOf, emailKey } from './contacts.js';
import type { DuplicatePair, ListCustomers, ListDuplicates } from './customer.dto.js';
import { Customer } from './customer.entity.js';

const SORT_COLUMNS: Readonly<Record<string, string>> = {
  name: 'displayName',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
};

/** What active customers have in common: their contacts, and the name with the date of birth. */
const COMMON = `
  select unnest(contact_keys) as value, 'email_or_phone' as reason, id, created_at
  from customers where status = 'active'
  union all
  select birth_date::text || fold(display_name), 'name_and_birth_date', id, created_at
  from customers where status = 'active' and birth_date is not null`;

/** Each customer with the first one that has the same value: pairs of all would be quadratic for a shared address. */
const PAIRS = `
  select first_id, id, array_agg(distinct reason order by reason) as reasons
  from (
    select id, reason, first_value(id) over (partition by reason, value order by created_at, id) as first_id
    from (${COMMON}) as common
  ) as found
  where first_id <> id group by first_id, id`;

/** The SQL of customers. */
@Injectable()
export class CustomersRepository {
  readonly rows: Rows<Customer>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Customer);
  }

  async list(query: ListCustomers): Promise<{ rows: Customer[]; total: number }> {
    const { search, email, phone, tag, language, kind, status = ['active'], sort = 'name' } = query;
    const found = this.rows.query('customer');
    filterRows(found, 'customer.status', status);
    filterRows(found, 'customer.kind', kind);
    if (search !== undefined) {
      const digits = digitsOf(search);
      const words = containsWordsSql('customer.search_text', ':search');
      const number = 'customer.search_text like :digits';
      found.andWhere(digits === null ? words : `(${words} or ${number})`, {
        search,
        ...(digits !== null && { digits: containing(digits) }),
      });
    }
    if (email !== undefined) found.andWhere('customer.contact_keys @> array[:email]', { email: emailKey(email) });
    if (phone !== undefined) {
      found.andWhere('customer.contact_keys @> array[:phone]', { phone: `+${digitsOf(phone) ?? ''}` });
    }
    if (tag !== undefined) found.andWhere('customer.tags @> array[:tag]', { tag });
    if (language !== undefined) found.andWhere('customer.language = :language', { language });
    const direction = directionOf(sort);
    found.orderBy(`customer.${SORT_COLUMNS[sort.replace('-', '')] ?? 'displayName'}`, direction);
    found.addOrderBy('customer.id', direction);
    return this.rows.page(found, pageBounds(query));
  }

  /** Locks the customer against changes, not against other readers that lock it so. */
  async findAndShare(id: string): Promise<Customer | null> {
    const [found] = await this.rows.read({
      name: 'customer-share',
      text: `select ${this.rows.columns('customer')} from customers customer where customer.id = $1 for share`,
      values: [id],
    });
    return found ?? null;
  }

  /** Locks the customers that were merged into these ones, which are locked. */
  async lockMergedInto(ids: readonly string[]): Promise<Customer[]> {
    return this.rows.read({
      text: `select ${this.rows.columns('customer')} from customers customer
        where customer.merged_into_id = any($1) order by customer.id for update`,
      values: [ids],
    });
  }

  /** Customers whose record is older than this, after an id, in the order of their ids. */
  async unchangedSince(months: number, { after, limit }: { after: string; limit: number }): Promise<string[]> {
    const found = await this.database.query<{ id: string }>(
      `select id from customers
       where status in ('active', 'archived') and id > $1 and updated_at < $2::date - make_interval(months => $3)
       order by id limit $4`,
      [after, this.clock.today(), months, limit],
    );
    return found.map(({ id }) => id);
  }

  async mergedInto(id: string): Promise<Customer[]> {
    return this.rows.listBy({ mergedIntoId: id }, ['id']);
  }

  /** The first active customer with the primary address of this one and its name, protected against changes. */
  async findNamesake(customer: Customer): Promise<string | null> {
    const { kind, firstName, lastName, displayName, emails } = customer;
    const key = emails.map(({ address }) => emailKey(address));
    const [found] = await this.database.prepared<{ id: string }>(
      'customer-namesake',
      `select id from customers
       where status = 'active' and contact_keys && $1::text[]
         and lower(jsonb_path_query_first(emails, '$[*] ? (@.isPrimary == true)') ->> 'address') = any($1)
         and (fold(display_name) = fold($2) or kind = 'person' and $3 = 'person' and fold(last_name) = fold($4)
           and left(fold(coalesce(first_name, $5, '')), 1) = left(fold(coalesce($5, first_name, '')), 1))
       order by created_at, id limit 1 for share`,
      [key, displayName, kind, lastName, firstName],
    );
    return found?.id ?? null;
  }

  /** At most ten other active customers with the same contact, or the same name and date of birth. */
  async possibleDuplicates(customer: Customer): Promise<string[]> {
    const found = await this.database.prepared<{ id: string }>(
      'customer-duplicates',
      `select id from customers
       where status = 'active' and id <> $1
         and (contact_keys && $2::text[] or birth_date = $3::date and fold(display_name) = fold($4))
       order by created_at, id limit 10`,
      [customer.id, customer.contactKeys, customer.birthDate, customer.displayName],
    );
    return found.map(({ id }) => id);
  }

  /** Returns pairs of active customers who may be the same, by default those with the oldest customers first. */
  async duplicatePairs(query: ListDuplicates): Promise<{ rows: DuplicatePair[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { sort = 'createdAt' } = query;
    const direction = directionOf(sort);
    const order = [sort.endsWith('name') ? 'first.display_name' : 'first.created_at', 'first.id', 'other.id'];
    const rows = await this.database.query<DuplicatePair & { total: number }>(
      `select first.id as "customerId", first.display_name as "displayName", other.id as "duplicateId",
         other.display_name as "duplicateName", pair.reasons, (count(*) over ())::int as total
       from (${PAIRS}) as pair join customers first on first.id = pair.first_id join customers other on other.id = pair.id
       order by ${order.map((column) => `${column} ${direction}`).join()} limit $1 offset $2`,
      [limit, offset],
    );
    return {
      rows: rows.map(({ total: _total, ...pair }) => pair),
      total: rows[0]?.total ?? (await this.countPairs(offset)),
    };
  }

  /** A page past the end returns no rows, and the total comes with the rows. */
  private async countPairs(offset: number): Promise<number> {
    if (offset === 0) return 0;
    const [row] = await this.database.query<{ total: number }>(`select count(*)::int as total from (${PAIRS}) as pair`);
    return row?.total ?? 0;
  }
}
