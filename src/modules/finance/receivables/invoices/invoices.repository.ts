import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Rows } from '../../../../platform/database/rows.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import type { IssuerCopy } from '../../../organization/index.js';
import { type BaseAmounts, NEXT_NUMBER, nextNumberValues, type NumberSource } from '../../books/index.js';
import { BillingDocument, type PricedLine, sellerOf } from '../account/billing-document.entity.js';
import type { CreditNote, CreditNoteIssue } from '../account/credit-note.entity.js';
import { Invoice, type InvoiceIssue } from '../account/invoice.entity.js';
import type { ListInvoices } from './invoice.dto.js';
import { InvoiceLine } from './invoice-line.entity.js';
import { type ListContext, listStatement } from './invoice-list.sql.js';

export interface InvoiceWithLines {
  invoice: Invoice;
  lines: readonly PricedLine[];
}

export interface CreditNoteWithLines {
  note: CreditNote;
  lines: readonly PricedLine[];
}

export interface DocumentWithLines {
  document: Invoice | CreditNote;
  lines: readonly PricedLine[];
}

/** The values with which a document is issued, except the sequence of its number. */
interface NumberTerms extends Partial<InvoiceIssue & CreditNoteIssue> {
  source: NumberSource;
  status: BillingDocument['status'];
  issuer: IssuerCopy;
  base: BaseAmounts;
  issuedAt: Date;
}

const LINES = `coalesce((
  select json_agg(json_build_object(
    'bookingItemId', line.booking_item_id, 'description', line.description,
    'quantity', trim_scale(line.quantity)::text, 'priceBasis', line.price_basis,
    'unitPriceCents', line.unit_price_cents, 'taxCodeId', line.tax_code_id, 'taxCode', line.tax_code,
    'taxKind', line.tax_kind, 'mention', line.mention,
    'serviceDate', line.service_date, 'serviceEndDate', line.service_end_date,
    'taxRateBasisPoints', line.tax_rate_basis_points, 'netCents', line.net_cents, 'taxCents', line.tax_cents,
    'totalCents', line.total_cents, 'originalPosition', line.original_position, 'baseNetCents', line.base_net_cents,
    'baseTaxCents', line.base_tax_cents, 'baseTotalCents', line.base_total_cents) order by line.position)
  from invoice_lines line where line.invoice_id = invoice.id), '[]'::json)`;

/**
 * Assigns the number and stores it with the copy of the issuer, in one statement, the last one before the ledger's, so that the
 * series is locked briefly.
 */
const ISSUE = `with ${NEXT_NUMBER}, issued as (
  update invoices set number = next_number.number, series_id = $1, period_key = $2, sequence = next_number.sequence,
    issue_date = $3::date, status = $9, due_date = $10::date, seller_name = $11, seller_address = $12,
    seller_tax_id = $13, issued_at = $14, paid_cents = $15, open_reduced_cents = $16,
    released_cents = $17, base_currency = $18, exchange_rate = $19, base_subtotal_cents = $20, base_tax_cents = $21,
    base_total_cents = $22, updated_at = $14, version = version + 1
  from next_number where invoices.id = $7 and invoices.version = $8
  returning invoices.id, next_number.number, next_number.sequence
), copied as (
  insert into invoice_issuers (invoice_id, issuer) select id, $23 from issued
)
select number, sequence from issued`;

/** Reads and writes invoices, credit notes and their lines; each read is one statement. */
@Injectable()
export class InvoicesRepository {
  private readonly rows: Rows<Invoice | CreditNote>;

  constructor(private readonly database: Database) {
    this.rows = database.rows<Invoice | CreditNote>(BillingDocument);
  }

  async get(id: string): Promise<DocumentWithLines> {
    return this.read('invoice-get', id, '');
  }

  async getInvoice(id: string): Promise<InvoiceWithLines> {
    const { document, lines } = await this.get(id);
    if (document.type !== 'invoice') throw notFound();
    return { invoice: document, lines };
  }

  async getCreditNote(id: string): Promise<CreditNoteWithLines> {
    return asCreditNote(await this.get(id));
  }

  /** Locks the document until the transaction ends. */
  async lock(id: string): Promise<DocumentWithLines> {
    return this.read('invoice-lock', id, 'for no key update of invoice');
  }

  async lockCreditNote(id: string): Promise<CreditNoteWithLines> {
    return asCreditNote(await this.lock(id));
  }

  async bookingIdOf(id: string, details?: { field: string }): Promise<string> {
    const [row] = await this.database.prepared<{ bookingId: string }>(
      'invoice-booking',
      'select booking_id as "bookingId" from invoices where id = $1',
      [id],
    );
    if (!row) throw notFound(details);
    return row.bookingId;
  }

  async list(query: ListInvoices, context: ListContext): Promise<{ rows: Invoice[]; total: number }> {
    const columns = this.database.columnsOf(Invoice, 'invoice');
    const statement = listStatement(query, { columns, ...context });
    const found = await this.database.read<Invoice, { id: string | null; total: string }>(Invoice, statement);
    return {
      rows: found.filter(({ raw }) => raw.id !== null).map(({ entity }) => entity),
      total: Number(found[0]?.raw.total ?? 0),
    };
  }

  async insert(document: Invoice | CreditNote, lines: readonly PricedLine[]): Promise<void> {
    await this.rows.insert(document);
    await this.insertLines(document.id, lines);
  }

  async update(document: Invoice | CreditNote): Promise<void> {
    await this.rows.update(document);
  }

  async linesOf(invoiceId: string): Promise<PricedLine[]> {
    const [row] = await this.database.prepared<{ lines: PricedLine[] }>(
      'invoice-lines',
      `select ${LINES} as lines from invoices invoice where invoice.id = $1`,
      [invoiceId],
    );
    return row?.lines ?? [];
  }

  async replaceLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    await this.database.repository(InvoiceLine).delete({ invoiceId });
    await this.insertLines(invoiceId, lines);
  }

  async delete(id: string): Promise<void> {
    await this.database.repository(InvoiceLine).delete({ invoiceId: id });
    await this.database.repository<BillingDocument>(BillingDocument).delete({ id });
  }

  /** Returns null if the series has a document with a later issue date. */
  async assignNumber(
    { id, version }: BillingDocument,
    terms: NumberTerms,
  ): Promise<{ number: string; sequence: number } | null> {
    const { source, issuer, base } = terms;
    const seller = sellerOf(issuer);
    const [assigned] = await this.database.prepared<{ number: string; sequence: string }>('invoice-issue', ISSUE, [
      ...nextNumberValues(source),
      id,
      version,
      terms.status,
      terms.dueDate ?? null,
      seller.name,
      seller.address,
      seller.taxId,
      terms.issuedAt,
      terms.paidCents ?? 0,
      terms.openReducedCents ?? null,
      terms.releasedCents ?? null,
      base.baseCurrency,
      base.exchangeRate,
      base.baseSubtotalCents,
      base.baseTaxCents,
      base.baseTotalCents,
      issuer,
    ]);
    return assigned ? { number: assigned.number, sequence: Number(assigned.sequence) } : null;
  }

  private async read(name: string, id: string, locking: string): Promise<DocumentWithLines> {
    const [found] = await this.database.read<Invoice | CreditNote, { lines: PricedLine[] }>(BillingDocument, {
      name,
      text: `select ${this.rows.columns('invoice')}, ${LINES} as lines
        from invoices invoice where invoice.id = $1 ${locking}`,
      values: [id],
    });
    if (!found) throw notFound();
    return { document: found.entity, lines: found.raw.lines };
  }

  private async insertLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    const rows = lines.map((line, index) => ({ ...line, invoiceId, position: index + 1 }));
    await this.database.repository(InvoiceLine).insert(rows);
  }
}

function asCreditNote({ document, lines }: DocumentWithLines): CreditNoteWithLines {
  if (document.type !== 'credit_note') throw notFound();
  return { note: document, lines };
}
