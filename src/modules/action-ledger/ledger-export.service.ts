import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { Readable } from 'node:stream';
import { LedgerEntries } from './ledger-entries.service.js';
import { type EntryFilters, type LedgerEntryResponse, toEntry } from './ledger-entry.dto.js';

const BATCH = 1_000;

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

/** The list of entries as a table for spreadsheets, however long it is: read and sent in batches. */
@Injectable()
export class LedgerExport {
  constructor(private readonly entries: LedgerEntries) {}

  /** Newest first, with a line of names. The first batch is read before anything is sent: what fails then is answered. */
  async csv(filters: EntryFilters): Promise<Readable> {
    const first = await this.entries.batch(filters, null, BATCH);
    const rows = Readable.from(this.rows(filters, first));
    // A text that begins like a formula is one to a spreadsheet: it gets an apostrophe before it.
    const csv = stringify({
      header: true,
      columns: COLUMNS,
      escape_formulas: true,
      bom: true,
      record_delimiter: '\r\n',
    });
    rows.once('error', (error) => csv.destroy(error));
    csv.once('close', () => rows.destroy());
    return rows.pipe(csv);
  }

  private async *rows(filters: EntryFilters, first: Awaited<ReturnType<LedgerEntries['batch']>>) {
    for (let batch = first; batch.length > 0;) {
      for (const row of batch) yield toEntry(row);
      const last = batch.at(-1);
      batch = last && batch.length === BATCH ? await this.entries.batch(filters, last.sequence, BATCH) : [];
    }
  }
}
