import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { CreditNote } from '../account/credit-note.entity.js';
import type { CreditedLine } from '../invoices/base-lines.js';
import type { CreditedPart } from './credit-lines.js';
import type { ListCreditNotes } from './credit-note.dto.js';

/** Reads credit notes, which are rows of `invoices`, and the credited amounts. */
@Injectable()
export class CreditNotesRepository {
  private readonly rows: Rows<CreditNote>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(CreditNote);
  }

  async list(query: ListCreditNotes): Promise<{ rows: CreditNote[]; total: number }> {
    const { bookingId, invoiceId, status, issuedFrom, issuedTo, sort = '-createdAt' } = query;
    const found = this.rows.query('note');
    if (bookingId !== undefined) found.andWhere('note.bookingId = :bookingId', { bookingId });
    if (invoiceId !== undefined) found.andWhere('note.originalInvoiceId = :invoiceId', { invoiceId });
    filterRows(found, 'note.status', status);
    if (issuedFrom !== undefined) found.andWhere('note.issueDate >= :issuedFrom', { issuedFrom });
    if (issuedTo !== undefined) found.andWhere('note.issueDate <= :issuedTo', { issuedTo });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const nulls = sort.endsWith('issueDate') ? ('NULLS LAST' as const) : undefined;
    found.orderBy(`note.${sort.replace('-', '')}`, direction, nulls).addOrderBy('note.id', direction);
    return this.rows.page(found, pageBounds(query));
  }

  /** Returns the lines of the credit notes of an invoice except one; with `alsoDrafts` also lines of drafts. */
  async creditedLines(
    invoiceId: string,
    { exceptId, alsoDrafts }: { exceptId: string; alsoDrafts: boolean },
  ): Promise<(CreditedLine & CreditedPart)[]> {
    return this.database.prepared<CreditedLine & CreditedPart>(
      'credit-notes-lines',
      `select line.original_position as "originalPosition", line.total_cents::float8 as "totalCents",
         line.tax_cents::float8 as "taxCents", line.base_total_cents::float8 as "baseTotalCents",
         line.base_net_cents::float8 as "baseNetCents", line.tax_rate_basis_points as "taxRateBasisPoints",
         line.description, line.service_date as "serviceDate"
       from invoices note join invoice_lines line on line.invoice_id = note.id
       where note.original_invoice_id = $1 and note.id <> $2 and (note.number is not null or $3)
       order by note.id, line.position`,
      [invoiceId, exceptId, alsoDrafts],
    );
  }

  /** Returns the ids of the drafts that would credit the invoice. */
  async draftsOf(invoiceId: string): Promise<string[]> {
    const found = await this.database.prepared<{ id: string }>(
      'credit-notes-drafts',
      'select id from invoices where original_invoice_id = $1 and number is null order by id',
      [invoiceId],
    );
    return found.map(({ id }) => id);
  }
}
