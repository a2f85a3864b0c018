import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { readingPage } from '../../../platform/http/dto.js';
import { checkedMember } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import {
  type BulkOperationView,
  type CreateBulkOperation,
  type ListBulkOperationItems,
  type ListBulkOperations,
  MAX_RECORDS,
} from './bulk-operation.dto.js';
import { BulkOperation, type BulkOperationStatus, type BulkVerb, type Starter } from './bulk-operation.entity.js';
import type { BulkOperationItem } from './bulk-operation-item.entity.js';
import { BulkOperationsRepository, NO_ITEMS } from './bulk-operations.repository.js';
import type { BulkList } from './bulk-type.js';
import { BulkTypes } from './bulk-types.js';

export const BULK_JOB = 'desk.bulk-operation';
/** More would leave too few workers for other jobs. */
const MAX_RUNNING = 2;
const KEPT_DAYS = 90;
const PAUSED_DAYS = 30;
/** Parameters of a list that select no records. */
const NO_FILTERS = ['limit', 'offset', 'format', 'columns'];

interface NewIds {
  operation: string;
  item: (position: number) => string;
}

/** Manages bulk operations. `BulkOperationRunner` works on their items. */
@Injectable()
export class BulkOperationsService {
  constructor(
    private readonly database: Database,
    private readonly repository: BulkOperationsRepository,
    private readonly types: BulkTypes,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(
    { type: name, params = {}, dryRun = false, ids: subjectIds, filters }: CreateBulkOperation,
    ids: NewIds = { operation: newId('bulk'), item: () => newId('bulki') },
  ): Promise<BulkOperationView> {
    const type = this.types.get(name);
    for (const scope of type.scopes) assertScope(scope);
    if ((subjectIds === undefined) === (filters === undefined)) {
      const code = subjectIds === undefined ? 'required' : 'not_applicable';
      throw invalidField('ids', 'Send either ids or filters', code);
    }
    const checked = await checkedMember(type.params, params, { path: 'params', as: 'body' });
    await type.check?.(checked);
    for (const scope of this.types.scopesOf({ type: name, params: checked })) assertScope(scope);
    return this.database.transaction(async () => {
      const records = subjectIds ?? (await this.select(type.listFor(checked), filters ?? {}));
      const operation = make(BulkOperation, {
        ...{ id: ids.operation, type: name, params, dryRun, status: 'planned', total: records.length },
        ...starter(),
        createdAt: this.clock.now(),
      });
      await this.repository.operations.insert(operation);
      const items = records.map((subjectId, index) => ({ id: ids.item(index + 1), subjectId }));
      await this.repository.insertItems(operation, items);
      await this.start(operation.id);
      return this.record('create', operation, null);
    });
  }

  async list(query: ListBulkOperations): Promise<{ views: BulkOperationView[]; total: number }> {
    const { rows, total } = await this.repository.list(query);
    const counts = await this.repository.counts(rows.map(({ id }) => id));
    return { views: rows.map((operation) => ({ operation, counts: counts.get(operation.id) ?? NO_ITEMS })), total };
  }

  async get(id: string): Promise<BulkOperationView> {
    return this.viewOf(await this.repository.operations.get(id));
  }

  async listItems(id: string, query: ListBulkOperationItems): Promise<{ rows: BulkOperationItem[]; total: number }> {
    await this.repository.operations.get(id);
    return this.repository.listItems(id, query);
  }

  /** Waits for the items in work. */
  async pause(id: string, expected: ExpectedVersions): Promise<BulkOperationView> {
    return this.change('pause', id, { expected, work: () => this.startNext() });
  }

  /** The caller becomes the one in whose name the rest is done. */
  async resume(id: string): Promise<BulkOperationView> {
    return this.change('resume', id, { isRestarted: true, work: () => this.start(id) });
  }

  /** Cancels what is not done yet. */
  async cancel(id: string, expected: ExpectedVersions): Promise<BulkOperationView> {
    return this.change('cancel', id, {
      expected,
      work: async () => {
        await this.repository.skipPending(id, this.clock.now());
        await this.startNext();
      },
    });
  }

  /** Repeats the failed items, in the name of the caller. */
  async retry(id: string): Promise<BulkOperationView> {
    return this.change('retry', id, {
      isRestarted: true,
      work: async () => {
        await this.repository.repeatFailed(id, this.clock.now());
        await this.start(id);
      },
    });
  }

  /** Adds the job that works on the operation. */
  async start(id: string): Promise<void> {
    await this.jobs.add(BULK_JOB, { bulkOperationId: id }, { key: `${BULK_JOB}:${id}` });
  }

  /** Whether the operation may run now; otherwise it waits for the end of another one. Those that were created before it run first. */
  async admit(id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      await this.repository.lockStarts();
      const operation = await this.repository.operations.findAndLock(id);
      if (operation?.status !== 'planned') return operation?.status === 'running';
      if ((await this.repository.countAhead(operation)) >= MAX_RUNNING) return false;
      await this.move(operation, 'start');
      return true;
    });
  }

  /** Ends an operation without pending items, and starts one that waits. */
  async finish(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const operation = await this.repository.operations.findAndLock(id);
      if (operation?.status !== 'running') return;
      const { counts } = await this.viewOf(operation);
      if (counts.pending > 0) return;
      await this.move(operation, 'complete', counts.failed > 0 ? 'completed_with_failures' : 'completed');
      await this.startNext();
    });
  }

  /** Deletes operations 90 days after their end. */
  async deleteOld(): Promise<void> {
    await this.database.transaction(async () => {
      const count = await this.repository.deleteEndedBefore(this.clock.inSeconds(-KEPT_DAYS * 86_400));
      const subject = { subjectType: 'bulk_operation', subjectId: 'ended' };
      if (count > 0) this.ledger.record('desk.bulk_operation.purge', { ...subject, after: { count } });
    });
  }

  /** Cancels operations that have been paused for 30 days. */
  async cancelPaused(): Promise<void> {
    const before = this.clock.inSeconds(-PAUSED_DAYS * 86_400);
    for (const id of await this.repository.findPausedBefore(before)) {
      await this.database.transaction(async () => {
        const operation = await this.repository.operations.findAndLock(id);
        if (operation?.status !== 'paused' || operation.updatedAt >= before) return;
        await this.repository.skipPending(id, this.clock.now());
        await this.move(operation, 'cancel');
      });
    }
  }

  /** Publishes how far the operation is. */
  async publishProgress(operation: BulkOperation): Promise<BulkOperationView> {
    const view = await this.viewOf(operation);
    const { id: bulkOperationId, type, status, total } = operation;
    const { done, failed, skipped } = view.counts;
    const data = { bulkOperationId, type, status, total, done, failed, skipped };
    this.outbox.add({ channel: 'desk.bulk_operations', event: 'bulk_operation.progressed', data });
    return view;
  }

  /** Returns the ids of the records that the filters of the list find now. */
  private async select(list: BulkList, filters: object): Promise<string[]> {
    assertScope(list.scope);
    const bound = Object.keys(filters).find((filter) => NO_FILTERS.includes(filter));
    if (bound !== undefined) throw invalidField(`filters.${bound}`, `${bound} is not a filter`, 'not_applicable');
    const query = await checkedMember(list.query, filters, { path: 'filters', as: 'query' });
    const { ids, total } = await readingPage({ limit: MAX_RECORDS, offset: 0 }, () => list.read(query));
    if (total > MAX_RECORDS) {
      const message = `The filters match more than ${MAX_RECORDS} records`;
      throw unprocessable('selection_too_large', message, { field: 'filters', total, max: MAX_RECORDS });
    }
    if (total === 0) throw unprocessable('selection_empty', 'The filters match no record', { field: 'filters' });
    return ids;
  }

  private async startNext(): Promise<void> {
    const id = await this.repository.findOldestPlanned();
    if (id !== null) await this.start(id);
  }

  private async change(
    verb: BulkVerb,
    id: string,
    {
      expected = null,
      isRestarted = false,
      work,
    }: {
      expected?: ExpectedVersions;
      isRestarted?: boolean;
      /** What follows from the new status. */
      work: () => Promise<void>;
    },
  ): Promise<BulkOperationView> {
    return this.database.transaction(async () => {
      await this.repository.lockWork(id);
      const operation = await this.repository.operations.lock(id);
      for (const scope of this.types.scopesOf(operation)) assertScope(scope);
      assertVersion(expected, operation);
      const before = operation.auditImage();
      operation.change(verb, this.clock.now());
      if (isRestarted) Object.assign(operation, starter());
      await this.repository.operations.update(operation);
      await work();
      return this.record(verb, operation, before);
    });
  }

  private async move(operation: BulkOperation, verb: BulkVerb, to?: BulkOperationStatus): Promise<void> {
    const before = operation.auditImage();
    operation.change(verb, this.clock.now(), to);
    await this.repository.operations.update(operation);
    await this.record(verb, operation, before);
  }

  private async viewOf(operation: BulkOperation): Promise<BulkOperationView> {
    const counts = await this.repository.counts([operation.id]);
    return { operation, counts: counts.get(operation.id) ?? NO_ITEMS };
  }

  private async record(
    verb: BulkVerb | 'create',
    operation: BulkOperation,
    before: object | null,
  ): Promise<BulkOperationView> {
    const subject = { subjectType: 'bulk_operation', subjectId: operation.id };
    this.ledger.record(`desk.bulk_operation.${verb}`, { ...subject, before, after: operation.auditImage() });
    return this.publishProgress(operation);
  }
}

function starter(): Starter {
  const { type: actorType, credentialId, principal: startedBy } = currentActor();
  return { actorType, credentialId, startedBy };
}
