import { ACTOR_TYPES, type ActorType } from '../../platform/context/actor.js';
import { dataOf } from '../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Text, Whole } from '../../platform/http/fields.js';
import { QueryWhole } from '../../platform/http/query-fields.js';
import { FreeObject, Instant } from '../../platform/http/trade-fields.js';
import { REVERSAL_OUTCOMES, REVERSAL_STATES, type ReversalOutcome, type ReversalState } from './reversals/reversals.js';

export class EntryFilters {
  /** e.g. `distribution.channel.create`. */
  @Optional()
  @Text({ max: 200 })
  action?: string;

  @Optional()
  @Text({ max: 100 })
  subjectType?: string;

  @Optional()
  @Text({ max: 200 })
  subjectId?: string;

  @Optional()
  @Text({ max: 200 })
  actorId?: string;

  /** Entries from this instant on. */
  @Optional()
  @Instant()
  from?: string;

  /** Entries before this instant. */
  @Optional()
  @Instant()
  to?: string;
}

export class ListEntries extends EntryFilters {
  /** How many, 1 to 200; 50 unless given. */
  @Optional()
  @QueryWhole({ min: 1, max: 200 })
  limit?: number;

  /** The `nextCursor` of the page before; it belongs to the same filters. */
  @Optional()
  @Text({ max: 500 })
  cursor?: string;
}

export class LedgerEntryResponse {
  @Id('aled')
  id: string;

  /** Orders the entries; it may have gaps. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sequence: number;

  /** What was done: `<module>.<resource>.<verb>`. */
  @Text({ max: 200 })
  action: string;

  @Text({ max: 100 })
  subjectType: string;

  @Text({ max: 200 })
  subjectId: string;

  @OneOf(ACTOR_TYPES)
  actorType: ActorType;

  @Text({ max: 200 })
  actorId: string;

  @Text({ min: 0, max: 2000 })
  reason: string | null;

  /** The entry that this one undoes. */
  @Id('aled')
  reversesEntryId: string | null;

  /** The entry that undid this one. */
  @Id('aled')
  reversedByEntryId: string | null;

  /** Whether there is a way to undo it that was not taken yet; the preview says whether it is open now. */
  @Flag()
  reversible: boolean;

  /** Of a reversal: how far it got. Somebody outside has to be told of a running one; a failed one may be tried again. */
  @OneOf(REVERSAL_STATES)
  state: ReversalState | null;

  /** Of a completed reversal: whether all of it is undone. */
  @OneOf(REVERSAL_OUTCOMES)
  outcome: ReversalOutcome | null;

  /** The X-Request-Id of the request that caused it. */
  @Text({ max: 128 })
  correlationId: string;

  @Instant()
  createdAt: string;
}

export class LedgerEntryDetail extends LedgerEntryResponse {
  /** The subject before the change; null for a create, or if it was erased. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  before: Record<string, unknown> | null;

  /** The subject after the change; null for a removal, or if it was erased. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  after: Record<string, unknown> | null;

  /** Of a reversal: why its last attempt did not succeed. */
  @Text({ max: 2000 })
  failure: string | null;
}

export class LedgerEntryEnvelope extends dataOf(LedgerEntryDetail) {}

export class LedgerEntryPage {
  @ListOf(() => LedgerEntryResponse, { max: 200 })
  data: LedgerEntryResponse[];

  /** Null on the last page. */
  @Text({ max: 500 })
  nextCursor: string | null;
}

/** A row of action_ledger_entries with what undid it. */
export interface EntryRow {
  id: string;
  sequence: string;
  action: string;
  subject_type: string;
  subject_id: string;
  actor_type: ActorType;
  actor_id: string;
  reason: string | null;
  reverses_entry_id: string | null;
  reversed_by_entry_id: string | null;
  state: ReversalState | null;
  outcome: ReversalOutcome | null;
  failure: string | null;
  /** Whether its payload was not erased. */
  kept: boolean;
  correlation_id: string;
  created_at: Date;
}

/** What no row says of itself. */
interface Reversible {
  reversible: boolean;
}

export type ReadEntry = EntryRow & Reversible;

export function toEntry(row: ReadEntry): LedgerEntryResponse {
  return {
    id: row.id,
    sequence: Number(row.sequence),
    action: row.action,
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    reason: row.reason,
    reversesEntryId: row.reverses_entry_id,
    reversedByEntryId: row.reversed_by_entry_id,
    reversible: row.reversible,
    state: row.state,
    outcome: row.outcome,
    correlationId: row.correlation_id,
    createdAt: row.created_at.toISOString(),
  };
}

export interface DetailRow extends EntryRow {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export type ReadDetail = DetailRow & Reversible;

export function toDetail(row: ReadDetail): LedgerEntryDetail {
  return { ...toEntry(row), before: row.before, after: row.after, failure: row.failure };
}
