import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  byVersion,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
  UndoesItself,
} from '../../action-ledger/index.js';
import { OrganizationSettingsService } from '../../organization/index.js';
import { ExchangeRatesService, PeriodsService, rateMissing } from '../books/index.js';
import {
  type CreateSupplierInvoice,
  type ListSupplierInvoices,
  UpdateSupplierInvoice,
} from './supplier-invoice.dto.js';
import { SupplierDebt } from './supplier-debt.js';
import { SupplierInvoice } from './supplier-invoice.entity.js';
import { headOf, priceLines } from './supplier-invoice-amounts.js';
import type { PricedLine } from './supplier-invoice-line.entity.js';
import {
  type DetailedSupplierInvoiceView as View,
  type SupplierInvoiceView,
  toLine,
} from './supplier-invoice-response.dto.js';
import { SupplierInvoicesRepository } from './supplier-invoices.repository.js';

const EVENTS = {
  create: 'created',
  update: 'updated',
  approve: 'approved',
  reopen: 'reopened',
  void: 'voided',
} as const;
type Verb = keyof typeof EVENTS;

type Transition = (invoice: SupplierInvoice, now: Date) => void | Promise<void>;

/** Manages invoices received from suppliers. Only entries of invoices without allocated payments can be reversed. */
@Injectable()
export class SupplierInvoicesService {
  constructor(
    private readonly database: Database,
    private readonly repository: SupplierInvoicesRepository,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly periods: PeriodsService,
    private readonly rates: ExchangeRatesService,
    private readonly organization: OrganizationSettingsService,
    private readonly clock: Clock,
  ) {}

  /** With the status `approved`, the invoice is created and approved, which needs the scope `finance:approve`. */
  async create(input: CreateSupplierInvoice, id = newId('sinv')): Promise<View> {
    const { status = 'draft' } = input;
    if (status === 'approved') assertScope('finance:approve');
    else if (status !== 'draft')
      throw unprocessable('invalid_initial_status', `A new invoice cannot be ${status}`, { field: 'status' });

    return this.database.transaction(async () => {
      const now = this.clock.now();
      const lines = priceLines(input.lines ?? []);
      const invoice = draftOf(input, { id, lines, userId: currentActor().principal, now });
      const draft = withLines(invoice.auditImage(), lines);
      if (status === 'approved') await this.post(invoice, now, { requiresRate: false });

      const view = await this.insert(invoice, lines);
      this.record('create', id, { before: null, after: draft });
      this.publish('create', invoice);
      if (status === 'approved') {
        this.record('approve', id, { before: draft, after: invoice.auditImage() });
        this.publish('approve', invoice);
      }
      return view;
    });
  }

  async list(query: ListSupplierInvoices): Promise<{ views: SupplierInvoiceView[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<View> {
    return this.repository.get(id);
  }

  @UndoesItself('finance.supplier_invoice.update', UpdateSupplierInvoice)
  async update(id: string, body: UpdateSupplierInvoice, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      const { invoice, lines: presentLines } = await this.repository.lock(id);
      assertVersion(expected, invoice);
      invoice.assertOpen(Object.keys(body));
      const { lines: givenLines, ...changes } = body;
      const lines = givenLines ? priceLines(givenLines) : presentLines;
      const { supplierName, invoiceNumber } = invoice;
      const before = invoice.auditImage();
      invoice.change(changes, { lines, userId: currentActor().principal }, this.clock.now());

      if (invoice.supplierName === supplierName && invoice.invoiceNumber === invoiceNumber) {
        await this.repository.rows.update(invoice);
      } else {
        // Only a changed name or number can make a duplicate, so only these changes need a savepoint.
        while (!(await this.repository.rows.updateUnlessTaken(invoice))) await this.assertNoDuplicate(invoice);
      }
      const after = invoice.auditImage();
      if (givenLines) {
        await this.repository.replaceLines(id, lines);
        this.record('update', id, { before: withLines(before, presentLines), after: withLines(after, lines) });
      } else {
        this.record('update', id, { before, after });
      }
      this.publish('update', invoice);
      return this.repository.get(id);
    });
  }

  @Undoes('finance.supplier_invoice.reopen', { effect: 'finance.supplier_invoice.approve', values: byVersion })
  async approve(id: string, expected: ExpectedVersions): Promise<View> {
    return this.change(id, expected, {
      verb: 'approve',
      transition: (invoice, now) => this.post(invoice, now, { requiresRate: true }),
    });
  }

  async reopen(id: string, reason: string, expected: ExpectedVersions): Promise<View> {
    return this.change(id, expected, {
      verb: 'reopen',
      transition: (invoice, now) => this.unpost(invoice, now),
      reason,
    });
  }

  async void(id: string, reason: string, expected: ExpectedVersions): Promise<View> {
    const transition: Transition = (invoice, now) => invoice.void({ reason, today: this.clock.today() }, now);
    return this.change(id, expected, { verb: 'void', transition, reason });
  }

  @Reverses('finance.supplier_invoice.create', { effect: 'finance.supplier_invoice.void' })
  async reverseCreation({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    const invoice = await this.repository.rows.lock(subjectId);
    return this.apply('void', invoice, (_, now) => {
      invoice.unsettleIfNothingPaid();
      invoice.void({ reason, today: this.clock.today() }, now);
    });
  }

  @Reverses('finance.supplier_invoice.approve', { effect: 'finance.supplier_invoice.reopen' })
  async reverseApproval({ subjectId, after }: RecordedAction): Promise<ReversalResult> {
    const invoice = await this.repository.rows.lock(subjectId);
    return this.apply('reopen', invoice, async (_, now) => {
      invoice.unsettleIfNothingPaid();
      const approvedAt = invoice.approvedAt?.toISOString() ?? null;
      if (approvedAt !== null && approvedAt !== after?.['approvedAt']) {
        throw conflict('approved_again', 'The supplier invoice was reopened and approved again in the meantime', {
          approvedAt,
        });
      }
      await this.unpost(invoice, now);
    });
  }

  /** Locks the invoice of a payment. */
  async lockDebt(id: string): Promise<SupplierDebt> {
    const invoice = await this.repository.rows.lock(id, { field: 'supplierInvoiceId' });
    return new SupplierDebt(invoice, (cents) => this.settle(invoice, cents));
  }

  /** Adds paid money to a locked invoice, or removes it if `cents` is negative. The payment's ledger entry records it. */
  private async settle(invoice: SupplierInvoice, cents: number): Promise<void> {
    if (cents === 0) return;
    if (cents > 0) await this.assertSecondPerson(invoice);
    invoice.settle(cents, this.clock.now());
    await this.repository.rows.update(invoice);
    if (invoice.status === 'paid') this.publishEvent('paid', invoice);
  }

  private async change(
    id: string,
    expected: ExpectedVersions,
    { verb, transition, reason = null }: { verb: Verb; transition: Transition; reason?: string | null },
  ): Promise<View> {
    return this.database.transaction(async () => {
      const invoice = await this.repository.rows.lock(id);
      assertVersion(expected, invoice);
      const images = await this.apply(verb, invoice, transition);
      this.record(verb, id, { ...images, reason });
      return this.repository.get(id);
    });
  }

  /** With the setting, the user who enters an invoice can neither approve nor pay it on any route. */
  private async assertSecondPerson(invoice: SupplierInvoice): Promise<void> {
    const { supplierInvoicesNeedTwoPersons } = await this.organization.get();
    if (supplierInvoicesNeedTwoPersons) invoice.assertSecondPerson(currentActor().principal);
  }

  /**
   * The invoice keeps the supplier's day and is posted on it, or on the first open day if its month is closed. The tax becomes
   * chargeable on the supplier's day, so the recorded rate of that day applies, unless the invoice states one.
   */
  private async post(invoice: SupplierInvoice, now: Date, { requiresRate }: { requiresRate: boolean }): Promise<void> {
    await this.assertSecondPerson(invoice);
    const { currency, issueDate } = invoice;
    const postingDate = await this.periods.postingDateOf(issueDate);
    invoice.approve({ actorId: currentActor().principal, postingDate }, now);
    const { baseCurrency, rate } = await this.rates.conversionOf(currency, issueDate);
    if (requiresRate) invoice.assertBaseCurrency(baseCurrency);
    if (!invoice.takesRate(baseCurrency)) return;
    if (rate !== null) return invoice.convert(rate);
    if (requiresRate) throw rateMissing({ from: currency, to: baseCurrency, day: issueDate });
  }

  /** Its posting date must not be in a closed month. */
  private async unpost(invoice: SupplierInvoice, now: Date): Promise<void> {
    const { postingDate } = invoice;
    invoice.reopen(now);
    if (postingDate !== null) await this.periods.assertOpen(postingDate);
  }

  private async apply(
    verb: Verb,
    invoice: SupplierInvoice,
    transition: Transition,
  ): Promise<{ before: object; after: object }> {
    const before = invoice.auditImage();
    await transition(invoice, this.clock.now());
    await this.repository.rows.update(invoice);
    this.publish(verb, invoice);
    return { before, after: invoice.auditImage() };
  }

  /** Retries if the invoice with the supplier's number is voided meanwhile. */
  private async insert(invoice: SupplierInvoice, lines: readonly PricedLine[]): Promise<View> {
    for (;;) {
      const view = await this.repository.insert(invoice, lines);
      if (view) return view;
      await this.assertNoDuplicate(invoice);
    }
  }

  /**
   * Throws an error that names the duplicate. Returns if the duplicate was voided in the meantime, because its number can then
   * be used.
   */
  private async assertNoDuplicate(invoice: SupplierInvoice): Promise<void> {
    const existingId = await this.repository.findDuplicateId(invoice);
    if (existingId === null) return;
    throw conflict('duplicate_supplier_invoice', 'Duplicate invoice number of this supplier', { existingId });
  }

  private record(
    verb: Verb,
    id: string,
    change: { before: object | null; after: object; reason?: string | null },
  ): void {
    const subject = { subjectType: 'supplier_invoice', subjectId: id };
    this.ledger.record(`finance.supplier_invoice.${verb}`, { ...subject, ...change });
  }

  private publish(verb: Verb, invoice: SupplierInvoice): void {
    this.publishEvent(EVENTS[verb], invoice);
    // The approval of an invoice with a total of 0 also settles it.
    if (verb === 'approve' && invoice.status === 'paid') this.publishEvent('paid', invoice);
  }

  private publishEvent(name: (typeof EVENTS)[Verb] | 'paid', invoice: SupplierInvoice): void {
    const { id, status, currency, totalCents, version } = invoice;
    const data = { supplierInvoiceId: id, status, currency, totalCents, version };
    this.outbox.add({ channel: 'finance.supplier-invoices', event: `supplier_invoice.${name}`, data });
  }
}

function draftOf(
  input: CreateSupplierInvoice,
  { id, lines, userId, now }: { id: string; lines: readonly PricedLine[]; userId: string; now: Date },
): SupplierInvoice {
  const { taxCents = lines.length > 0 ? headOf(lines).taxCents : 0 } = input;
  const invoice = make(SupplierInvoice, {
    id,
    supplierName: input.supplierName,
    supplierKey: '',
    invoiceNumber: input.invoiceNumber,
    numberKey: '',
    currency: input.currency,
    baseCurrency: input.baseCurrency,
    totalCents: input.totalCents,
    subtotalCents: input.subtotalCents ?? input.totalCents - taxCents,
    taxCents,
    exchangeRate: input.exchangeRate,
    paidCents: 0,
    status: 'draft',
    issueDate: input.issueDate,
    dueDate: input.dueDate,
    notes: input.notes,
    enteredBy: [userId],
    createdAt: now,
  });
  invoice.complete(lines);
  return invoice;
}

function withLines(image: object, lines: readonly PricedLine[]): object {
  return { ...image, lines: lines.map(toLine) };
}
