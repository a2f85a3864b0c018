import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import type { ListInvoices } from './invoice.dto.js';
import { listStatement } from './invoice-list.sql.js';
import type { DetailedInvoiceView, InvoiceView } from './invoice-response.dto.js';
import { COLUMNS, type InvoiceRow, LINES, OVERDUE, toView } from './invoice-row.js';
import type { PricedLine } from './line-amounts.js';

type Detailed = InvoiceRow & { lines: PricedLine[] };
type Listed = (InvoiceRow | { id: null }) & { total: string };

/** Invoices as they are answered: one statement for one with its lines, one for a page and its total. */
@Injectable()
export class InvoiceReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404. */
  async get(id: string): Promise<DetailedInvoiceView> {
    const [row] = await this.database.prepared<Detailed>(
      'invoice-get',
      `select ${COLUMNS}, ${OVERDUE} as overdue, ${LINES} as lines from invoices invoice where invoice.id = $2`,
      [this.clock.today(), id],
    );
    if (!row) throw notFound();
    return { ...toView(row), lines: row.lines };
  }

  /** Holds the invoice until the end of the running transaction. Throws 404. */
  async lock(id: string): Promise<DetailedInvoiceView> {
    const [held] = await this.database.prepared(
      'invoice-lock',
      'select from invoices where id = $1 for no key update',
      [id],
    );
    if (!held) throw notFound();
    return this.get(id);
  }

  /** Throws 404. */
  async bookingIdOf(id: string): Promise<string> {
    const [row] = await this.database.prepared<{ bookingId: string }>(
      'invoice-booking',
      'select booking_id as "bookingId" from invoices where id = $1',
      [id],
    );
    if (!row) throw notFound();
    return row.bookingId;
  }

  async list(query: ListInvoices): Promise<{ views: InvoiceView[]; total: number }> {
    const { name, text, values } = listStatement(query, this.clock.today());
    const rows =
      name === null
        ? await this.database.query<Listed>(text, values)
        : await this.database.prepared<Listed>(name, text, values);
    return {
      views: rows.flatMap((row) => (row.id === null ? [] : [toView(row)])),
      total: Number(rows[0]?.total ?? 0),
    };
  }
}
