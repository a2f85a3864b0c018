import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/assert-scope.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { newSupplierInvoice } from './new-supplier-invoice.js';
import type { CreateSupplierInvoice, UpdateSupplierInvoice } from './supplier-invoice.dto.js';
import { SupplierInvoice } from './supplier-invoice.entity.js';
import { priceLines } from './supplier-invoice-amounts.js';
import { type SupplierInvoiceFacts, toSupplierInvoiceFacts } from './supplier-invoice-facts.dto.js';
import { type PricedLine, SupplierInvoiceLine } from './supplier-invoice-line.entity.js';
import { SupplierInvoiceReader } from './supplier-invoice-reader.service.js';
import { type DetailedSupplierInvoiceView as View, toLine } from './supplier-invoice-response.dto.js';

const EVENTS = {
  create: 'created',
  update: 'updated',
  approve: 'approved',
  reopen: 'reopened',
  void: 'voided',
} as const;
type Verb = keyof typeof EVENTS;

/** Supplier invoices: whoever changes one holds its row. */
@Injectable()
export class SupplierInvoices {
  constructor(
    private readonly database: Database,
    private readonly reader: SupplierInvoiceReader,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * With the status `approved` it is created and approved, which asks for finance:approve: 403. Throws 409
   * `duplicate_supplier_invoice`, 422 `invalid_initial_status`, `totals_mismatch`.
   */
  async create(input: CreateSupplierInvoice, id = newId('sinv')): Promise<View> {
    const { status = 'draft' } = input;
    if (status === 'approved') assertScope('finance:approve');
    else if (status !== 'draft') throw unprocessable('invalid_initial_status', `A new invoice cannot be ${status}`);

    return this.database.transaction(async () => {
      const now = this.clock.now();
      const lines = priceLines(input.lines ?? []);
      const invoice = newSupplierInvoice(input, { id, lines, now });
      const draft = { ...toSupplierInvoiceFacts(invoice), lines: lines.map(toLine) };
      if (status === 'approved') invoice.approve(currentActor().principal, now);

      while (!(await this.database.insertUnlessTaken(invoice))) await this.refuseDuplicate(invoice);
      await this.insertLines(id, lines);
      this.record('create', { id, before: null, after: draft });
      if (status === 'approved') this.record('approve', { id, before: draft, after: toSupplierInvoiceFacts(invoice) });
      this.publish('create', invoice);
      if (status === 'approved') this.publish('approve', invoice);
      return this.reader.get(id);
    });
  }

  /** Throws 404, 409 `invoice_locked`, `duplicate_supplier_invoice`, 412, 422 `totals_mismatch`. */
  async update(id: string, body: UpdateSupplierInvoice, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      const { invoice, lines: present } = await this.reader.lock(id);
      assertVersion(expected, invoice);
      invoice.assertOpen(Object.keys(body));
      const { lines: sent, ...changes } = body;
      const lines = sent ? priceLines(sent) : present;
      const [before, isNewLines] = [toSupplierInvoiceFacts(invoice), sent !== undefined];
      invoice.change(changes, lines, this.clock.now());

      await this.store(invoice, before);
      if (isNewLines) await this.replaceLines(id, lines);
      const after = toSupplierInvoiceFacts(invoice);
      this.record('update', {
        id,
        before: isNewLines ? { ...before, lines: present.map(toLine) } : before,
        after: isNewLines ? { ...after, lines: lines.map(toLine) } : after,
      });
      this.publish('update', invoice);
      return this.reader.get(id);
    });
  }

  /** Throws 404, 409 `invalid_transition`, 412. */
  async approve(id: string, expected: ExpectedVersions): Promise<View> {
    const move = (invoice: SupplierInvoice, now: Date) => invoice.approve(currentActor().principal, now);
    return this.move(id, expected, { verb: 'approve', move });
  }

  /** Throws 404, 409 `invalid_transition`, `invoice_has_payments`, 412. */
  async reopen(id: string, reason: string, expected: ExpectedVersions): Promise<View> {
    return this.move(id, expected, { verb: 'reopen', reason, move: (invoice, now) => invoice.reopen(now) });
  }

  /** Throws 404, 409 `invalid_transition`, `invoice_has_payments`, 412. */
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<View> {
    return this.move(id, expected, { verb: 'void', reason, move: (invoice, now) => invoice.void(reason, now) });
  }

  private async move(
    id: string,
    expected: ExpectedVersions,
    {
      verb,
      reason = null,
      move,
    }: { verb: Verb; reason?: string | null; move: (invoice: SupplierInvoice, now: Date) => void },
  ): Promise<View> {
    return this.database.transaction(async () => {
      const invoice = await this.lock(id, expected);
      const images = await this.moved(invoice, verb, move);
      this.record(verb, { id, ...images, reason });
      return this.reader.get(id);
    });
  }

  /**
   * Takes a supplier invoice back in the running transaction; the reversal's entry says so. Throws what `move` throws, 404.
   */
  async undo(
    id: string,
    verb: 'reopen' | 'void',
    move: (invoice: SupplierInvoice, now: Date) => void,
  ): Promise<{ before: object; after: object }> {
    return this.moved(await this.lock(id, null), verb, move);
  }

  private async moved(
    invoice: SupplierInvoice,
    verb: Verb,
    move: (invoice: SupplierInvoice, now: Date) => void,
  ): Promise<{ before: SupplierInvoiceFacts; after: SupplierInvoiceFacts }> {
    const before = toSupplierInvoiceFacts(invoice);
    move(invoice, this.clock.now());
    await this.database.update(invoice);
    this.publish(verb, invoice);
    return { before, after: toSupplierInvoiceFacts(invoice) };
  }

  private async lock(id: string, expected: ExpectedVersions): Promise<SupplierInvoice> {
    const invoice = await this.database.lock(SupplierInvoice, id);
    if (!invoice) throw notFound();
    assertVersion(expected, invoice);
    return invoice;
  }

  /** The savepoint is for a changed name or number alone: nothing else can meet another invoice. */
  private async store(invoice: SupplierInvoice, before: SupplierInvoiceFacts): Promise<void> {
    const { supplierName, invoiceNumber } = invoice;
    if (supplierName === before.supplierName && invoiceNumber === before.invoiceNumber) {
      await this.database.update(invoice);
      return;
    }
    while (!(await this.database.updateUnlessTaken(invoice))) await this.refuseDuplicate(invoice);
  }

  /** Names the invoice that has the number. Returns where it was voided meanwhile: then the number is free again. */
  private async refuseDuplicate({ id, supplierKey, numberKey }: SupplierInvoice): Promise<void> {
    const [existing] = await this.database.query<{ id: string }>(
      `select id from supplier_invoices
       where supplier_key = $1 and number_key = $2 and status <> 'void' and id <> $3`,
      [supplierKey, numberKey, id],
    );
    if (!existing) return;
    throw conflict('duplicate_supplier_invoice', 'Duplicate invoice number of this supplier', {
      existingId: existing.id,
    });
  }

  private async replaceLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    await this.database.repository(SupplierInvoiceLine).delete({ invoiceId });
    await this.insertLines(invoiceId, lines);
  }

  private async insertLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    const rows = lines.map((line, index) => ({ ...line, invoiceId, position: index + 1 }));
    if (rows.length > 0) await this.database.repository(SupplierInvoiceLine).insert(rows);
  }

  private record(
    verb: Verb,
    { id, ...change }: { id: string; before: object | null; after: object; reason?: string | null },
  ): void {
    this.ledger.record(`finance.supplier_invoice.${verb}`, {
      subjectType: 'supplier_invoice',
      subjectId: id,
      ...change,
    });
  }

  private publish(verb: Verb, invoice: SupplierInvoice): void {
    const { id, status, currency, totalCents, version } = invoice;
    const data = { supplierInvoiceId: id, status, currency, totalCents, version };
    const event = (name: string) =>
      this.outbox.add({ channel: 'finance.supplier-invoices', event: `supplier_invoice.${name}`, data });
    event(EVENTS[verb]);
    // Where nothing is due, the approval settles it.
    if (verb === 'approve' && status === 'paid') event('paid');
  }
}
