import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/id.js';
import type { ReversalOutcome } from './reversals.js';

/** The entry that is undone, and the entry that says so. */
export interface EntryPair {
  originalId: string;
  reversalId: string;
}

const MAX_FAILURE = 2000;

/** Which entry undoes which: at most one that has not failed, as the database's unique key has it. */
@Injectable()
export class ReversalRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Begins a reversal. Waits for one that is being tried, and is false where that, or an earlier one, stands. */
  async claim({ originalId, reversalId }: EntryPair): Promise<boolean> {
    const { count } = await this.database.execute(
      `insert into ledger_reversals (id, original_id, reversal_id, state, created_at)
       values ($1, $2, $3, 'running', $4) on conflict do nothing`,
      [newId('lrev'), originalId, reversalId, this.clock.now()],
    );
    return count === 1;
  }

  /** The entry that undoes this one; null where none does. */
  async findReversalOf(originalId: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(
      `select reversal_id as id from ledger_reversals where original_id = $1 and state <> 'failed'`,
      [originalId],
    );
    return row?.id ?? null;
  }

  /** Counts one more attempt of a running reversal; null where it is over. */
  async begin(reversalId: string): Promise<{ originalId: string; attempts: number } | null> {
    const [row] = await this.database.query<{ originalId: string; attempts: number }>(
      `update ledger_reversals set attempts = attempts + 1 where reversal_id = $1 and state = 'running'
       returning original_id as "originalId", attempts`,
      [reversalId],
    );
    return row ?? null;
  }

  /** False where it was over already. */
  async complete(reversalId: string, outcome: ReversalOutcome): Promise<boolean> {
    const { count } = await this.database.execute(
      `update ledger_reversals set state = 'completed', outcome = $2, failure = null, finished_at = $3
       where reversal_id = $1 and state = 'running'`,
      [reversalId, outcome, this.clock.now()],
    );
    return count === 1;
  }

  /** Why the last attempt did not succeed; there is another one. */
  async note(reversalId: string, failure: string): Promise<void> {
    await this.database.execute(
      `update ledger_reversals set failure = $2 where reversal_id = $1 and state = 'running'`,
      [reversalId, failure.slice(0, MAX_FAILURE)],
    );
  }

  /** No more attempts are made: the entry may be undone by another reversal. False where it was over already. */
  async fail(reversalId: string, failure: string): Promise<boolean> {
    const { count } = await this.database.execute(
      `update ledger_reversals set state = 'failed', failure = $2, finished_at = $3
       where reversal_id = $1 and state = 'running'`,
      [reversalId, failure.slice(0, MAX_FAILURE), this.clock.now()],
    );
    return count === 1;
  }
}
