import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ListSupplierInvoices, SORT_FIELDS } from './supplier-invoice.dto.js';
import { SupplierInvoice } from './supplier-invoice.entity.js';
import { type PricedLine, SupplierInvoiceLine } from './supplier-invoice-line.entity.js';
import type { DetailedSupplierInvoiceView, SupplierInvoiceView } from './supplier-invoice-response.dto.js';

// Uses column names, because TypeORM translates property names only if a blank or a bracket follows.

/** Counts drafts too, because the supplier's due date does not depend on the approval. */
const overdueSql = (alias: string, day: string) =>
  `(${alias}.status in ('draft', 'approved') and ${alias}.paid_cents < ${alias}.total_cents
  and coalesce(${alias}.due_date < ${day}, false))`;

const possibleDuplicateSql = (alias: string) => `(${alias}.status <> 'void' and exists (
  select from supplier_invoices twin
  where twin.supplier_key = ${alias}.supplier_key and twin.total_cents = ${alias}.total_cents
    and twin.currency = ${alias}.currency and twin.status <> 'void' and twin.id <> ${alias}.id
    and twin.issue_date between ${alias}.issue_date - 7 and ${alias}.issue_date + 7))`;

const derivedSql = (alias: string, day: string) =>
  `${overdueSql(alias, day)} as overdue, ${possibleDuplicateSql(alias)} as possible_duplicate`;

const LINES = `coalesce((
  select json_agg(json_build_object(
    'description', line.description, 'serviceType', line.service_type, 'quantity', line.quantity,
    'unitAmountCents', line.unit_amount_cents, 'taxAmountCents', line.tax_amount_cents,
    'totalAmountCents', line.total_amount_cents) order by line.position)
  from supplier_invoice_lines line where line.invoice_id = invoice.id), '[]'::json)`;

/** RETURNING knows the table only by its own name. The rate is rounded like a stored one. */
const DERIVED_OF_NEW = `${derivedSql('supplier_invoices', 'app_today()')}, exchange_rate as "exchangeRate"`;

interface Derived {
  overdue: boolean;
  possible_duplicate: boolean;
}

type NewlyDerived = Derived & Pick<SupplierInvoice, 'exchangeRate'>;

interface Detailed extends Derived {
  lines: PricedLine[];
}

/**
 * Reads and writes supplier invoices with their lines and derived values, with one statement for an invoice, and one for a page
 * and its total.
 */
@Injectable()
export class SupplierInvoicesRepository {
  readonly rows: Rows<SupplierInvoice>;
  private readonly select: string;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(SupplierInvoice);
    this.select = `select ${this.rows.columns('invoice')}, ${derivedSql('invoice', '$2')}, ${LINES} as lines
      from supplier_invoices invoice where invoice.id = $1`;
  }

  async get(id: string): Promise<DetailedSupplierInvoiceView> {
    return this.getBy('supplier-invoice', this.select, id);
  }

  /** Returns null and changes nothing if another invoice that is not void has the supplier's number. */
  async insert(invoice: SupplierInvoice, lines: readonly PricedLine[]): Promise<DetailedSupplierInvoiceView | null> {
    const derived = await this.database.insertReturning<SupplierInvoice, NewlyDerived>(invoice, DERIVED_OF_NEW);
    if (!derived) return null;
    invoice.exchangeRate = derived.exchangeRate;
    await this.insertLines(invoice.id, lines);
    return { ...toView(invoice, derived), lines };
  }

  /** Locks the invoice until the transaction ends, and reads it with its lines. */
  async lock(id: string): Promise<DetailedSupplierInvoiceView> {
    return this.getBy('supplier-invoice-for-update', `${this.select} for update of invoice`, id);
  }

  async list(query: ListSupplierInvoices): Promise<{ views: SupplierInvoiceView[]; total: number }> {
    const found = this.rows.query('invoice');
    found.addSelect(overdueSql('invoice', ':today'), 'overdue').setParameter('today', this.clock.today());
    found.addSelect(possibleDuplicateSql('invoice'), 'possible_duplicate');
    filter(found, query);
    sort(found, query.sort ?? '-createdAt');
    const { rows, total } = await this.database.page<SupplierInvoice, Derived>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => toView(entity, raw)), total };
  }

  /** Finds another invoice of the same supplier and number that is not void. */
  async findDuplicateId({ id, supplierKey, numberKey }: SupplierInvoice): Promise<string | null> {
    const [existing] = await this.database.query<{ id: string }>(
      `select id from supplier_invoices
       where supplier_key = $1 and number_key = $2 and status <> 'void' and id <> $3`,
      [supplierKey, numberKey, id],
    );
    return existing?.id ?? null;
  }

  private async insertLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    const rows = lines.map((line, index) => ({ ...line, invoiceId, position: index + 1 }));
    if (rows.length > 0) await this.database.repository(SupplierInvoiceLine).insert(rows);
  }

  async replaceLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    await this.database.repository(SupplierInvoiceLine).delete({ invoiceId });
    await this.insertLines(invoiceId, lines);
  }

  private async getBy(name: string, text: string, id: string): Promise<DetailedSupplierInvoiceView> {
    const statement = { name, text, values: [id, this.clock.today()] };
    const [found] = await this.database.read<SupplierInvoice, Detailed>(SupplierInvoice, statement);
    if (!found) throw notFound();
    return { ...toView(found.entity, found.raw), lines: found.raw.lines };
  }
}

function filter(found: SelectQueryBuilder<SupplierInvoice>, query: ListSupplierInvoices): void {
  const { status, currency, dueFrom, dueTo, overdue, search } = query;
  filterRows(found, 'invoice.status', status);
  if (currency !== undefined) found.andWhere('invoice.currency = :currency', { currency });
  if (dueFrom !== undefined) found.andWhere('invoice.dueDate >= :dueFrom', { dueFrom });
  if (dueTo !== undefined) found.andWhere('invoice.dueDate <= :dueTo', { dueTo });
  if (overdue !== undefined) found.andWhere(`${overdue ? '' : 'not '}${overdueSql('invoice', ':today')}`);
  if (search !== undefined) {
    found.andWhere('(invoice.supplierName ilike :part or invoice.invoiceNumber ilike :part)', {
      part: containing(search),
    });
  }
}

function sort(found: SelectQueryBuilder<SupplierInvoice>, by: string): void {
  const direction = by.startsWith('-') ? 'DESC' : 'ASC';
  const field = SORT_FIELDS.find((known) => by.endsWith(known)) ?? 'createdAt';
  // Only due dates can be null. Without this clause the index on createdAt can be read backwards.
  found.orderBy(`invoice.${field}`, direction, field === 'dueDate' ? 'NULLS LAST' : undefined);
  found.addOrderBy('invoice.id', direction);
}

function toView(invoice: SupplierInvoice, derived: Derived): SupplierInvoiceView {
  return { invoice, overdue: derived.overdue, possibleDuplicate: derived.possible_duplicate };
}
