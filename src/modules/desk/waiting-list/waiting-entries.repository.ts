import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { directionOf, sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { poolOf } from '../../operations/index.js';
import type { ListWaitingEntries, WaitingEntryView } from './waiting-entry.dto.js';
import { type WaitingEndReason, WaitingEntry } from './waiting-entry.entity.js';

const OPEN = `entry.status in ('waiting', 'offered')`;

/** The waiting entries that departure `d` suits and that its pool satisfies. */
const FITTING = `entry.status = 'waiting' and d.status = 'scheduled' and entry.product_id = d.product_id
  and entry.seats <= ${poolOf('d')}
  and (d.option_id is null or entry.option_id is null or entry.option_id = d.option_id)
  and (entry.departure_id = d.id
    or (entry.departure_id is null and d.start_date between entry.from_date and entry.to_date))
  and exists (select from customers customer where customer.id = entry.customer_id and customer.status = 'active')`;

/** The offers that have expired at $1, and the waiting entries that no departure can serve any more. */
const OVERDUE = `entry.status = 'offered' and entry.offer_expires_at <= $1::timestamptz
  or entry.status = 'waiting'
    and (d.starts_at <= $1 or entry.to_date < ($1::timestamptz at time zone 'UTC')::date - 1)`;

interface Names {
  customer_name: string | null;
}

/** A record that moved from one customer to another. */
interface Moved {
  id: string;
  formerId: string;
}

/** The SQL of the waiting list. */
@Injectable()
export class WaitingEntriesRepository {
  readonly rows: Rows<WaitingEntry>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(WaitingEntry);
  }

  async list(query: ListWaitingEntries): Promise<{ views: WaitingEntryView[]; total: number }> {
    const { departureId, productId, customerId, status, sort = '-priority' } = query;
    const found = this.views();
    if (departureId !== undefined) {
      found.andWhere('(entry.departure_id = :departureId or entry.offered_departure_id = :departureId)', {
        departureId,
      });
    }
    if (productId !== undefined) found.andWhere('entry.productId = :productId', { productId });
    if (customerId !== undefined) found.andWhere('entry.customerId = :customerId', { customerId });
    filterRows(found, 'entry.status', status);
    if (!sort.endsWith('priority')) sortRows(found, sort);
    else found.orderBy('entry.priority', directionOf(sort)).addOrderBy('entry.createdAt').addOrderBy('entry.id');
    const { rows, total } = await this.database.page<WaitingEntry, Names>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<WaitingEntryView> {
    const found = this.views().andWhere('entry.id = :id', { id });
    const [row] = (await this.database.page<WaitingEntry, Names>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  /** Returns the first entries that the pool of the departure satisfies, in the order in which it is offered. Locks none. */
  async listFitting(departureId: string, limit: number): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'waiting-fitting',
      `select entry.id from departures d join waiting_entries entry on ${FITTING}
       where d.id = $1 order by entry.priority desc, entry.created_at, entry.id limit $2`,
      [departureId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns departures on sale with units for a waiting entry; usually none, because units are offered as they come free. */
  async listUnserved(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct d.id from waiting_entries entry join departures d on ${FITTING}
       where d.sales_closed_at is null and d.starts_at > $1 and (d.cutoff_at is null or d.cutoff_at > $1)
       order by d.id limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  async optionsOfferedOn(departureId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select distinct option_id as id from waiting_entries
       where offered_departure_id = $1 and status = 'offered' and option_id is not null`,
      [departureId],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the open entries for the departure, and the others with an offer of it. */
  async lockOpenOf(departureId: string): Promise<WaitingEntry[]> {
    return this.lockWhere('departure', `${OPEN} and (entry.departure_id = $1 or entry.offered_departure_id = $1)`, [
      departureId,
    ]);
  }

  /** Locks the entries for the departure that ended for this reason. */
  async lockEnded(departureId: string, reason: WaitingEndReason): Promise<WaitingEntry[]> {
    const ended = `entry.departure_id = $1 and entry.status = 'expired' and entry.end_reason = $2
      and entry.customer_id is not null`;
    return this.lockWhere('ended', ended, [departureId, reason]);
  }

  /**
   * Returns entries whose offer has expired, and waiting ones whose departure has started or whose last day is past everywhere, by
   * id from the first one after an id.
   */
  async listOverdue(now: Date, { after, limit }: { after: string; limit: number }): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select entry.id from waiting_entries entry left join departures d on d.id = entry.departure_id
       where entry.id > $2 and (${OVERDUE}) order by entry.id limit $3`,
      [now, after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a waiting or offered entry is one of those. */
  async isOverdue(id: string, now: Date): Promise<boolean> {
    const found = await this.database.query(
      `select from waiting_entries entry left join departures d on d.id = entry.departure_id
       where entry.id = $2 and (${OVERDUE})`,
      [now, id],
    );
    return found.length > 0;
  }

  /** Whether the customer is active: the erasure of its data may have begun. */
  async isServed(customerId: string): Promise<boolean> {
    const found = await this.database.query(`select from customers where id = $1 and status = 'active'`, [customerId]);
    return found.length > 0;
  }

  async languageOf({ customerId }: WaitingEntry): Promise<string | null> {
    const [customer] = await this.database.query<{ language: string | null }>(
      'select language from customers where id = $1',
      [customerId],
    );
    return customer?.language ?? null;
  }

  async countOpenOf(customerId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from waiting_entries entry where entry.customer_id = $1 and ${OPEN}`,
      [customerId],
    );
    return row?.count ?? 0;
  }

  async listOf(customerIds: readonly string[]): Promise<WaitingEntry[]> {
    return this.rows.read({
      name: 'waiting-of-customers',
      text: `select ${this.rows.columns('entry')} from waiting_entries entry where entry.customer_id = any($1)
        order by entry.id`,
      values: [customerIds],
    });
  }

  /** Moves the entries of these customers to another one. Returns them with their former customers. */
  async move(customerId: string, formerIds: readonly string[]): Promise<Moved[]> {
    return this.database.query(
      `update waiting_entries entry set customer_id = $1, version = entry.version + 1
       from (
         select id, customer_id from waiting_entries where customer_id = any($2) order by id for update
       ) as former
       where former.id = entry.id
       returning entry.id, former.customer_id as "formerId"`,
      [customerId, formerIds],
    );
  }

  /** Moves these entries back, unless they have moved again. */
  async moveBack(customerId: string, entries: readonly Moved[]): Promise<void> {
    await this.database.execute(
      `update waiting_entries entry set customer_id = moved.former_id, version = entry.version + 1
       from unnest($2::text[], $3::text[]) as moved (id, former_id)
       where entry.id = moved.id and entry.customer_id = $1`,
      [customerId, entries.map(({ id }) => id), entries.map(({ formerId }) => formerId)],
    );
  }

  private async lockWhere(name: string, condition: string, values: unknown[]): Promise<WaitingEntry[]> {
    return this.rows.read({
      name: `waiting-lock-${name}`,
      text: `select ${this.rows.columns('entry')} from waiting_entries entry where ${condition} order by entry.id for update`,
      values,
    });
  }

  private views() {
    return this.rows
      .query('entry')
      .addSelect(
        '(select customer.display_name from customers customer where customer.id = entry.customer_id)',
        'customer_name',
      );
  }
}

function viewOf(entry: WaitingEntry, { customer_name: customerName }: Names): WaitingEntryView {
  return { entry, customerName };
}
