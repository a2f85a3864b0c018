import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { SigningKeys } from '../../platform/keys/signing-keys.js';
import { Database } from '../../platform/database/database.js';
import { invalidField, notFound } from '../../platform/errors/app-error.js';
import { answerHeader } from '../../platform/http/answer.js';
import type { DetailRow, EntryFilters, EntryRow, ListEntries, ReadDetail, ReadEntry } from './ledger-entry.dto.js';
import { Reversals } from './reversals/reversals.js';

export const LEDGER_ENTRIES_PATH = '/v1/admin/action-ledger/entries';

const PURPOSE = 'ledger-cursor';

const ENTRIES = `
  select entry.id, entry.sequence, entry.action, entry.subject_type, entry.subject_id, entry.actor_type, entry.actor_id,
         entry.reason, entry.reverses_entry_id, entry.correlation_id, entry.created_at,
         reversal.reversal_id as reversed_by_entry_id, own.state, own.outcome, own.failure,
         coalesce(payload.before is not null or payload.after is not null, false) as kept`;
const FROM = `
  from action_ledger_entries entry
    left join ledger_payloads payload on payload.entry_id = entry.id
    left join ledger_reversals reversal on reversal.original_id = entry.id and reversal.state <> 'failed'
    left join ledger_reversals own on own.reversal_id = entry.id`;

/** Each filter with the condition that it adds. */
const FILTERS = {
  action: 'entry.action = ',
  subjectType: 'entry.subject_type = ',
  subjectId: 'entry.subject_id = ',
  actorId: 'entry.actor_id = ',
  from: 'entry.created_at >= ',
  to: 'entry.created_at < ',
} as const;
const FILTER_NAMES = ['action', 'subjectType', 'subjectId', 'actorId', 'from', 'to'] as const;

/** Reading the ledger. */
@Injectable()
export class LedgerEntries {
  constructor(
    private readonly database: Database,
    private readonly signingKeys: SigningKeys,
    private readonly undos: Reversals,
  ) {}

  /** A page, newest first, with a `Link` to the next. Throws 400 on a cursor that is not ours, or of other filters. */
  async list(query: ListEntries): Promise<{ entries: ReadEntry[]; nextCursor: string | null }> {
    const limit = query.limit ?? 50;
    const after = query.cursor === undefined ? null : await this.open(query.cursor, query);
    // One row more than asked for tells whether there is a next page.
    const found = await this.batch(query, after, limit + 1);
    const entries = found.slice(0, limit);
    const last = found.length > limit ? entries.at(-1) : undefined;
    const nextCursor = last ? await this.seal(last.sequence, query) : null;
    if (nextCursor !== null) answerHeader('Link', nextLink(query, nextCursor));
    return { entries, nextCursor };
  }

  /** So many entries, newest first, that come after this sequence in that order. */
  async batch(filters: EntryFilters, after: string | null, limit: number): Promise<ReadEntry[]> {
    const values: unknown[] = [];
    const conditions = FILTER_NAMES.flatMap((name) => {
      if (filters[name] === undefined) return [];
      values.push(filters[name]);
      return [`${FILTERS[name]}$${values.length}`];
    });
    if (after !== null) conditions.push(`entry.sequence < $${values.push(after)}`);
    const found = await this.database.query<EntryRow>(
      `${ENTRIES} ${FROM}
       ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
       order by entry.sequence desc limit $${values.push(limit)}`,
      values,
    );
    return found.map((row) => this.judged(row));
  }

  /** One entry with its payload. Throws 404. */
  async get(id: string): Promise<ReadDetail> {
    const text = `${ENTRIES}, payload.before, payload.after ${FROM} where entry.id = $1`;
    const [entry] = await this.database.query<DetailRow>(text, [id]);
    if (!entry) throw notFound();
    return this.judged(entry);
  }

  private judged<Row extends EntryRow>(row: Row): Row & { reversible: boolean } {
    const isKnown = this.undos.find(row.action) !== null;
    return { ...row, reversible: isKnown && row.kept && row.reversed_by_entry_id === null };
  }

  private seal(sequence: string, query: ListEntries): Promise<string> {
    return this.signingKeys.seal(PURPOSE, [filtersOf(query), sequence]);
  }

  private async open(cursor: string, query: ListEntries): Promise<string> {
    const opened = await this.signingKeys.open(PURPOSE, cursor);
    const [filters, sequence] = listOf(opened);
    if (filters !== filtersOf(query) || typeof sequence !== 'string') {
      throw invalidField('cursor', 'cursor must be the nextCursor of a page with the same filters', 'cursor');
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
