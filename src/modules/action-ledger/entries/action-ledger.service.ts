import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { currentActor, currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import type { Collector } from '../../../platform/database/transaction-state.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { ProvisioningListener } from '../../../platform/provisioning/provisioning.js';
import { aroundSequence, chainOf, payloadDigest, type SealedMembers } from './sealed-entry.js';

/** A change of a subject. `before` and `after` never contain secrets, and personal data only if a reversal restores it. */
export interface Change {
  subjectType: string;
  subjectId: string;
  before?: object | null;
  after?: object | null;
  reason?: string | null;
  /** The entry that this one reverses. */
  reversesEntryId?: string;
}

/** The changes of its subject that an undoing use case has recorded so far. */
interface Undone {
  readonly subjectType: string;
  readonly subjectId: string;
  images: { before: object | null; after: object | null } | null;
}

const undoing = new AsyncLocalStorage<Undone>();

type Recorder = Pick<Actor, 'type' | 'id'>;

interface Entry extends SealedMembers {
  before: string | null;
  after: string | null;
}

/**
 * The append-only audit of all changes. An entry is written in the transaction of the change, just before its commit: if it
 * cannot be written, the change is rolled back.
 */
@Injectable()
@Listens(ProvisioningListener, 10)
export class ActionLedger implements Collector<Entry>, ProvisioningListener {
  /** Runs after all other collectors, because the heads of the chains are the most contended rows. */
  readonly order = 100;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Records `<module>.<resource>.<verb>` in the running transaction and returns the id of the entry. The credential determines
   * the actor. Throws if no transaction is running.
   */
  record(action: string, change: Change): string {
    return this.append(newId('aled'), action, { ...change, actor: currentActor() });
  }

  /** Records an entry with a given id, for reversals and for demo entries in the API document. */
  recordUnder(id: string, action: string, change: Change): string {
    return this.append(id, action, { ...change, actor: currentActor() });
  }

  /** Records an action of an actor that has no credential yet, such as a login. */
  recordAs(actor: Recorder, action: string, change: Change): string {
    return this.append(newId('aled'), action, { ...change, actor });
  }

  /**
   * Performs a use case as the reversal of an entry. Changes of the entry's subject are not recorded but returned, for the
   * entry of the reversal; changes of other subjects are recorded. A reversal must change its subject.
   */
  async takeBack(
    { subjectType, subjectId }: Pick<Change, 'subjectType' | 'subjectId'>,
    perform: () => Promise<unknown>,
  ): Promise<{ before: object | null; after: object | null }> {
    const undone: Undone = { subjectType, subjectId, images: null };
    await undoing.run(undone, perform);
    if (!undone.images)
      throw conflict('nothing_to_reverse', 'The effect of the action has ended already', { subjectType, subjectId });
    return undone.images;
  }

  async applied(section: string, rows: number): Promise<void> {
    this.record('platform.provisioning.apply', {
      subjectType: 'provisioning_section',
      subjectId: section,
      after: { rows },
    });
  }

  statement(entries: Entry[]): Statement {
    const payloads = entries.map(({ before, after }) => payloadDigest(before, after));
    const texts = entries.map(({ before: _before, after: _after, ...facts }, n) =>
      aroundSequence(facts, payloads[n] ?? Buffer.alloc(0)),
    );
    const column = <T>(pick: (entry: Entry, index: number) => T): T[] => entries.map(pick);
    return {
      name: 'ledger-append',
      text: 'select ledger_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)',
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
        column(({ serverRequestId }) => serverRequestId),
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
    const undone = undoing.getStore();
    if (undone && undone.subjectType === change.subjectType && undone.subjectId === change.subjectId) {
      const { before = null, after = null } = change;
      undone.images = { before: undone.images ? undone.images.before : before, after };
      return id;
    }
    const { actor } = change;
    const { requestId, serverRequestId } = currentContext();
    const entry: Entry = {
      id,
      action,
      subjectType: change.subjectType,
      subjectId: change.subjectId,
      actorType: actor.type,
      actorId: actor.id,
      reason: change.reason ?? null,
      reversesEntryId: change.reversesEntryId ?? null,
      correlationId: requestId,
      serverRequestId,
      createdAt: this.clock.now(),
      before: change.before ? JSON.stringify(change.before) : null,
      after: change.after ? JSON.stringify(change.after) : null,
    };
    this.database.collect(this, entry);
    return entry.id;
  }
}
