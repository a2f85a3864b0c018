import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/id.js';
import type { ReversalOutcome } from '../entries/reversal-handlers.js';

/** The reversed entry, and the entry of the reversal. */
export interface EntryPair {
  originalId: string;
  reversalId: string;
}

const MAX_FAILURE_LENGTH = 2000;

/** Reads and writes reversals. A unique key permits one reversal per entry, not counting failed ones. */
@Injectable()
export class LedgerReversalsRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds a running reversal. Waits for a concurrent reversal of the same entry. Returns false if the entry already has a reversal. */
  async claim({ originalId, reversalId }: EntryPair): Promise<boolean> {
    const { count } = await this.database.execute(
      `insert into ledger_reversals (id, original_id, reversal_id, state, created_at)
       values ($1, $2, $3, 'running', $4) on conflict do nothing`,
      [newId('lrev'), originalId, reversalId, this.clock.now()],
    );
    return count === 1;
  }

  /** Adds a reversal that only records; returns false if there is one. */
  async addRecorded({ originalId, reversalId }: EntryPair): Promise<boolean> {
    const { count } = await this.database.execute(
      `insert into ledger_reversals (id, original_id, reversal_id, state, created_at, finished_at)
       values ($1, $2, $3, 'recorded', $4, $4) on conflict do nothing`,
      [newId('lrev'), originalId, reversalId, this.clock.now()],
    );
    return count === 1;
  }

  /** The reversal of this entry that is running or completed, if any. */
  async findReversalId(originalId: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>(
      `select reversal_id as id from ledger_reversals where original_id = $1 and state in ('running', 'completed')`,
      [originalId],
    );
    return row?.id ?? null;
  }

  /** Counts another attempt of a running reversal; null if it has ended. */
  async begin(reversalId: string): Promise<{ originalId: string; attempts: number } | null> {
    const [row] = await this.database.query<{ originalId: string; attempts: number }>(
      `update ledger_reversals set attempts = attempts + 1 where reversal_id = $1 and state = 'running'
       returning original_id as "originalId", attempts`,
      [reversalId],
    );
    return row ?? null;
  }

  /** Returns false if it had already ended. */
  async complete(reversalId: string, outcome: ReversalOutcome): Promise<boolean> {
    const { count } = await this.database.execute(
      `update ledger_reversals set state = 'completed', outcome = $2, failure = null, finished_at = $3
       where reversal_id = $1 and state = 'running'`,
      [reversalId, outcome, this.clock.now()],
    );
    return count === 1;
  }

  /** Stores why the last attempt failed; another one follows. */
  async recordFailure(reversalId: string, failure: string): Promise<void> {
    await this.database.execute(
      `update ledger_reversals set failure = $2 where reversal_id = $1 and state = 'running'`,
      [reversalId, failure.slice(0, MAX_FAILURE_LENGTH)],
    );
  }

  /** Ends the reversal; another one may follow. Returns false if it had already ended. */
  async fail(reversalId: string, failure: string): Promise<boolean> {
    const { count } = await this.database.execute(
      `update ledger_reversals set state = 'failed', failure = $2, finished_at = $3
       where reversal_id = $1 and state = 'running'`,
      [reversalId, failure.slice(0, MAX_FAILURE_LENGTH), this.clock.now()],
    );
    return count === 1;
  }
}
