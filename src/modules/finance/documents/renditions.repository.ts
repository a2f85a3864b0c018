import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { InvoiceRendition, type RenditionFormat, type RenditionStatus } from './invoice-rendition.entity.js';
import type { ListRenditions } from './rendition.dto.js';

/** Renditions of one invoice, format and language. */
export type RenditionSeries = Pick<InvoiceRendition, 'invoiceId' | 'format' | 'language'>;

export interface DownloadableRendition {
  invoiceId: string;
  /** The booking number of the invoice. */
  number: string;
  format: RenditionFormat;
  status: RenditionStatus;
  storageKey: string | null;
}

/** Reads and writes renditions of invoices. Does not use `Rows.update`, because `version` is not the version of the row. */
@Injectable()
export class RenditionsRepository {
  private readonly rows: Rows<InvoiceRendition>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(InvoiceRendition);
  }

  async findAndLock(id: string): Promise<InvoiceRendition | null> {
    return this.rows.findAndLock(id);
  }

  /** Locks in the order of ids, because the completion of one changes others. */
  async lockSeries({ invoiceId, format, language }: RenditionSeries): Promise<InvoiceRendition[]> {
    const text = `select ${this.rows.columns('rendition')} from invoice_renditions rendition
      where invoice_id = $1 and format = $2 and language = $3 order by id for update`;
    return this.rows.read({ name: 'rendition-lock-series', text, values: [invoiceId, format, language] });
  }

  /** The caller has locked the invoice. */
  async nextVersion({ invoiceId, format, language }: RenditionSeries): Promise<number> {
    const [last] = await this.database.prepared<{ version: number | null }>(
      'rendition-last-version',
      `select max(version) as version from invoice_renditions where invoice_id = $1 and format = $2 and language = $3`,
      [invoiceId, format, language],
    );
    return (last?.version ?? 0) + 1;
  }

  async insert(rendition: InvoiceRendition): Promise<void> {
    await this.rows.insert(rendition);
  }

  /** Writes the columns that rendering changes. */
  async save(rendition: InvoiceRendition): Promise<void> {
    const { id, status, storageKey, sha256, sizeBytes, attempts, failure, readyAt } = rendition;
    await this.database.prepared(
      'rendition-save',
      `update invoice_renditions set status = $2, storage_key = $3, sha256 = $4, size_bytes = $5, attempts = $6,
         failure = $7, ready_at = $8 where id = $1`,
      [id, status, storageKey, sha256, sizeBytes, attempts, failure, readyAt],
    );
  }

  /** Newest first. */
  async list(invoiceId: string, query: ListRenditions): Promise<{ rows: InvoiceRendition[]; total: number }> {
    const found = this.rows.query('rendition').where('rendition.invoiceId = :invoiceId', { invoiceId });
    sortRows(found, query.sort ?? '-createdAt');
    return this.rows.page(found, pageBounds(query));
  }

  /** Returns the current number of the booking of an invoice. */
  async bookingNumberOf(invoiceId: string): Promise<string> {
    const [row] = await this.database.prepared<{ number: string }>(
      'rendition-booking-number',
      `select booking.number from bookings booking join invoices invoice on invoice.booking_id = booking.id
       where invoice.id = $1`,
      [invoiceId],
    );
    if (!row) throw notFound();
    return row.number;
  }

  /** Returns the newest PDF in this language, unless the invoice has changed since it was requested. */
  async findCurrent(invoiceId: string, language: string): Promise<InvoiceRendition | null> {
    const [rendition] = await this.rows.read({
      name: 'rendition-current',
      text: `select ${this.rows.columns('rendition')} from invoice_renditions rendition
        where invoice_id = $1 and format = 'pdf' and language = $2 and status = 'ready'
          and created_at >= (select updated_at from invoices where id = $1)
        order by version desc limit 1`,
      values: [invoiceId, language],
    });
    return rendition ?? null;
  }

  /** Returns the booking and the number of an invoice. Throws 404. */
  async dispatchableOf(invoiceId: string): Promise<{ bookingId: string; number: string | null }> {
    const [row] = await this.database.prepared<{ bookingId: string; number: string | null }>(
      'rendition-dispatchable',
      `select booking_id as "bookingId", number from invoices where id = $1 and type = 'invoice'`,
      [invoiceId],
    );
    if (!row) throw notFound();
    return row;
  }

  /** Returns the ids of the issued invoices of a booking that are not void, the earliest first. */
  async invoicesToDispatch(bookingId: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from invoices
       where booking_id = $1 and type = 'invoice' and number is not null and status not in ('draft', 'void')
       order by issue_date, id limit $2`,
      [bookingId, limit],
    );
    return rows.map(({ id }) => id);
  }

  async getDownloadable(id: string): Promise<DownloadableRendition> {
    const [row] = await this.database.prepared<DownloadableRendition>(
      'rendition-download',
      `select rendition.invoice_id as "invoiceId", invoice.number, rendition.format, rendition.status,
         rendition.storage_key as "storageKey"
       from invoice_renditions rendition join invoices invoice on invoice.id = rendition.invoice_id
       where rendition.id = $1`,
      [id],
    );
    if (!row) throw notFound();
    return row;
  }
}
