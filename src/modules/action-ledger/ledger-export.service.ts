import { Injectable } from '@nestjs/common';
import { type Options, stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { LedgerEntries } from './ledger-entries.service.js';
import { type EntryFilters, type LedgerEntryResponse, toEntry } from './ledger-entry.dto.js';

const BATCH = 1_000;
/** Rows that become text at once: whoever else is served waits no longer than that. */
const SLICE = 100;

const COLUMNS: (keyof LedgerEntryResponse)[] = [
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
  'state',
  'outcome',
  'correlationId',
  'id',
];

// A text that begins like a formula is one to a spreadsheet: it gets an apostrophe before it.
const FORMAT: Options = { columns: COLUMNS, escape_formulas: true, record_delimiter: '\r\n' };

/** The list of entries as a table for spreadsheets, however long it is: read in batches, and sent in small parts. */
@Injectable()
export class LedgerExport {
  constructor(private readonly entries: LedgerEntries) {}

  /** Newest first, with a line of names. The first batch is read before anything is sent: what fails then is answered. */
  async csv(filters: EntryFilters): Promise<Readable> {
    const first = await this.entries.batch(filters, null, BATCH);
    return Readable.from(this.parts(filters, first), { objectMode: false });
  }

  private async *parts(filters: EntryFilters, first: Awaited<ReturnType<LedgerEntries['batch']>>) {
    yield stringify([], { ...FORMAT, header: true, bom: true });
    for (let batch = first; batch.length > 0;) {
      for (let from = 0; from < batch.length; from += SLICE) {
        yield stringify(batch.slice(from, from + SLICE).map(toEntry), FORMAT);
        await setImmediate();
      }
      const last = batch.at(-1);
      batch = last && batch.length === BATCH ? await this.entries.batch(filters, last.sequence, BATCH) : [];
    }
  }
}
