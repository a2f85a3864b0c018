import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import type { Actor } from '../../platform/context/actor.js';
import { currentActor, currentContext } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Collector } from '../../platform/database/unit-of-work.js';
import { newId } from '../../platform/ids/id.js';
import { aroundSequence, chainOf, type EntryFacts, payloadDigest } from './sealed-entry.js';

/** What was done to what. Secrets never stand in `before` and `after`; personal data only where an undo needs it. */
export interface Change {
  subjectType: string;
  subjectId: string;
  before?: object | null;
  after?: object | null;
  reason?: string | null;
  /** The entry that this one undoes. */
  reversesEntryId?: string;
}

/** Who did it. */
type Recorder = Pick<Actor, 'type' | 'id'>;

interface Entry extends EntryFacts {
  before: string | null;
  after: string | null;
}

/**
 * The append-only record of what was done, and by whom. An entry is written in the transaction of the change, just
 * before its commit: if it cannot be written, nothing happened.
 */
@Injectable()
export class ActionLedger implements Collector<Entry> {
  /** After everything else: the heads of the chains are the most contended rows there are. */
  readonly order = 100;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Records `<module>.<resource>.<verb>` in the running transaction and returns the entry's id. The actor comes from the
   * credential. Throws outside of a transaction.
   */
  record(action: string, change: Change): string {
    return this.append(newId('aled'), action, { ...change, actor: currentActor() });
  }

  /** Records under a given id: a reversal's, and those of demo entries that the API document shows. */
  recordUnder(id: string, action: string, change: Change): string {
    return this.append(id, action, { ...change, actor: currentActor() });
  }

  /** Records what somebody did before there was a credential: a login. */
  recordAs(actor: Recorder, action: string, change: Change): string {
    return this.append(newId('aled'), action, { ...change, actor });
  }

  statement(entries: Entry[]): Statement {
    const payloads = entries.map(({ before, after }) => payloadDigest(before, after));
    const texts = entries.map(({ before: _before, after: _after, ...facts }, n) =>
      aroundSequence(facts, payloads[n] ?? Buffer.alloc(0)),
    );
    const column = <T>(pick: (entry: Entry, index: number) => T): T[] => entries.map(pick);
    return {
      name: 'ledger-append',
      text: 'select ledger_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)',
      values: [
        column(({ id }) => id),
        column(({ subjectType, subjectId }) => chainOf(subjectType, subjectId)),
        column(({ action }) => action),
        column(({ subjectType }) => subjectType),
        column(({ subjectId }) => subjectId),
        column(({ actorType }) => actorType),
        column(({ actorId }) => actorId),
        column(({ reason }) => reason),
        column(({ reversesEntryId }) => reversesEntryId),
        column(({ correlationId }) => correlationId),
        column(({ createdAt }) => createdAt),
        texts.map(([before]) => before),
        texts.map(([, after]) => after),
        column(({ before }) => before),
        column(({ after }) => after),
        payloads,
      ],
    };
  }

  private append(id: string, action: string, change: Change & { actor: Recorder }): string {
    const { actor } = change;
    const entry: Entry = {
      id,
      action,
      subjectType: change.subjectType,
      subjectId: change.subjectId,
      actorType: actor.type,
      actorId: actor.id,
      reason: change.reason ?? null,
      reversesEntryId: change.reversesEntryId ?? null,
      correlationId: currentContext().requestId,
      createdAt: this.clock.now(),
      before: change.before ? JSON.stringify(change.before) : null,
      after: change.after ? JSON.stringify(change.after) : null,
    };
    this.database.collect(this, entry);
    return entry.id;
  }
}
