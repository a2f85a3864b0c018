import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../entries/action-ledger.service.js';
import { LedgerEntriesService } from '../entries/ledger-entries.service.js';
import type { ReadDetail } from '../entries/ledger-entry.dto.js';
import {
  moduleScopeOf,
  RECORDED_SUFFIX,
  type ReversalHandler,
  ReversalHandlers,
  type ReversalOutcome,
  type ReversalResult,
} from '../entries/reversal-handlers.js';
import type { RecordedAction } from '../entries/recorded-action.js';
import type { ReverseEntry } from './reversal.dto.js';
import { type EntryPair, LedgerReversalsRepository } from './ledger-reversals.repository.js';

const COMPLETION_JOB = 'action-ledger.reversals.go-on';

/** With the queue's increasing delays, these attempts take about an hour. After that, staff decide about another reversal. */
const MAX_ATTEMPTS = 9;

const STATE_AFTER = { start: 'running', complete: 'completed', fail: 'failed' } as const;

/** Errors of a handler with these statuses are reported as the reason why the reversal is not possible. */
const BLOCKING_STATUSES = [400, 404, 409, 422];

/** The current result of a reversal, or the error that prevents it. */
export type DryRunResult = { result: ReversalResult; error: null } | { result: null; error: AppError };

/** Reverses ledger entries, each once, with the handlers that modules declare with `@Reverses`. */
@Injectable()
export class LedgerReversalsService {
  constructor(
    private readonly database: Database,
    private readonly handlers: ReversalHandlers,
    private readonly entries: LedgerEntriesService,
    private readonly repository: LedgerReversalsRepository,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly jobs: Jobs,
  ) {}

  async answer(id: string, { reason, recordOnly = false }: ReverseEntry): Promise<ReadDetail> {
    return recordOnly ? this.recordOnly(id, reason) : this.reverse(id, reason);
  }

  /**
   * Answers an entry that cannot be reversed with one that changes nothing else. Its unique key differs from a reversal's, so
   * it never blocks a reversal: a later version may have an inverse for the action.
   */
  private async recordOnly(id: string, reason: string): Promise<ReadDetail> {
    const original = await this.entries.get(id);
    for (const scope of this.handlers.scopesOfAction(original.action)) assertScope(scope);
    const { reversed_by_entry_id: reversedBy, recorded_by_entry_id: recordedBy } = original;
    if (reversedBy !== null) throw alreadyReversed(reversedBy);
    if (original.reversible) throw conflict('reversible', 'The action can be reversed', { action: original.action });
    if (recordedBy !== null) throw alreadyRecorded(recordedBy);
    return this.database.transaction(async () => {
      const reversalId = newId('aled');
      if (!(await this.repository.addRecorded({ originalId: id, reversalId }))) {
        throw alreadyRecorded((await this.entries.get(id)).recorded_by_entry_id);
      }
      const { action, subjectType, subjectId } = recordedActionOf(original);
      const change = { subjectType, subjectId, reason, reversesEntryId: id };
      this.ledger.recordUnder(reversalId, `${action}${RECORDED_SUFFIX}`, change);
      await this.database.writeCollected(this.ledger);
      return this.entries.get(reversalId);
    });
  }

  /** Reverses the action of an entry and returns the entry of the reversal. Also requires the scope of the action. */
  private async reverse(id: string, reason: string): Promise<ReadDetail> {
    const original = await this.entries.get(id);
    for (const scope of this.handlers.scopesOf(original.action)) assertScope(scope);
    const handler = this.handlerOf(original);
    return this.database.transaction(async () => {
      const pair = { originalId: id, reversalId: newId('aled') };
      await this.claim(pair);
      const action = recordedActionOf(original);
      const result = await this.perform(handler, action, reason);
      await this.record(action, { ...pair, reason, result });
      await this.checkConstraints();
      return this.entries.get(pair.reversalId);
    });
  }

  /**
   * Performs the reversal and rolls it back, to show the result of `reverse`. Requires the read scope, because it shows the
   * subject.
   */
  async preview(id: string): Promise<DryRunResult> {
    const original = await this.entries.get(id);
    assertScope(moduleScopeOf(original.action, 'read'));
    try {
      const handler = this.handlerOf(original);
      const result = await this.database.dryRun(async () => {
        const reversed = await this.perform(handler, recordedActionOf(original), 'Preview');
        await this.checkConstraints();
        return reversed;
      });
      return { result, error: null };
    } catch (error) {
      if (error instanceof AppError && error.status === 409) return { result: null, error };
      throw error;
    }
  }

  /**
   * Informs external systems. Throws if that failed and will be retried; after the last attempt the reversal becomes failed.
   */
  @Job(COMPLETION_JOB)
  async complete(payload: unknown): Promise<void> {
    const reversalId = reversalIdOf(payload);
    const attempt = await this.repository.begin(reversalId);
    if (!attempt) return;
    const original = await this.entries.get(attempt.originalId);
    try {
      await this.handlers.find(original.action)?.complete?.(recordedActionOf(original));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      if (attempt.attempts < MAX_ATTEMPTS) {
        await this.repository.recordFailure(reversalId, failure);
        throw error;
      }
      await this.end(reversalId, 'fail', () => this.repository.fail(reversalId, failure));
      return;
    }
    await this.end(reversalId, 'complete', () => this.repository.complete(reversalId, 'full'));
  }

  /** Waits for the writes of the handler, so that each of their errors becomes a conflict. */
  private async perform(handler: ReversalHandler, action: RecordedAction, reason: string): Promise<ReversalResult> {
    return asReversalConflict(async () => {
      const result = await handler.reverse(action, reason);
      await this.database.flush();
      return result;
    });
  }

  private handlerOf(entry: ReadDetail): ReversalHandler {
    if (entry.reversed_by_entry_id !== null) throw alreadyReversed(entry.reversed_by_entry_id);
    const handler = this.handlers.find(entry.action);
    if (!handler) throw notReversible(entry.action, 'no_undo');
    if (!entry.kept) throw notReversible(entry.action, 'payload_erased');
    return handler;
  }

  private async claim(pair: EntryPair): Promise<void> {
    while (!(await this.repository.claim(pair))) {
      const reversalId = await this.repository.findReversalId(pair.originalId);
      // Null means that the other reversal has failed in the meantime.
      if (reversalId !== null) throw alreadyReversed(reversalId);
    }
  }

  /** Writes the entry immediately, so that the same transaction can read it. */
  private async record(
    { action, subjectType, subjectId }: RecordedAction,
    { originalId, reversalId, reason, result }: EntryPair & { reason: string; result: ReversalResult },
  ): Promise<void> {
    const { before, after, outcome = 'full', isRunning = false } = result;
    const change = { subjectType, subjectId, before, after, reason, reversesEntryId: originalId };
    this.ledger.recordUnder(reversalId, `${action}.reverse`, change);
    this.outbox.add({
      channel: 'action-ledger.reversals',
      event: 'ledger.reversed',
      data: { entryId: originalId, reversalId, action, subjectType, subjectId, isRunning },
    });
    // A full reversal that completes immediately needs no further entry.
    if (isRunning || outcome === 'partial') this.recordState(reversalId, isRunning ? 'start' : 'complete', outcome);
    if (isRunning) await this.jobs.add(COMPLETION_JOB, { reversalId });
    else await this.repository.complete(reversalId, outcome);
    await this.database.writeCollected(this.ledger);
  }

  private async end(reversalId: string, verb: 'complete' | 'fail', write: () => Promise<boolean>): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await write())) return;
      this.recordState(reversalId, verb, 'full');
    });
  }

  /** Verification compares the row of the reversal with these entries. */
  private recordState(reversalId: string, verb: keyof typeof STATE_AFTER, outcome: ReversalOutcome): void {
    const state = STATE_AFTER[verb];
    this.ledger.record(`action-ledger.reversal.${verb}`, {
      subjectType: 'ledger_entry',
      subjectId: reversalId,
      after: { state, outcome: state === 'completed' ? outcome : null },
    });
  }

  /**
   * Checks deferred constraints now: at the commit, the response could not name the constraint that prevents the reversal.
   */
  private async checkConstraints(): Promise<void> {
    await asReversalConflict(() => this.database.execute('set constraints all immediate'));
  }
}

function recordedActionOf({ action, subject_type, subject_id, before, after }: ReadDetail): RecordedAction {
  return { action, subjectType: subject_type, subjectId: subject_id, before, after };
}

function reversalIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'reversalId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no reversalId');
  return id;
}

/** Turns an error of the handler into a conflict that contains its code as the reason. */
async function asReversalConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = toAppError(error);
    if (!cause || !BLOCKING_STATUSES.includes(cause.status)) throw error;
    const { message, details, code: reason } = cause;
    throw conflict('reversal_conflict', `The action cannot be reversed now: ${message}`, { ...details, reason });
  }
}

function alreadyReversed(reversedByEntryId: string): AppError {
  return conflict('already_reversed', 'The action was already reversed', { reversedByEntryId });
}

function alreadyRecorded(recordedByEntryId: string | null): AppError {
  return conflict('already_recorded', 'The action was already recorded as answered', { recordedByEntryId });
}

function notReversible(action: string, reason: 'no_undo' | 'payload_erased'): AppError {
  return conflict('not_reversible', 'The action cannot be reversed', { action, reason });
}
