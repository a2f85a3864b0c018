import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { checkScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { type Actor, SYSTEM } from '../../../platform/context/actor.js';
import { asActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { forbidden } from '../../../platform/errors/app-error.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { checkedMember } from '../../../platform/http/format-check.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { AuthenticationService } from '../../identity/index.js';
import { itemFaultOf, workOnNext } from '../item-work.js';
import type { BulkOperation } from './bulk-operation.entity.js';
import type { BulkOperationItem } from './bulk-operation-item.entity.js';
import { BulkOperationsRepository } from './bulk-operations.repository.js';
import { BULK_JOB, BulkOperationsService } from './bulk-operations.service.js';
import { BulkTypes } from './bulk-types.js';

const MAX_WORK_MS = 45_000;
/** An attempt that failed for a temporary reason is repeated by a later run. */
const REPEAT_AFTER_SECONDS = 60;
/** Each event counts all items. */
const ITEMS_PER_EVENT = 20;

/**
 * Works on the items of bulk operations, each in a transaction of its own and in the name of the person who started the operation.
 * A dry run does the same work and rolls it back.
 */
@Injectable()
export class BulkOperationRunner {
  constructor(
    private readonly database: Database,
    private readonly repository: BulkOperationsRepository,
    private readonly operations: BulkOperationsService,
    private readonly types: BulkTypes,
    private readonly authentication: AuthenticationService,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Job(BULK_JOB)
  async work(payload: unknown): Promise<void> {
    const id: unknown =
      typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'bulkOperationId') : undefined;
    if (typeof id !== 'string') throw new Error('The payload has no bulkOperationId');
    await this.run(id);
  }

  /** Resumes operations whose process was killed, whose job used up its attempts, or whose items wait for another attempt. */
  @Cron('desk.bulk-operations', '* * * * *')
  async resumeAll(): Promise<void> {
    for (const id of await this.repository.working()) {
      await this.run(id).catch((error: unknown) => {
        this.log.error({ err: error, bulkOperationId: id }, 'a bulk operation could not be continued');
      });
    }
  }

  @Cron('desk.bulk-operations.retention', '43 3 * * *')
  async deleteOld(): Promise<void> {
    await this.operations.cancelPaused();
    await this.operations.deleteOld();
  }

  /** Works for at most 45 seconds, so that other jobs get their turn; then a new job goes on. */
  private async run(id: string): Promise<void> {
    const endsAt = performance.now() + MAX_WORK_MS;
    if (!(await this.operations.admit(id))) return;
    while (await this.workOnNext(id)) {
      if (performance.now() > endsAt) return this.operations.start(id);
    }
    await this.operations.finish(id);
  }

  /** Reads the actor again for each item: it may have lost a scope, or its session may have ended. */
  private async workOnNext(id: string): Promise<boolean> {
    const operation = await this.repository.operations.get(id);
    const actor = await this.actorOf(operation);
    if (actor === null) return this.attempt(operation, rejectEnded);
    try {
      return await asActor(actor, () => this.attempt(operation, (item) => this.treat(operation, item)));
    } catch (error) {
      // The credential has ended since it was read.
      if (toAppError(error)?.status !== 401) throw error;
      return this.attempt(operation, rejectEnded);
    }
  }

  private async actorOf({ actorType, credentialId }: BulkOperation): Promise<Actor | null> {
    return actorType === 'system' ? SYSTEM : this.authentication.findStaff(actorType, credentialId);
  }

  private async attempt(operation: BulkOperation, treat: (item: BulkOperationItem) => Promise<void>): Promise<boolean> {
    const { id, dryRun } = operation;
    const finish = async (item: BulkOperationItem) => {
      item.finish(this.clock.now());
      await this.save(operation, item);
    };
    return workOnNext(this.database, {
      claim: async () => {
        const triedBefore = this.clock.inSeconds(-REPEAT_AFTER_SECONDS);
        return (await this.repository.shareRunning(id)) ? this.repository.claimNext(id, triedBefore) : null;
      },
      treat: async (item) => {
        await treat(item);
        if (!dryRun) await finish(item);
      },
      ...(dryRun ? { pass: (itemId: string) => this.end(itemId, finish) } : {}),
      fail: async (itemId, error) => {
        const fault = itemFaultOf(error);
        if (fault.isTemporary) this.log.error({ err: error, bulkItemId: itemId }, 'an item of a bulk operation failed');
        await this.end(itemId, async (item) => {
          item.fail(fault, this.clock.now());
          await this.save(operation, item);
        });
        return true;
      },
    });
  }

  private async treat(operation: BulkOperation, { subjectId }: BulkOperationItem): Promise<void> {
    const { type: name, params } = operation;
    const type = this.types.get(name);
    for (const scope of this.types.scopesOf(operation)) checkScope(scope);
    await type.run(subjectId, await checkedMember(type.params, params, { path: 'params', as: 'body' }));
  }

  /** Records the outcome of an item whose work was rolled back, also if the credential of its actor has ended. */
  private async end(itemId: string, work: (item: BulkOperationItem) => Promise<void>): Promise<void> {
    await asActor(SYSTEM, () =>
      this.database.transaction(async () => {
        const item = await this.repository.items.findAndLock(itemId);
        if (item?.status === 'pending') await work(item);
      }),
    );
  }

  private async save(operation: BulkOperation, item: BulkOperationItem): Promise<void> {
    await this.repository.items.update(item);
    if (item.position % ITEMS_PER_EVENT === 0) await this.operations.publishProgress(operation);
  }
}

async function rejectEnded(): Promise<void> {
  return Promise.reject(forbidden('The session or token with which the operation was started has ended', {}));
}
