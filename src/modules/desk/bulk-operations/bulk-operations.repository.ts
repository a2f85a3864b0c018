import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListBulkOperationItems, ListBulkOperations } from './bulk-operation.dto.js';
import { BulkOperation, type BulkOperationType } from './bulk-operation.entity.js';
import { type BulkItemStatus, BulkOperationItem } from './bulk-operation-item.entity.js';

export type BulkCounts = Readonly<Record<BulkItemStatus, number>>;

export const NO_ITEMS: BulkCounts = { pending: 0, done: 0, failed: 0, skipped: 0 };

/** Serializes the decisions which operations run. */
const LOCK_STARTS = `select pg_advisory_xact_lock(hashtextextended('bulk_operations', 0))`;
/** Shared by the items in work of the operation $1. */
const WORK_LOCK = 'hashtextextended($1, 3301)';

const ABOUT = `operation.params <> '{}' and exists (
  select from bulk_operation_items item where item.operation_id = operation.id and item.subject_id = any($1))`;

/** Reads and writes bulk operations and their items. */
@Injectable()
export class BulkOperationsRepository {
  readonly operations: Rows<BulkOperation>;
  readonly items: Rows<BulkOperationItem>;

  constructor(private readonly database: Database) {
    this.operations = database.rows(BulkOperation);
    this.items = database.rows(BulkOperationItem);
  }

  async list(query: ListBulkOperations): Promise<{ rows: BulkOperation[]; total: number }> {
    const found = this.operations.query('operation');
    filterRows(found, 'operation.type', query.type);
    filterRows(found, 'operation.status', query.status);
    sortRows(found, query.sort ?? '-createdAt');
    return this.operations.page(found, pageBounds(query));
  }

  async listItems(
    operationId: string,
    query: ListBulkOperationItems,
  ): Promise<{ rows: BulkOperationItem[]; total: number }> {
    const found = this.items.query('item').where('item.operationId = :operationId', { operationId });
    filterRows(found, 'item.status', query.status);
    sortRows(found, query.sort ?? 'position');
    return this.items.page(found, pageBounds(query));
  }

  /** Returns how many items of each of these operations have each status. */
  async counts(operationIds: readonly string[]): Promise<ReadonlyMap<string, BulkCounts>> {
    const rows = await this.database.query<{ operationId: string; status: BulkItemStatus; count: number }>(
      `select operation_id as "operationId", status, count(*)::int as count from bulk_operation_items
       where operation_id = any($1) group by operation_id, status`,
      [operationIds],
    );
    const counts = new Map<string, BulkCounts>();
    for (const { operationId, status, count } of rows) {
      counts.set(operationId, { ...NO_ITEMS, ...counts.get(operationId), [status]: count });
    }
    return counts;
  }

  /** Inserts an item for each record, in this order, in one statement. */
  async insertItems(
    { id, createdAt }: BulkOperation,
    items: readonly { id: string; subjectId: string }[],
  ): Promise<void> {
    await this.database.execute(
      `insert into bulk_operation_items (id, operation_id, position, subject_id, status, attempts, version, created_at, updated_at)
       select new.id, $1, new.position, new.subject_id, 'pending', 0, 1, $4, $4
       from unnest($2::text[], $3::text[]) with ordinality as new (id, subject_id, position)`,
      [id, items.map((item) => item.id), items.map(({ subjectId }) => subjectId), createdAt],
    );
  }

  /** Until the transaction ends, no other one decides which operation runs. */
  async lockStarts(): Promise<void> {
    await this.database.query(LOCK_STARTS);
  }

  /** How many operations run, or wait and were created before this one. */
  async countAhead({ id, createdAt }: BulkOperation): Promise<number> {
    const [counted] = await this.database.query<{ ahead: number }>(
      `select count(*)::int as ahead from bulk_operations
       where status = 'running' or status = 'planned' and (created_at, id) < ($1, $2)`,
      [createdAt, id],
    );
    return counted?.ahead ?? 0;
  }

  /** The operations that run or wait, oldest first. */
  async working(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from bulk_operations where status in ('planned', 'running') order by created_at, id limit 100`,
    );
    return rows.map(({ id }) => id);
  }

  async findOldestPlanned(): Promise<string | null> {
    const [found] = await this.database.query<{ id: string }>(
      `select id from bulk_operations where status = 'planned' order by created_at, id limit 1`,
    );
    return found?.id ?? null;
  }

  /**
   * Until the transaction ends, a pause waits for this item. Returns false if the operation does not run. These locks are granted in the
   * order of the requests; with shared locks of the row, a pause would wait as long as the items of several processes overlap.
   */
  async shareRunning(id: string): Promise<boolean> {
    await this.database.prepared('bulk-operation-share', `select pg_advisory_xact_lock_shared(${WORK_LOCK})`, [id]);
    const found = await this.database.prepared(
      'bulk-operation-runs',
      `select from bulk_operations where id = $1 and status = 'running'`,
      [id],
    );
    return found.length > 0;
  }

  /** Waits for the items in work. Until the transaction ends, no other item of the operation begins. */
  async lockWork(id: string): Promise<void> {
    await this.database.query(`select pg_advisory_xact_lock(${WORK_LOCK})`, [id]);
  }

  /**
   * Locks the next pending item that no other process works on: those that were not tried yet come first, and others only if their
   * last attempt was before this time.
   */
  async claimNext(operationId: string, triedBefore: Date): Promise<BulkOperationItem | null> {
    const [item] = await this.items.read({
      name: 'bulk-operation-claim',
      text: `select ${this.items.columns('item')} from bulk_operation_items item
        where item.operation_id = $1 and item.status = 'pending' and (item.attempts = 0 or item.updated_at <= $2)
        order by item.attempts, item.position limit 1 for update skip locked`,
      values: [operationId, triedBefore],
    });
    return item ?? null;
  }

  /** The operation is locked, so nothing works on its items. */
  async skipPending(operationId: string, now: Date): Promise<void> {
    await this.database.execute(
      `update bulk_operation_items set status = 'skipped', code = 'cancelled', version = version + 1, updated_at = $2
       where operation_id = $1 and status = 'pending'`,
      [operationId, now],
    );
  }

  async repeatFailed(operationId: string, now: Date): Promise<void> {
    await this.database.execute(
      `update bulk_operation_items set status = 'pending', code = null, message = null, field = null, attempts = 0,
         version = version + 1, updated_at = $2
       where operation_id = $1 and status = 'failed'`,
      [operationId, now],
    );
  }

  /** Operations with an item about one of these records, whose parameters are not erased. */
  async listAbout(
    subjectIds: readonly string[],
    { areEnded }: { areEnded: boolean },
  ): Promise<{ type: BulkOperationType; params: object; createdAt: Date }[]> {
    return this.database.query(
      `select operation.type, operation.params, operation.created_at as "createdAt" from bulk_operations operation
       where ${ABOUT} and (operation.ended_at is not null) = $2 order by operation.id`,
      [subjectIds, areEnded],
    );
  }

  /** Erases the parameters of ended operations about these records. Without them, failed items cannot be repeated. */
  async eraseAbout(subjectIds: readonly string[], now: Date): Promise<number> {
    const { count } = await this.database.execute(
      `update bulk_operations operation set params = '{}', version = version + 1, updated_at = $2,
         status = case when status = 'completed_with_failures' then 'cancelled' else status end
       where ${ABOUT} and operation.ended_at is not null`,
      [subjectIds, now],
    );
    return count;
  }

  async findPausedBefore(time: Date): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from bulk_operations where status = 'paused' and updated_at < $1 order by id`,
      [time],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes operations that ended before this time. Returns how many there were. */
  async deleteEndedBefore(time: Date): Promise<number> {
    const ended = 'select id from bulk_operations where ended_at < $1';
    await this.database.execute(`delete from bulk_operation_items where operation_id in (${ended})`, [time]);
    const { count } = await this.database.execute('delete from bulk_operations where ended_at < $1', [time]);
    return count;
  }
}
