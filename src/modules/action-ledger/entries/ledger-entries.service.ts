import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { csvLines } from '../../../platform/http/csv.js';
import { RecordedWrites } from '../../../platform/http/may-be-stale.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import {
  type DetailRow,
  type EntryFilters,
  type EntryRow,
  type LedgerEntryResponse,
  type ListEntries,
  type ReadDetail,
  type ReadEntry,
  type Reversible,
  toEntry,
} from './ledger-entry.dto.js';
import { ReversalHandlers } from './reversal-handlers.js';

export const LEDGER_ENTRIES_PATH = '/v1/admin/action-ledger/entries';

const PURPOSE = 'ledger-cursor';

const ENTRIES = `
  select entry.id, entry.sequence, entry.action, entry.subject_type, entry.subject_id, entry.actor_type, entry.actor_id,
         entry.reason, entry.reverses_entry_id, entry.correlation_id, entry.server_request_id, entry.created_at,
         reversal.reversal_id as reversed_by_entry_id, record.reversal_id as recorded_by_entry_id, own.state, own.outcome, own.failure,
         coalesce(payload.before is not null or payload.after is not null, false) as kept`;
const FROM = `
  from action_ledger_entries entry
    left join ledger_payloads payload on payload.entry_id = entry.id
    left join ledger_reversals reversal on reversal.original_id = entry.id and reversal.state in ('running', 'completed')
    left join ledger_reversals record on record.original_id = entry.id and record.state = 'recorded'
    left join ledger_reversals own on own.reversal_id = entry.id`;

/** SQL condition of each filter. */
const FILTERS = {
  action: 'entry.action = ',
  subjectType: 'entry.subject_type = ',
  subjectId: 'entry.subject_id = ',
  actorId: 'entry.actor_id = ',
  createdAfter: 'entry.created_at >= ',
  createdBefore: 'entry.created_at < ',
} as const;
/**
 * Selects an upper bound for the sequence of entries before the instant, so that a page of old entries does not scan all newer
 * ones. An entry is appended at most an hour after its time: no transaction lasts longer, and the clocks of the servers differ
 * by less. `+ 0`: otherwise PostgreSQL searches the maximum backwards from the newest entry.
 */
const LAST_SEQUENCE_BEFORE = (instant: string) => `(
  select max(near.sequence + 0) from action_ledger_entries near where near.created_at between coalesce(
    (select created_at from action_ledger_entries where created_at < ${instant} order by created_at desc limit 1), ${instant}
  ) - interval '1 hour' and coalesce(
    (select created_at from action_ledger_entries where created_at >= ${instant} order by created_at limit 1), 'infinity'
  ) + interval '1 hour')`;
const FILTER_NAMES = ['action', 'subjectType', 'subjectId', 'actorId', 'createdAfter', 'createdBefore'] as const;

const LAST_ENTRY_OF = `
  select created_at as at from action_ledger_entries where actor_id = $1 order by sequence desc limit 1`;

/** Entries per batch of an export. */
const BATCH = 1_000;
/** Rows converted to text without a pause. Other requests wait this long at most. */
const SLICE = 100;

const CSV_COLUMNS = [
  'sequence',
  'createdAt',
  'action',
  'subjectType',
  'subjectId',
  'actorType',
  'actorId',
  'reason',
  'reversesEntryId',
  'reversedByEntryId',
  'recordedByEntryId',
  'state',
  'outcome',
  'correlationId',
  'serverRequestId',
  'id',
] as const satisfies (keyof LedgerEntryResponse)[];
/** Spreadsheets recognize UTF-8 by it. */
const BYTE_ORDER_MARK = '\ufeff';

/** Reads ledger entries: pages, single entries, and the CSV export. */
@Injectable()
@Listens(RecordedWrites, 10)
export class LedgerEntriesService implements RecordedWrites {
  constructor(
    private readonly database: Database,
    private readonly signingKeys: SigningKeys,
    private readonly handlers: ReversalHandlers,
  ) {}

  /** Returns a page, newest first, with a `Link` to the next one. */
  async list(query: ListEntries): Promise<{ entries: ReadEntry[]; nextCursor: string | null }> {
    const limit = query.limit ?? 50;
    const after = query.cursor === undefined ? null : await this.open(query.cursor, query);
    // One more row than requested shows whether there is a next page.
    const found = await this.batch(query, after, limit + 1);
    const entries = found.slice(0, limit);
    const last = found.length > limit ? entries.at(-1) : undefined;
    const nextCursor = last ? await this.seal(last.sequence, query) : null;
    if (nextCursor !== null) setResponseHeader('Link', nextLink(query, nextCursor));
    return { entries, nextCursor };
  }

  /**
   * Writes all matching entries, newest first, as CSV with a header line, and reads them in batches. It reads the first batch
   * before it sends anything, so an early error gets a regular response.
   */
  async exportCsv(filters: EntryFilters): Promise<Readable> {
    const first = await this.batch(filters, null, BATCH);
    return Readable.from(this.csvParts(filters, first), { objectMode: false });
  }

  /** Returns an entry with its payload. */
  async get(id: string): Promise<ReadDetail> {
    const text = `${ENTRIES}, payload.before, payload.after ${FROM} where entry.id = $1`;
    const [entry] = await this.database.query<DetailRow>(text, [id]);
    if (!entry) throw notFound();
    return this.withReversible(entry);
  }

  async hasWrittenSince(actorId: string, instant: Date): Promise<boolean> {
    const [last] = await this.database.prepared<{ at: Date }>('ledger-last-entry', LAST_ENTRY_OF, [actorId]);
    return last !== undefined && last.at > instant;
  }

  private async *csvParts(filters: EntryFilters, first: ReadEntry[]) {
    yield BYTE_ORDER_MARK + csvLines([CSV_COLUMNS]);
    for (let batch = first; batch.length > 0;) {
      for (let from = 0; from < batch.length; from += SLICE) {
        const entries = batch.slice(from, from + SLICE).map(toEntry);
        yield csvLines(entries.map((entry) => CSV_COLUMNS.map((name) => entry[name])));
        await setImmediate();
      }
      const last = batch.at(-1);
      batch = last && batch.length === BATCH ? await this.batch(filters, last.sequence, BATCH) : [];
    }
  }

  /** Reads up to `limit` entries before the sequence `after`, newest first. */
  private async batch(filters: EntryFilters, after: string | null, limit: number): Promise<ReadEntry[]> {
    const values: unknown[] = [];
    const conditions = FILTER_NAMES.flatMap((name) => {
      if (filters[name] === undefined) return [];
      values.push(filters[name]);
      return [`${FILTERS[name]}$${values.length}`];
    });
    if (filters.createdBefore !== undefined) {
      conditions.push(
        `entry.sequence <= ${LAST_SEQUENCE_BEFORE(`$${values.push(filters.createdBefore)}::timestamptz`)}`,
      );
    }
    if (after !== null) conditions.push(`entry.sequence < $${values.push(after)}`);
    const found = await this.database.query<EntryRow>(
      `${ENTRIES} ${FROM}
       ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
       order by entry.sequence desc limit $${values.push(limit)}`,
      values,
    );
    return found.map((row) => this.withReversible(row));
  }

  private withReversible<Row extends EntryRow>(row: Row): Row & Reversible {
    const irreversible = this.irreversibilityOf(row);
    return { ...row, reversible: irreversible === null, irreversible };
  }

  private irreversibilityOf({ action, kept, reversed_by_entry_id: reversedBy }: EntryRow): Reversible['irreversible'] {
    if (reversedBy !== null) return { reason: 'already_reversed', message: 'The action was already reversed' };
    if (this.handlers.find(action) === null)
      return { reason: 'no_undo', message: this.handlers.whyIrreversible(action) };
    if (!kept) return { reason: 'payload_erased', message: 'The state before the action was erased' };
    return null;
  }

  private seal(sequence: string, query: ListEntries): Promise<string> {
    return this.signingKeys.sign(PURPOSE, [filtersOf(query), sequence]);
  }

  private async open(cursor: string, query: ListEntries): Promise<string> {
    const opened = await this.signingKeys.verify(PURPOSE, cursor);
    const [filters, sequence] = listOf(opened);
    if (filters !== filtersOf(query) || typeof sequence !== 'string') {
      throw invalidField('cursor', 'cursor must be the nextCursor of a page with the same filters', 'wrong_cursor');
    }
    return sequence;
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function nextLink(query: ListEntries, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor })) parameters.set(name, String(value));
  return `<${LEDGER_ENTRIES_PATH}?${parameters.toString()}>; rel="next"`;
}

function filtersOf(query: ListEntries): string {
  const filters = JSON.stringify(FILTER_NAMES.map((name) => query[name] ?? null));
  return createHash('sha256').update(filters).digest('base64url').slice(0, 22);
}
