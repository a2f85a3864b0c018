import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import { RemindersService } from '../../notifications/index.js';
import { AccountAuditService } from '../booking-account/account-audit.service.js';
import { BookingAccountsService } from '../booking-account/booking-accounts.service.js';
import { Invoice } from '../booking-account/invoice.entity.js';
import { NumberSeriesService } from '../number-series/number-series.service.js';
import { INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import type { CreateInvoice, IssueInvoice, ListInvoices, UpdateInvoice } from './invoice.dto.js';
import { type Contents, contentsOf } from './invoice-contents.js';
import { IssuerCopiesRepository } from './issuer-copies.repository.js';
import { assertPayerComplete, InvoiceSourcesService } from './invoice-sources.service.js';
import { type InvoiceWithLines, InvoicesRepository } from './invoices.repository.js';

mapConstraint('invoices_live_schedule', () =>
  conflict('schedule_already_invoiced', 'The installment is already on another invoice'),
);
mapConstraint('invoices_type_number', ({ detail }) =>
  conflict('invoice_number_conflict', 'Another series has already assigned this number; increase nextNumber', {
    number: duplicateNumber(detail ?? ''),
  }),
);
mapConstraint('invoices_number_length', () =>
  conflict('series_exhausted', 'The next number would be too long; create a new series'),
);

/** Invoices to customers. Each change locks the booking first, so that it is never invoiced or paid twice. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly repository: InvoicesRepository,
    private readonly sources: InvoiceSourcesService,
    private readonly numbers: NumberSeriesService,
    private readonly reminders: RemindersService,
    private readonly audit: AccountAuditService,
    private readonly issuers: IssuerCopiesRepository,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateInvoice, id = newId('inv')): Promise<InvoiceWithLines> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(input.bookingId, { field: 'bookingId' });
      const { booking } = account;
      assertNotCancelled(booking);
      assertCurrency(input, booking);
      const { scheduleId = null } = input;
      if (scheduleId !== null) account.assertNotInvoiced(scheduleId);
      const sources = await this.sources.read(account);
      const lines = input.lines && (await this.sources.withTaxCodes(input.lines, sources));
      const contents = await this.sources.contentsOf(account, { ...input, lines, scheduleId }, sources);
      account.assertInvoiceFits({ id, totalCents: contents.totals.totalCents });

      const invoice = newDraft(input, { id, booking, contents, now: this.clock.now() });
      const locked = { invoice, lines: contents.lines };
      await this.repository.insert(invoice, contents.lines);
      this.audit.invoiceChanged('create', invoice, { before: null, after: this.imageOf(locked) });
      return locked;
    });
  }

  async list(query: ListInvoices): Promise<{ rows: Invoice[]; total: number }> {
    const { search } = query;
    const numberedBookingId = search === undefined ? null : await this.bookings.findIdByNumber(search);
    return this.repository.list(query, { today: this.clock.today(), numberedBookingId });
  }

  async get(id: string): Promise<InvoiceWithLines> {
    return this.repository.get(id);
  }

  async update(id: string, body: UpdateInvoice, expected: ExpectedVersions): Promise<InvoiceWithLines> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(await this.repository.bookingIdOf(id));
      const { booking } = account;
      assertNotCancelled(booking);
      const invoice = account.invoices.find((each) => each.id === id);
      if (!invoice) throw notFound();
      assertVersion(expected, invoice);
      invoice.assertDraft();

      const stored = await this.repository.linesOf(id);
      const before = this.imageOf({ invoice, lines: stored });
      const { lines: requested, subtotalCents, taxCents, totalCents, ...changes } = body;
      const stated = { subtotalCents, taxCents, totalCents };
      const { scheduleId } = invoice;
      const sources = await this.sources.read(account);
      const sent = requested && (await this.sources.withTaxCodes(requested, sources));
      const { lines: priced, totals } = contentsOf(sources, { scheduleId, lines: sent ?? stored, ...stated });
      if (totals.totalCents > invoice.totalCents) account.assertInvoiceFits({ id, totalCents: totals.totalCents });

      invoice.change(changes, totals, this.clock.now());
      await this.repository.update(invoice);
      if (sent) await this.repository.replaceLines(id, priced);
      const lines = sent ? priced : stored;
      this.audit.invoiceChanged('update', invoice, { before, after: this.imageOf({ invoice, lines }) });
      return { invoice, lines };
    });
  }

  /** Only a draft. Returns it as it was. */
  async delete(id: string, expected: ExpectedVersions): Promise<InvoiceWithLines> {
    return this.database.transaction(async () => {
      await this.lockBookingOf(id);
      const draft = await this.lock(id, expected);
      draft.invoice.assertDraft();
      await this.repository.delete(id);
      this.audit.invoiceChanged('delete', draft.invoice, { before: this.imageOf(draft), after: null });
      return draft;
    });
  }

  /** Assigns the number. Money that settled installments before counts on the invoice. */
  async issue(id: string, requested: IssueInvoice, expected: ExpectedVersions): Promise<InvoiceWithLines> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lockOf(await this.lockBookingOf(id));
      assertNotCancelled(account.booking);
      const locked = await this.lock(id, expected);
      const { invoice } = locked;
      invoice.assertIssuable();
      account.assertInvoiceFits(invoice);
      assertPayerComplete(invoice, locked.lines);
      const before = this.imageOf(locked);
      const { issueDate = this.clock.today(), seriesId = null } = requested;
      const dueDate = invoice.dueDateFor(issueDate, requested.dueDate);
      const source = await this.numbers.lockForIssue(invoice.type, seriesId, issueDate);

      const paidCents = await this.accounts.applyEarlyMoneyToNewInvoice(invoice, issueDate);
      const seller = await this.issuers.store(invoice);
      const issuedAt = this.clock.now();
      const assigned = await this.repository.assignNumber(invoice, { source, dueDate, seller, paidCents, issuedAt });
      if (!assigned) throw await this.numbers.outOfSequence(source);
      const { periodKey } = source;
      invoice.issued(
        { ...assigned, seriesId: source.seriesId, periodKey, issueDate, dueDate, seller, paidCents },
        issuedAt,
      );

      await this.reminders.reschedule(invoice.bookingId, INVOICE_TRIGGERS);
      this.audit.invoiceChanged('issue', invoice, { before, after: this.imageOf(locked) });
      if (paidCents > 0 && invoice.status === 'paid') this.audit.publishInvoice('settled', invoice);
      return locked;
    });
  }

  /** The booking or installment can be invoiced again. The number is not used again. */
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<InvoiceWithLines> {
    return this.database.transaction(async () => {
      await this.lockBookingOf(id);
      const locked = await this.lock(id, expected);
      const { invoice } = locked;
      const before = this.imageOf(locked);
      invoice.void(reason, this.clock.now());
      await this.repository.update(invoice);
      await this.reminders.reschedule(invoice.bookingId, INVOICE_TRIGGERS);
      this.audit.invoiceChanged('void', invoice, { before, after: this.imageOf(locked), reason });
      return locked;
    });
  }

  private async lockBookingOf(id: string): Promise<BookingSummary> {
    return this.bookings.lock(await this.repository.bookingIdOf(id));
  }

  private async lock(id: string, expected: ExpectedVersions): Promise<InvoiceWithLines> {
    const locked = await this.repository.lock(id);
    assertVersion(expected, locked.invoice);
    return locked;
  }

  private imageOf({ invoice, lines }: InvoiceWithLines): object {
    return invoice.auditImage(lines, this.clock.today());
  }
}

/** From PostgreSQL's detail: `Key (type, number)=(invoice, INV-1) already exists.` */
function duplicateNumber(detail: string): string | null {
  const start = detail.indexOf(', ', detail.indexOf(')=('));
  const end = detail.lastIndexOf(') already exists');
  return start === -1 || end < start ? null : detail.slice(start + 2, end);
}

function assertNotCancelled({ status }: BookingSummary): void {
  if (status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
}

function assertCurrency({ currency }: CreateInvoice, booking: BookingSummary): void {
  if (currency === undefined || currency === booking.currency) return;
  throw unprocessable('currency_mismatch', 'The invoice currency must be the booking currency', {
    expected: booking.currency,
    actual: currency,
  });
}

function newDraft(
  input: CreateInvoice,
  { id, booking, contents, now }: { id: string; booking: BookingSummary; contents: Contents; now: Date },
): Invoice {
  return make(Invoice, {
    id,
    type: 'invoice',
    bookingId: booking.id,
    scheduleId: input.scheduleId ?? null,
    status: 'draft',
    number: null,
    seriesId: null,
    periodKey: null,
    sequence: null,
    issueDate: null,
    dueDate: input.dueDate === undefined ? contents.dueDate : input.dueDate,
    payerName: input.payerName ?? booking.customerName,
    payerAddress: input.payerAddress ?? null,
    payerTaxId: input.payerTaxId ?? null,
    sellerName: null,
    sellerAddress: null,
    sellerTaxId: null,
    currency: booking.currency,
    ...contents.totals,
    paidCents: 0,
    creditedCents: 0,
    originalInvoiceId: null,
    reason: null,
    reasonText: null,
    openReducedCents: null,
    releasedCents: null,
    purpose: null,
    sentAt: null,
    sentOn: null,
    linesSource: 'manual',
    payerSource: 'manual',
    drawnFrom: null,
    issuedAt: null,
    voidedAt: null,
    voidReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
