import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../action-ledger.service.js';
import { type EntryPair, ReversalRows } from './reversal-rows.service.js';
import type { RecordedAction, Undone } from './reversals.js';

/** Goes on with reversals that somebody outside has to be told of. */
export const GO_ON_JOB = 'action-ledger.reversals.go-on';

const STATES = { complete: 'completed', fail: 'failed' } as const;

/** What is recorded and told of reversals. */
@Injectable()
export class ReversalJournal {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly rows: ReversalRows,
    private readonly outbox: Outbox,
    private readonly jobs: Jobs,
  ) {}

  /** In the reversal's transaction, in which the entry can be read from now on: the answer shows it. */
  async reversed(
    { action, subjectType, subjectId }: RecordedAction,
    { originalId, reversalId, reason, undone }: EntryPair & { reason: string; undone: Undone },
  ): Promise<void> {
    const { before, after, outcome = 'full', isRunning = false } = undone;
    const change = { subjectType, subjectId, before, after, reason, reversesEntryId: originalId };
    this.ledger.recordUnder(reversalId, `${action}.reverse`, change);
    this.outbox.add({
      channel: 'action-ledger.reversals',
      event: 'ledger.reversed',
      data: { entryId: originalId, reversalId, action, subjectType, subjectId, isRunning },
    });
    if (isRunning) await this.jobs.add(GO_ON_JOB, { reversalId });
    else await this.rows.complete(reversalId, outcome);
    await this.database.flush(this.ledger);
  }

  /** Those outside have been told. */
  async completed(reversalId: string): Promise<void> {
    await this.end(reversalId, 'complete', () => this.rows.complete(reversalId, 'full'));
  }

  /** It is not tried again but by another reversal. */
  async failed(reversalId: string, failure: string): Promise<void> {
    await this.end(reversalId, 'fail', () => this.rows.fail(reversalId, failure));
  }

  private async end(reversalId: string, verb: keyof typeof STATES, write: () => Promise<boolean>): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await write())) return;
      const subject = { subjectType: 'ledger_entry', subjectId: reversalId };
      this.ledger.record(`action-ledger.reversal.${verb}`, { ...subject, after: { state: STATES[verb] } });
    });
  }
}
