import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LedgerEntries } from '../ledger-entries.service.js';
import { GO_ON_JOB, ReversalJournal } from './reversal-journal.js';
import { ReversalRows } from './reversal-rows.service.js';
import { Reversals } from './reversals.js';

/** With the queue's growing pauses that is about an hour; then a person decides whether it is tried again. */
const MAX_ATTEMPTS = 9;

/** The part of reversals that happens elsewhere, as a job: it ends completed, or failed. */
@Injectable()
export class OutsideReversals implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly rows: ReversalRows,
    private readonly entries: LedgerEntries,
    private readonly journal: ReversalJournal,
    private readonly undos: Reversals,
  ) {}

  onModuleInit(): void {
    this.jobs.define(GO_ON_JOB, async (payload) => {
      await this.goOn(reversalIn(payload));
    });
  }

  /** Throws where it did not succeed, and will be tried again. */
  async goOn(reversalId: string): Promise<void> {
    const begun = await this.rows.begin(reversalId);
    if (!begun) return;
    const { action, subject_type, subject_id, before, after } = await this.entries.get(begun.originalId);
    try {
      await this.undos.find(action)?.goOn?.({
        action,
        subjectType: subject_type,
        subjectId: subject_id,
        before,
        after,
      });
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      if (begun.attempts < MAX_ATTEMPTS) {
        await this.rows.note(reversalId, failure);
        throw error;
      }
      await this.journal.failed(reversalId, failure);
      return;
    }
    await this.journal.completed(reversalId);
  }
}

function reversalIn(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'reversalId') : undefined;
  if (typeof id !== 'string') throw new Error('The job names no reversal');
  return id;
}
