import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { make } from '../../../../platform/database/rows.js';
import { type AppError, conflict, unprocessable } from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';
import type { ExpectedVersions } from '../../../../platform/http/if-match.js';
import { newId } from '../../../../platform/ids/id.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../../action-ledger/index.js';
import { type BilledTax, BookingsService } from '../../../bookings/index.js';
import { RemindersService } from '../../../notifications/index.js';
import { keyOf } from '../../books/index.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { LinesSource, PricedLine } from '../account/billing-document.entity.js';
import { CreditNote, type CreditReason } from '../account/credit-note.entity.js';
import type { Invoice } from '../account/invoice.entity.js';
import { DocumentLocksService, type LockedCreditNote } from '../invoices/document-locks.service.js';
import { draftStale } from '../invoices/draft-staleness.js';
import { type CreditNoteWithLines, InvoicesRepository } from '../invoices/invoices.repository.js';
import { InvoicesService, type InvoiceView } from '../invoices/invoices.service.js';
import { type IssueBasis, IssuingService } from '../invoices/issuing.service.js';
import { totalsOf } from '../invoices/line-amounts.js';
import { PaymentPlansService } from '../plans/payment-plans.service.js';
import { INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import { asRequested, CreditNoteContentsService, isSame } from './credit-note-contents.service.js';
import {
  type CorrectInvoice,
  type CreateCreditNote,
  type CreditNoteView,
  type IssueCreditNote,
  type ListCreditNotes,
  UpdateCreditNote,
} from './credit-note.dto.js';
import { CreditNotesRepository } from './credit-notes.repository.js';

mapConstraint('invoices_credits_within_lines', () =>
  unprocessable('over_credited', 'The credit note exceeds what can be credited', { field: 'lines', available: 0 }),
);

const EVENTS = { create: 'created', update: 'updated', delete: 'deleted', issue: 'issued' } as const;

/** The reason and text with which an invoice is credited in full. */
export interface CreditCause {
  reason: CreditReason;
  reasonText: string;
}

/**
 * Manages credit notes, which reduce the claim of an invoice. Each change locks the booking first. An issued credit note moves
 * money, numbers, reminders and, for goodwill, the price of the booking.
 */
@Injectable()
export class CreditNotesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly invoices: InvoicesRepository,
    private readonly locks: DocumentLocksService,
    private readonly drafts: InvoicesService,
    private readonly repository: CreditNotesRepository,
    private readonly contents: CreditNoteContentsService,
    private readonly issuing: IssuingService,
    private readonly plans: PaymentPlansService,
    private readonly reminders: RemindersService,
    private readonly audit: AccountAuditService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateCreditNote, id = newId('crn')): Promise<CreditNoteView> {
    const { invoiceId, reason = 'booking_changed', reasonText, lines: requested } = input;
    return this.database.transaction(async () => {
      const locked = await this.locks.lockInvoice(invoiceId, null, { field: 'invoiceId' });
      const { account, invoice: original, lines: billed } = locked;
      assertCreditable(original);
      const hasPrice = account.booking.status !== 'cancelled' || original.purpose !== null;
      if (reason === 'goodwill' && !hasPrice) throw conflict('booking_closed', 'The booking is cancelled');
      const lines = await this.contents.linesOf(account, {
        id,
        original,
        billed,
        reason,
        ...(requested ? { requested } : {}),
      });
      const linesSource = requested ? 'manual' : 'booking';
      const note = this.draftOf({ id, original, lines, linesSource, reason, reasonText });
      await this.invoices.insert(note, lines);
      this.record('create', note, { before: null, after: note.auditImage(lines) });
      return { note, lines, staleReasons: [] };
    });
  }

  async list(query: ListCreditNotes): Promise<{ rows: CreditNote[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<CreditNoteView> {
    const { note, lines } = await this.invoices.getCreditNote(id);
    if (note.number !== null) return { note, lines, staleReasons: [] };
    const account = await this.accounts.read(note.bookingId);
    return { note, lines, staleReasons: await this.contents.staleReasons(account, { note, lines }) };
  }

  async update(id: string, body: UpdateCreditNote, expected: ExpectedVersions): Promise<CreditNoteView> {
    return this.database.transaction(async () => {
      const { account, original, note, lines: stored } = await this.lockDraft(id, expected);
      const before = note.auditImage(stored);
      const { reason = note.reason, reasonText = note.reasonText, lines: requested } = body;
      const isDrawn = requested === undefined && note.linesSource === 'booking';
      const kept = isDrawn ? {} : { requested: requested ?? asRequested(stored) };
      const lines = await this.contents.linesOf(account, { id, original, reason, ...kept });
      const changes = { reason, reasonText, linesSource: isDrawn ? 'booking' : 'manual' } as const;
      note.change(changes, totalsOf(lines, {}), this.clock.now());
      await this.invoices.update(note);
      await this.invoices.replaceLines(id, lines);
      this.record('update', note, { before, after: note.auditImage(lines) });
      return { note, lines, staleReasons: [] };
    });
  }

  /** Deletes a draft and returns it. */
  async delete(id: string, expected: ExpectedVersions): Promise<CreditNoteView> {
    return this.database.transaction(async () => {
      const { note, lines } = await this.lockDraft(id, expected);
      await this.deleteDraft({ note, lines });
      return { note, lines, staleReasons: [] };
    });
  }

  /** Deletes a draft that has not changed since. */
  @Reverses('finance.credit_note.create', { effect: 'finance.credit_note.delete' })
  async reverseCreation(entry: RecordedAction): Promise<ReversalResult> {
    const { note, lines } = await this.lockDraft(entry.subjectId, null);
    assertUnchangedSince(entry, note);
    await this.invoices.delete(note.id);
    this.publish('deleted', note);
    return { before: note.auditImage(lines), after: null };
  }

  /**
   * Assigns the number. The open balance of the invoice falls first; the rest releases money paid on it. Goodwill lowers the
   * price of the booking by the same amount.
   */
  async issue(id: string, requested: IssueCreditNote, expected: ExpectedVersions): Promise<CreditNoteView> {
    return this.database.transaction(async () => {
      const draft = await this.lockDraft(id, expected);
      const { original, note } = draft;
      if (original.status === 'void') throw notOpen(original);
      const basis = await this.issuing.basisOf(note, { ...requested, notBefore: original.issueDate });
      const lines = await this.currentLines(draft, requested.onStale === 'redraw');
      const before = note.auditImage(draft.lines);
      const account = note.reason === 'goodwill' ? await this.grantGoodwill(draft.account, note, lines) : draft.account;
      return { note, lines: await this.issueLocked(account, { note, lines }, { basis, before }), staleReasons: [] };
    });
  }

  /**
   * Issues a credit note for the uncredited rest of an invoice today. `account` must be locked. Deletes drafts of other credit
   * notes of the invoice.
   */
  async creditInFull(account: BookingAccount, invoice: Invoice, cause: CreditCause): Promise<CreditNoteView> {
    const original = account.invoice(invoice.id);
    assertCreditable(original);
    for (const id of await this.repository.draftsOf(original.id)) {
      await this.deleteDraft(await this.invoices.lockCreditNote(id));
    }
    const id = newId('crn');
    const drawn = await this.contents.rest(original, id);
    const note = this.draftOf({ id, original, lines: drawn, linesSource: 'manual', ...cause });
    await this.invoices.insert(note, drawn);
    const terms = { basis: await this.issuing.basisOf(note), before: null };
    return { note, lines: await this.issueLocked(account, { note, lines: drawn }, terms), staleReasons: [] };
  }

  /** Credits an invoice in full and drafts a replacement for the same installment or booking. */
  async correct(id: string, input: CorrectInvoice, expected: ExpectedVersions): Promise<Correction> {
    return this.database.transaction(async () => {
      const { account, invoice: original, lines } = await this.locks.lockInvoice(id, expected);
      const before = original.auditImage(lines, this.clock.today());
      const { reasonText, ...payer } = input;
      const keepsRates = await this.bookings.hasEarlierRates(account.booking.id);
      const creditNote = await this.creditInFull(account, original, { reason: 'correction', reasonText });
      const after = original.auditImage(lines, this.clock.today());
      this.audit.invoiceChanged('correct', original, { before, after, reason: reasonText });
      return { creditNote, invoice: await this.drafts.draftAgain(original, payer, { keepsRates }) };
    });
  }

  /**
   * Moves money first and assigns the number last, because the counter is locked until the end of the transaction. Returns the
   * lines.
   */
  private async issueLocked(
    account: BookingAccount,
    { note, lines: drawn }: CreditNoteWithLines,
    { basis, before }: { basis: IssueBasis; before: object | null },
  ): Promise<readonly PricedLine[]> {
    const original = account.invoice(note.originalInvoiceId);
    const openReducedCents = Math.min(note.totalCents, original.balanceCents());
    const releasedCents = note.totalCents - openReducedCents;
    if (releasedCents > 0)
      await this.accounts.releaseFromInvoice(account, original, { cents: releasedCents, day: basis.issueDate });
    const { status } = original;
    original.addCredited(note.totalCents, this.clock.now());
    await this.invoices.update(original);
    await this.accounts.applyMoney(account);
    const lines = await this.issuing.issueCreditNote(note, drawn, basis, {
      openReducedCents,
      releasedCents,
      credited: await this.contents.creditedBy(note, original),
    });
    await this.bookings.followDocument(account.booking, lines);
    await this.reminders.reschedule(note.bookingId, INVOICE_TRIGGERS);
    this.record('issue', note, { before, after: note.auditImage(lines) });
    this.audit.publishInvoice('updated', original);
    if (original.status === 'paid' && status !== 'paid') this.audit.publishInvoice('settled', original);
    return lines;
  }

  /** Returns the lines of a draft, recomputed if it is stale and `redraw` is set. */
  private async currentLines(draft: LockedCreditNote, redraw: boolean): Promise<readonly PricedLine[]> {
    const { account, note, lines } = draft;
    const now = await this.contents.linesAtIssue(account, draft);
    if (note.linesSource === 'manual' || isSame(now, lines)) return lines;
    if (!redraw) throw draftStale({ reasons: ['documents_changed'], itemIds: [] });
    note.change({}, totalsOf(now, {}), this.clock.now());
    await this.invoices.update(note);
    await this.invoices.replaceLines(note.id, now);
    return now;
  }

  /**
   * Lowers the price of the booking by the credited amount, with an item for each tax group and rate, or lowers the fee of a
   * cancelled booking. Returns the account after the change.
   */
  private async grantGoodwill(
    account: BookingAccount,
    note: CreditNote,
    lines: readonly PricedLine[],
  ): Promise<BookingAccount> {
    const { bookingId, reasonText } = note;
    if (account.booking.status === 'cancelled') {
      await this.plans.lowerFee(account, totalsOf(lines, {}).totalCents);
      return account;
    }
    const title = [...reasonText].slice(0, 200).join('');
    for (const group of new Set(lines.map(rateKeyOf))) {
      const own = lines.filter((line) => rateKeyOf(line) === group);
      const { totalCents, taxCents } = totalsOf(own, {});
      const [{ taxCodeId, serviceDate } = { taxCodeId: null, serviceDate: null }] = own;
      const amounts = { totalCents: -totalCents, taxCents: -taxCents };
      await this.bookings.adjustPrice(bookingId, { title, ...amounts, taxCodeId, billed: taxOf(own), serviceDate });
    }
    return this.accounts.lock(bookingId);
  }

  private async lockDraft(id: string, expected: ExpectedVersions): Promise<LockedCreditNote> {
    const draft = await this.locks.lockCreditNote(id, expected);
    draft.note.assertDraft();
    return draft;
  }

  private async deleteDraft({ note, lines }: CreditNoteWithLines): Promise<void> {
    await this.invoices.delete(note.id);
    this.record('delete', note, { before: note.auditImage(lines), after: null });
  }

  private draftOf({ original, lines, ...own }: NewDraft): CreditNote {
    const { id: originalInvoiceId, bookingId, currency, purpose } = original;
    const { payerName, payerAddress, payerTaxId, payerSource } = original;
    return make(CreditNote, {
      ...own,
      type: 'credit_note',
      status: 'draft',
      originalInvoiceId,
      bookingId,
      currency,
      purpose,
      ...{ payerName, payerAddress, payerTaxId, payerSource },
      ...totalsOf(lines, {}),
      createdAt: this.clock.now(),
    });
  }

  private record(verb: keyof typeof EVENTS, note: CreditNote, change: { before: object | null; after: object | null }) {
    const subject = { subjectType: 'credit_note', subjectId: note.id };
    const reason = verb === 'issue' ? note.reasonText : null;
    this.ledger.record(`finance.credit_note.${verb}`, { ...subject, ...change, reason });
    this.publish(EVENTS[verb], note);
  }

  private publish(name: (typeof EVENTS)[keyof typeof EVENTS], note: CreditNote): void {
    const { id: creditNoteId, originalInvoiceId: invoiceId, bookingId, status, number, version } = note;
    const { currency, totalCents } = note;
    this.outbox.add({
      channel: 'finance.credit-notes',
      event: `credit_note.${name}`,
      data: { creditNoteId, invoiceId, bookingId, status, number, currency, totalCents, version },
    });
  }
}

interface NewDraft extends CreditCause {
  id: string;
  original: Invoice;
  lines: readonly PricedLine[];
  linesSource: LinesSource;
}

/** The credit note for the wrong invoice, and the draft that replaces the invoice. */
export interface Correction {
  creditNote: CreditNoteView;
  invoice: InvoiceView;
}

function assertCreditable(original: Invoice): void {
  if (!original.isBilled() || original.uncreditedCents() === 0) throw notOpen(original);
}

function notOpen({ id: invoiceId, status }: Invoice): AppError {
  const message = 'Only issued invoices that are not void or credited can be credited';
  return conflict('invoice_not_open', message, { invoiceId, status });
}

/** Sums the lines of one tax group and rate. */
function rateKeyOf(line: PricedLine): string {
  const { taxCodeId, taxKind, taxRateBasisPoints } = line;
  return taxCodeId === null ? keyOf(line) : [taxCodeId, taxKind, taxRateBasisPoints].join(' ');
}

/** Returns the tax of these lines of one tax group and rate; null if they show no rate or no tax code. */
function taxOf([line]: readonly PricedLine[]): BilledTax | null {
  if (!line) return null;
  const { taxCodeId, taxCode, taxKind, taxRateBasisPoints } = line;
  if (taxCodeId === null || taxCode === null || taxKind === null || taxRateBasisPoints === null) return null;
  return { taxCodeId, taxCode, taxKind, taxRateBasisPoints };
}
