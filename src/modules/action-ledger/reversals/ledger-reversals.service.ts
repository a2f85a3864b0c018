import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { toAppError } from '../../../platform/errors/to-app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { LedgerEntries } from '../ledger-entries.service.js';
import type { ReadDetail } from '../ledger-entry.dto.js';
import { ReversalJournal } from './reversal-journal.js';
import { type EntryPair, ReversalRows } from './reversal-rows.service.js';
import { type RecordedAction, Reversals, type Undo, type Undone } from './reversals.js';

/** What reversing an entry would come to now: the subject's images, or what refuses it. */
export type Rehearsed = { undone: Undone; refusal: null } | { undone: null; refusal: AppError };

/** What an undo may refuse by; anything else is no matter of the subject's. */
const BLOCKING = [400, 404, 409, 422];

/** Undoes what entries say was done, each once. How that is done is known to the modules that register it. */
@Injectable()
export class LedgerReversals {
  constructor(
    private readonly database: Database,
    private readonly undos: Reversals,
    private readonly entries: LedgerEntries,
    private readonly rows: ReversalRows,
    private readonly journal: ReversalJournal,
  ) {}

  /**
   * Undoes the entry and returns the one that says so. Throws 404, 409 `already_reversed` with the reversal, `not_reversible`,
   * `reversal_conflict` with what blocks it.
   */
  async reverse(id: string, reason: string): Promise<ReadDetail> {
    const original = await this.entries.get(id);
    const undo = this.undoOf(original);
    return this.database.transaction(async () => {
      const pair = { originalId: id, reversalId: newId('aled') };
      await this.claim(pair);
      const entry = recordedActionOf(original);
      const undone = await naming(() => undo.reverse(entry, reason));
      await this.journal.reversed(entry, { ...pair, reason, undone });
      await this.checkNow();
      return this.entries.get(pair.reversalId);
    });
  }

  /** What `reverse` would come to: it is carried out, and taken back again. Throws 404. */
  async rehearse(id: string): Promise<Rehearsed> {
    const original = await this.entries.get(id);
    try {
      const undo = this.undoOf(original);
      const undone = await this.database.rehearse(async () => {
        const performed = await naming(() => undo.reverse(recordedActionOf(original), 'A rehearsal'));
        await this.checkNow();
        return performed;
      });
      return { undone, refusal: null };
    } catch (error) {
      if (error instanceof AppError && error.status === 409) return { undone: null, refusal: error };
      throw error;
    }
  }

  private undoOf(entry: ReadDetail): Undo {
    if (entry.reversed_by_entry_id !== null) throw alreadyReversed(entry.reversed_by_entry_id);
    const undo = this.undos.find(entry.action);
    if (!undo) throw notReversible(entry.action, 'no_undo');
    if (!entry.kept) throw notReversible(entry.action, 'payload_erased');
    return undo;
  }

  private async claim(pair: EntryPair): Promise<void> {
    while (!(await this.rows.claim(pair))) {
      const reversalId = await this.rows.findReversalOf(pair.originalId);
      // Null: the one that was there has failed meanwhile.
      if (reversalId !== null) throw alreadyReversed(reversalId);
    }
  }

  /** What is checked at the commit otherwise: then the caller would not hear what blocks the reversal. */
  private async checkNow(): Promise<void> {
    await naming(() => this.database.execute('set constraints all immediate'));
  }
}

function recordedActionOf({ action, subject_type, subject_id, before, after }: ReadDetail): RecordedAction {
  return { action, subjectType: subject_type, subjectId: subject_id, before, after };
}

/** Makes of what the undo refuses a conflict of the reversal that names it. */
async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal || !BLOCKING.includes(refusal.status)) throw error;
    const { message, details, code: reason } = refusal;
    throw conflict('reversal_conflict', `The action cannot be reversed now: ${message}`, { ...details, reason });
  }
}

function alreadyReversed(reversedByEntryId: string): AppError {
  return conflict('already_reversed', 'The action was already reversed', { reversedByEntryId });
}

function notReversible(action: string, reason: 'no_undo' | 'payload_erased'): AppError {
  return conflict('not_reversible', 'The action cannot be reversed', { action, reason });
}
