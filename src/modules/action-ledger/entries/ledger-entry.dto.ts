import { hasScope } from '../../../platform/auth/access.js';
import { named } from '../../../platform/http/named-values.js';
import { ACTOR_TYPES, type ActorType } from '../../../platform/context/actor.js';
import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Nested, Nullable, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { FormerName, QueryWhole } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { FreeObject, Instant } from '../../../platform/http/trade-fields.js';
import {
  moduleScopeOf,
  REVERSAL_OUTCOMES,
  REVERSAL_STATES,
  type ReversalOutcome,
  type ReversalState,
} from './reversal-handlers.js';

const IRREVERSIBILITIES = named('LedgerIrreversibilityReason', ['already_reversed', 'no_undo', 'payload_erased']);
type Irreversibility = (typeof IRREVERSIBILITIES)[number];

const ACTORS = named('ActorType', ACTOR_TYPES);

/** Filters of ledger entries. All filters must match. */
export class EntryFilters {
  /** Only this action, for example `distribution.channel.create`. */
  @Optional()
  @Text({ max: 200 })
  action?: string;

  /** Only entries about this type of resource, for example `invoice`. */
  @Optional()
  @Text({ max: 100 })
  subjectType?: string;

  /** Only entries about the resource with this ID. */
  @Optional()
  @Text({ max: 200 })
  subjectId?: string;

  /** Only entries caused by the user, key or client with this ID. */
  @Optional()
  @Text({ max: 200 })
  actorId?: string;

  /** Only entries at or after this time. */
  @FormerName('from')
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only entries before this time. */
  @FormerName('to')
  @Optional()
  @Instant()
  createdBefore?: string;
}

/** Filters and paging of the list of ledger entries. */
export class ListEntries extends EntryFilters {
  /** Maximum number of entries, 1 to 200; 50 by default. */
  @Optional()
  @QueryWhole({ min: 1, max: 200 })
  limit?: number;

  /** `nextCursor` of the previous page with the same filters. */
  @Optional()
  @Text({ max: 500 })
  cursor?: string;
}

/** A recorded change. Entries are append-only; only their `before` and `after` states can be erased. */
export class LedgerEntryResponse {
  @Id('aled')
  id: string;

  /** Position in the order of all entries; the numbers can have gaps. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sequence: number;

  /** The recorded action, as `<module>.<resource>.<verb>`. */
  @Text({ max: 200 })
  action: string;

  /** Type of the changed resource. */
  @Text({ max: 100 })
  subjectType: string;

  /** ID of the changed resource. */
  @Text({ max: 200 })
  subjectId: string;

  /** Type of credential or system that caused the change. */
  @OneOf(ACTORS)
  actorType: ActorType;

  /** ID of the user, key or client that caused the change. */
  @Text({ max: 200 })
  actorId: string;

  /** Reason given by the caller; null if none was given. */
  @Text({ min: 0, max: 2000 })
  reason: string | null;

  /** For a reversal, the entry that it reverses; null otherwise. */
  @Id('aled')
  reversesEntryId: string | null;

  /** The entry that reversed this one; null if it was not reversed. */
  @Id('aled')
  reversedByEntryId: string | null;

  /**
   * The entry that answered this one with `recordOnly`: it records a response to the action without undoing it. Null if there
   * is none.
   */
  @Id('aled')
  recordedByEntryId: string | null;

  /**
   * Whether the action supports reversal and has not been reversed. The preview shows whether a reversal would succeed now.
   */
  @Flag()
  reversible: boolean;

  /**
   * For a reversal, its progress: `running` while external systems are being informed; a failed one can be tried again;
   * `recorded` changed nothing. Null for other entries.
   */
  @OneOf(REVERSAL_STATES)
  state: ReversalState | null;

  /** For a completed reversal, whether everything was reversed; null otherwise. */
  @OneOf(REVERSAL_OUTCOMES)
  outcome: ReversalOutcome | null;

  /** The X-Request-Id of the request that caused the change. Clients can choose and repeat it. */
  @Text({ max: 128 })
  correlationId: string;

  /**
   * ID that the service generated for that request, or for the job that made the change. All entries of one request share it; no other entry has it. The request log contains both IDs. Null in entries of earlier versions.
   */
  @Text({ max: 128 })
  serverRequestId: string | null;

  @Instant()
  createdAt: string;
}

/** The reason why an entry cannot be reversed. */
export class LedgerIrreversibility {
  /** `no_undo`: the action has no inverse. */
  @OneOf(IRREVERSIBILITIES)
  reason: Irreversibility;

  /** Explanation in English, such as why the action has no inverse. */
  @Text({ max: 500 })
  message: string;
}

/** A recorded change with the state of the resource before and after it. */
export class LedgerEntryDetail extends LedgerEntryResponse {
  /** State of the resource before the change; null for a creation, if it was erased, or if `missingScope` is set. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  before: Record<string, unknown> | null;

  /** State of the resource after the change; null for a deletion, if it was erased, or if `missingScope` is set. */
  @FreeObject({ maxBytes: 1_048_576, maxDepth: 40 })
  after: Record<string, unknown> | null;

  /**
   * The scope that the caller lacks to see `before` and `after`: the read scope of the module that recorded the change, or
   * `*` if the module has none on this surface. Null if both are shown.
   */
  @Text({ max: 200 })
  missingScope: string | null;

  /**
   * Reason why the entry cannot be reversed; null if it can. `recordOnly` can then record a response to it, unless it is
   * reversed.
   */
  @Nullable()
  @Nested(() => LedgerIrreversibility)
  irreversible: LedgerIrreversibility | null;

  /** For a reversal, the reason why its last attempt failed; null otherwise. */
  @Text({ max: 2000 })
  failure: string | null;
}

export class LedgerEntryEnvelope extends dataOf(LedgerEntryDetail) {}

/** A page of ledger entries. */
export class LedgerEntryPage {
  /** Entries of this page, newest first. */
  @ListOf(() => LedgerEntryResponse, { max: 200 })
  data: LedgerEntryResponse[];

  /** Cursor of the next page; null on the last page. */
  @Text({ max: 500 })
  nextCursor: string | null;
}

/** A row of `action_ledger_entries` with the entry that reversed it. */
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
  recorded_by_entry_id: string | null;
  state: ReversalState | null;
  outcome: ReversalOutcome | null;
  failure: string | null;
  /** False if its payload was erased. */
  kept: boolean;
  correlation_id: string;
  server_request_id: string | null;
  created_at: Date;
}

/** Returns the members that all kinds of entries have. */
export interface Reversible {
  reversible: boolean;
  irreversible: LedgerIrreversibility | null;
}

export type ReadEntry = EntryRow & Reversible;

export function toEntry(row: ReadEntry): LedgerEntryResponse {
  return respond(LedgerEntryResponse, row, {
    sequence: Number(row.sequence),
    subjectType: row.subject_type,
    subjectId: row.subject_id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    reversesEntryId: row.reverses_entry_id,
    reversedByEntryId: row.reversed_by_entry_id,
    recordedByEntryId: row.recorded_by_entry_id,
    correlationId: row.correlation_id,
    serverRequestId: row.server_request_id,
    createdAt: row.created_at.toISOString(),
  });
}

export interface DetailRow extends EntryRow {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export type ReadDetail = DetailRow & Reversible;

/** Omits the states for callers that may not read the resource. */
export function toDetail(row: ReadDetail): LedgerEntryDetail {
  const scope = moduleScopeOf(row.action, 'read');
  const { before, after } = hasScope(scope) ? row : { before: null, after: null };
  return {
    ...toEntry(row),
    before,
    after,
    missingScope: hasScope(scope) ? null : scope,
    irreversible: row.irreversible,
    failure: row.failure,
  };
}
