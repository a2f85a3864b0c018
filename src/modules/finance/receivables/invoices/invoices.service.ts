import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { AppError, conflict, unprocessable } from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { newId } from '../../../../platform/ids/id.js';
import {
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
} from '../../../action-ledger/index.js';
import { BookingsService, type BookingSummary } from '../../../bookings/index.js';
import { RemindersService } from '../../../notifications/index.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import type { Invoice } from '../account/invoice.entity.js';
import { INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import { DocumentLocksService, type LockedInvoice } from './document-locks.service.js';
import { draftStale, drawnFromOf, isOnlyBilledElsewhere, type Staleness, stalenessOf } from './draft-staleness.js';
import {
  type CorrectedPayer,
  type CreateInvoice,
  type CreateInvoiceLine,
  type DeliverInvoice,
  type IssueInvoice,
  type ListInvoices,
  type RedrawInvoice,
  UpdateInvoice,
} from './invoice.dto.js';
import { contentsOf, type InvoiceSources } from './invoice-contents.js';
import { assertPayerComplete, InvoiceSourcesService } from './invoice-sources.service.js';
import { InvoicesRepository, type InvoiceWithLines } from './invoices.repository.js';
import { IssuingService } from './issuing.service.js';
import type { LineInput } from './line-amounts.js';
import { hasPayer, inProportion, newDraft, toInput } from './new-draft.js';

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

const FRESH: Staleness = { reasons: [], itemIds: [] };

export interface InvoiceView extends InvoiceWithLines {
  staleness: Staleness;
}

/** A draft with its account and the sources of its lines. */
interface DraftContext extends LockedInvoice {
  sources: InvoiceSources;
}

/** Manages invoices to customers. Each change locks the booking first, so that it is never invoiced or paid twice. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly repository: InvoicesRepository,
    private readonly locks: DocumentLocksService,
    private readonly sources: InvoiceSourcesService,
    private readonly issuing: IssuingService,
    private readonly reminders: RemindersService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  async create(
    input: CreateInvoice,
    id = newId('inv'),
    {
      isCodeOptional = false,
      replacedInvoiceId = null,
    }: { isCodeOptional?: boolean; replacedInvoiceId?: string | null } = {},
  ): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(input.bookingId, { field: 'bookingId' });
      const { booking } = account;
      const { scheduleId = null } = input;
      const earlier = earlierFeeInvoice(account, scheduleId);
      if (!earlier) assertNotCancelled(booking);
      assertCurrency(input, booking);
      if (scheduleId !== null) account.assertNotInvoiced(scheduleId);
      const sources = await this.sources.read(account);
      const requested = input.lines ?? (earlier && (await this.feeLines(account, earlier)));
      const options = { isCodeOptional: isCodeOptional || earlier !== undefined };
      const lines = requested && (await this.sources.withTaxCodes(requested, sources, options));
      const replaced = await this.linesReplaced(replacedInvoiceId);
      const contents = await this.sources.contentsOf(account, { ...input, lines, scheduleId, replaced }, sources);
      account.assertInvoiceFits({ id, totalCents: contents.totals.totalCents });

      const purpose = earlier?.purpose ?? null;
      const drafted = { ...input, ...(requested ? { lines: requested } : {}) };
      const invoice = newDraft(drafted, { id, booking, contents, purpose, now: this.clock.now() });
      invoice.drawnFrom = {
        ...drawnFromOf(account, sources.items, { ...invoice, lines: contents.lines }),
        ...(replacedInvoiceId === null ? {} : { replacedInvoiceId }),
      };
      const locked = { invoice, lines: contents.lines };
      await this.repository.insert(invoice, contents.lines);
      this.audit.invoiceChanged('create', invoice, { before: null, after: this.imageOf(locked) });
      return { ...locked, staleness: FRESH };
    });
  }

  async list(query: ListInvoices): Promise<{ rows: Invoice[]; total: number }> {
    const { search } = query;
    const numberedBookingId = search === undefined ? null : await this.bookings.findIdByNumber(search);
    return this.repository.list(query, { today: this.clock.today(), numberedBookingId });
  }

  async get(id: string): Promise<InvoiceView> {
    const found = await this.repository.getInvoice(id);
    if (found.invoice.status !== 'draft') return { ...found, staleness: FRESH };
    const account = await this.accounts.read(found.invoice.bookingId);
    const sources = await this.sources.read(account);
    return { ...found, staleness: await this.stalenessOf({ ...found, account, sources }) };
  }

  async update(id: string, body: UpdateInvoice, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const { account, invoice, lines: stored, sources } = await this.lockDraft(id, expected);
      invoice.assertDraft();
      const before = this.imageOf({ invoice, lines: stored });
      const { lines: requested, subtotalCents, taxCents, totalCents, ...changes } = body;
      const stated = { subtotalCents, taxCents, totalCents };
      const { scheduleId } = invoice;
      const isCodeOptional = invoice.purpose !== null;
      const sent = requested && (await this.sources.withTaxCodes(requested, sources, { isCodeOptional }));
      const { lines: priced, totals } = contentsOf(sources, { scheduleId, lines: sent ?? stored, ...stated });
      if (totals.totalCents > invoice.totalCents) account.assertInvoiceFits({ id, totalCents: totals.totalCents });

      invoice.change(changes, totals, this.clock.now());
      const lines = sent ? priced : stored;
      if (sent) {
        invoice.linesSource = 'manual';
        invoice.drawnFrom = { ...replacedBy(invoice), ...drawnFromOf(account, sources.items, { ...invoice, lines }) };
      }
      if (hasPayer(body)) invoice.payerSource = 'manual';
      await this.repository.update(invoice);
      if (sent) await this.repository.replaceLines(id, priced);
      this.audit.invoiceChanged('update', invoice, { before, after: this.imageOf({ invoice, lines }) });
      return { invoice, lines, staleness: await this.stalenessOf({ account, sources, invoice, lines }) };
    });
  }

  /** Deletes a draft and returns it. */
  @Undoes('finance.invoice.create', { effect: 'finance.invoice.delete', values: byVersion })
  async delete(id: string, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const { invoice, lines } = await this.locks.lockInvoice(id, expected);
      invoice.assertDraft();
      await this.deleteDraft({ invoice, lines });
      return { invoice, lines, staleness: FRESH };
    });
  }

  /** Deletes the drafts of a cancelled booking, for which only a fee will be invoiced. The account must be locked. */
  async deleteDrafts({ invoices }: BookingAccount): Promise<void> {
    for (const invoice of invoices.filter(({ status }) => status === 'draft')) {
      await this.deleteDraft({ invoice, lines: await this.repository.linesOf(invoice.id) });
    }
  }

  /** Computes lines, payer and due date again from the booking or installment. Keeps a payer that staff entered. */
  async redraw(id: string, { discardLines = false }: RedrawInvoice, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const draft = await this.lockDraft(id, expected);
      draft.invoice.assertDraft();
      const before = this.imageOf(draft);
      const lines = await this.drawAgain(draft, discardLines);
      const drawn = { invoice: draft.invoice, lines };
      this.audit.invoiceChanged('redraw', draft.invoice, { before, after: this.imageOf(drawn) });
      return { ...drawn, staleness: FRESH };
    });
  }

  /** Assigns the number. Money that already settles installments counts on the invoice. */
  async issue(id: string, requested: IssueInvoice, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const draft = await this.lockDraft(id, expected);
      const { account, invoice } = draft;
      invoice.assertIssuable();
      const before = this.imageOf(draft);
      const drawn = await this.currentLines(draft, requested.onStale === 'redraw');
      account.assertInvoiceFits(invoice);
      assertPayerComplete(invoice, drawn);
      const [basis, rules] = await this.database.together(() =>
        Promise.all([this.issuing.basisOf(invoice, requested), this.reminders.enabledRules(INVOICE_TRIGGERS)]),
      );
      const { issueDate } = basis;
      const dueDate = invoice.dueDateFor(issueDate, requested.dueDate);
      const paidCents = await this.accounts.applyEarlyMoneyToNewInvoice(account, invoice, issueDate);
      const lines = await this.issuing.issueInvoice(invoice, drawn, basis, {
        dayField: 'issueDate',
        dueDate,
        paidCents,
      });
      if (invoice.drawnFrom?.replacedInvoiceId) {
        await this.bookings.followDocument(account.booking, lines, { isReplacement: true });
      }

      await this.reminders.reschedule(invoice.bookingId, INVOICE_TRIGGERS, rules);
      this.audit.invoiceChanged('issue', invoice, { before, after: this.imageOf({ invoice, lines }) });
      if (paidCents > 0 && invoice.status === 'paid') this.audit.publishInvoice('settled', invoice);
      return { invoice, lines, staleness: FRESH };
    });
  }

  /** Allows the booking or installment to be invoiced again. The number is not used again. */
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const { account, invoice, lines } = await this.locks.lockInvoice(id, expected);
      const before = this.imageOf({ invoice, lines });
      const isMonthClosed = invoice.issueDate !== null && !(await this.issuing.isOpen(invoice.issueDate));
      invoice.void(reason, { isMonthClosed, today: this.clock.today(), now: this.clock.now() });
      await this.repository.update(invoice);
      await this.bookings.followDocument(account.booking, lines);
      await this.accounts.applyMoney(account);
      await this.reminders.reschedule(invoice.bookingId, INVOICE_TRIGGERS);
      this.audit.invoiceChanged('void', invoice, { before, after: this.imageOf({ invoice, lines }), reason });
      return { invoice, lines, staleness: FRESH };
    });
  }

  /** Records that the customer has the invoice, so that it can no longer be voided. */
  async deliver(id: string, { sentOn }: DeliverInvoice, expected: ExpectedVersions): Promise<InvoiceView> {
    return this.database.transaction(async () => {
      const { invoice, lines } = await this.locks.lockInvoice(id, expected);
      const before = this.imageOf({ invoice, lines });
      invoice.deliver(sentOn, { today: this.clock.today(), now: this.clock.now() });
      await this.repository.update(invoice);
      this.audit.invoiceChanged('deliver', invoice, { before, after: this.imageOf({ invoice, lines }) });
      return { invoice, lines, staleness: FRESH };
    });
  }

  /** Records that the invoice was not sent. */
  @Reverses('finance.invoice.deliver', { effect: 'finance.invoice.update' })
  async reverseDelivery(entry: RecordedAction): Promise<ReversalResult> {
    const locked = await this.locks.lockInvoice(entry.subjectId, null);
    assertUnchangedSince(entry, locked.invoice);
    const before = this.imageOf(locked);
    Object.assign(locked.invoice, { sentAt: null, sentOn: null, updatedAt: this.clock.now() });
    await this.repository.update(locked.invoice);
    this.audit.publishInvoice('updated', locked.invoice);
    return { before, after: this.imageOf(locked) };
  }

  /**
   * Drafts an invoice that replaces a fully credited one. With `keepsRates`, amounts billed at a rate that the items no longer
   * have keep this rate.
   */
  async draftAgain(
    credited: Invoice,
    payer: CorrectedPayer,
    { keepsRates }: { keepsRates: boolean },
  ): Promise<InvoiceView> {
    const { bookingId, scheduleId, linesSource } = credited;
    const isManual = linesSource === 'manual' && scheduleId === null;
    const lines = isManual ? await this.repository.linesOf(credited.id) : undefined;
    const items = isManual ? await this.bookings.activeItems(bookingId) : [];
    const input = {
      bookingId,
      scheduleId,
      payerName: payer.payerName ?? credited.payerName,
      payerAddress: payer.payerAddress === undefined ? credited.payerAddress : payer.payerAddress,
      payerTaxId: payer.payerTaxId === undefined ? credited.payerTaxId : payer.payerTaxId,
      ...(lines ? { lines: lines.map((line) => toInput(line, items)) } : {}),
    };
    // Amounts billed without a tax code are corrected without one.
    return this.create(input, newId('inv'), {
      isCodeOptional: true,
      replacedInvoiceId: keepsRates ? credited.id : null,
    });
  }

  private async currentLines(draft: DraftContext, redraw: boolean): Promise<readonly PricedLine[]> {
    const staleness = await this.stalenessOf(draft);
    if (staleness.reasons.length === 0) return draft.lines;
    if (redraw) return this.drawAgain(draft, false);
    if (isOnlyBilledElsewhere(staleness)) draft.account.assertInvoiceFits(draft.invoice);
    throw draftStale(staleness);
  }

  private async drawAgain(
    { account, sources, invoice }: DraftContext,
    discardLines: boolean,
  ): Promise<readonly PricedLine[]> {
    const { scheduleId, linesSource, payerSource } = invoice;
    if (linesSource === 'manual' && !discardLines) {
      throw conflict('lines_are_manual', 'Staff entered the lines; send discardLines to replace them');
    }
    const isFee = invoice.purpose !== null;
    const fee = isFee ? await this.feeContents(account, invoice, sources) : undefined;
    const replaced = await this.linesReplaced(invoice.drawnFrom?.replacedInvoiceId);
    const drawn = { scheduleId, replaced, ...(fee ? { lines: fee } : {}) };
    const { lines, totals, dueDate } = await this.sources.contentsOf(account, drawn, sources);
    const payer = payerSource === 'customer' ? { payerName: account.booking.customerName } : {};
    invoice.change({ ...payer, ...(scheduleId === null ? {} : { dueDate }) }, totals, this.clock.now());
    invoice.linesSource = isFee ? 'manual' : scheduleId === null ? 'booking' : 'schedule';
    invoice.drawnFrom = { ...replacedBy(invoice), ...drawnFromOf(account, sources.items, { ...invoice, lines }) };
    await this.repository.update(invoice);
    await this.repository.replaceLines(invoice.id, lines);
    return lines;
  }

  private async stalenessOf({ account, sources, invoice, lines }: DraftContext): Promise<Staleness> {
    const redrawn = invoice.linesSource === 'manual' ? null : await this.linesNow(account, invoice, sources);
    return stalenessOf({ account, items: sources.items, invoice, lines, redrawn });
  }

  /** Returns the contents that a redraw would compute; null if it would be rejected. */
  private async linesNow(account: BookingAccount, { scheduleId, drawnFrom }: Invoice, sources: InvoiceSources) {
    const replaced = await this.linesReplaced(drawnFrom?.replacedInvoiceId);
    try {
      return (await this.sources.contentsOf(account, { scheduleId, replaced }, sources)).lines;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Returns the lines of the corrected invoice that a draft replaces. */
  private async linesReplaced(replacedInvoiceId: string | null | undefined): Promise<PricedLine[]> {
    return replacedInvoiceId ? this.repository.linesOf(replacedInvoiceId) : [];
  }

  /** Returns the lines of a fee invoice for the current amount of the fee. */
  private async feeContents(account: BookingAccount, invoice: Invoice, sources: InvoiceSources): Promise<LineInput[]> {
    return this.sources.withTaxCodes(await this.feeLines(account, invoice), sources, { isCodeOptional: true });
  }

  private async feeLines({ plan }: BookingAccount, { id, scheduleId }: Invoice): Promise<CreateInvoiceLine[]> {
    const amountCents = plan?.find(scheduleId ?? '')?.amountCents ?? 0;
    return inProportion(await this.repository.linesOf(id), amountCents);
  }

  private async deleteDraft(draft: InvoiceWithLines): Promise<void> {
    await this.repository.delete(draft.invoice.id);
    this.audit.invoiceChanged('delete', draft.invoice, { before: this.imageOf(draft), after: null });
  }

  /** Locks a draft with its sources. A fee invoice is changed although its booking is cancelled. */
  private async lockDraft(id: string, expected: ExpectedVersions): Promise<DraftContext> {
    const read = (bookingId: string) => this.sources.ofBooking(bookingId);
    const { also, ...draft } = await this.locks.lockInvoiceAnd(id, read);
    if (draft.invoice.purpose === null) assertNotCancelled(draft.account.booking);
    assertVersion(expected, draft.invoice);
    return { ...draft, sources: { plan: draft.account.plan, ...also } };
  }

  private imageOf({ invoice, lines }: InvoiceWithLines): object {
    return invoice.auditImage(lines, this.clock.today());
  }
}

/** Returns the latest invoice for the cancellation fee, if this installment is that fee. */
function earlierFeeInvoice({ invoices }: BookingAccount, scheduleId: string | null): Invoice | undefined {
  return invoices
    .filter((invoice) => invoice.purpose === 'cancellation_fee' && invoice.scheduleId === scheduleId)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .at(-1);
}

function replacedBy({ drawnFrom }: Invoice): { replacedInvoiceId?: string } {
  return drawnFrom?.replacedInvoiceId === undefined ? {} : { replacedInvoiceId: drawnFrom.replacedInvoiceId };
}

/** Reads PostgreSQL's detail, such as `Key (type, number)=(invoice, INV-1) already exists.` */
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
    field: 'currency',
    expected: booking.currency,
    actual: currency,
  });
}
