import { Injectable } from '@nestjs/common';
import { type BookingItemSummary, BookingsService } from '../../../bookings/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import type { CreditNote, CreditReason } from '../account/credit-note.entity.js';
import type { Invoice } from '../account/invoice.entity.js';
import { InvoicesRepository } from '../invoices/invoices.repository.js';
import type { CreditedInvoice } from '../invoices/issuing.service.js';
import { totalsOf } from '../invoices/line-amounts.js';
import { BilledTaxesService, creditDueByRate, keyOf, type RateCredit } from '../../books/index.js';
import {
  atDueRates,
  type CreditableLine,
  creditableLines,
  creditsOver,
  fullCredits,
  overCredited,
  type RequestedCredit,
  requestedCredits,
  withinInvoice,
} from './credit-lines.js';
import { CreditNotesRepository } from './credit-notes.repository.js';

/** A credit note before its lines and totals are stored. */
export interface CreditDraft {
  id: string;
  original: Invoice;
  reason: CreditReason;
  /** The lines of the invoice; read if omitted. */
  billed?: readonly PricedLine[];
  /** If omitted, all that the reason allows. */
  requested?: readonly RequestedCredit[];
}

/** The tax groups and rates with more billed than owed, and the current sales. */
interface CreditDue {
  items: readonly BookingItemSummary[];
  groups: readonly RateCredit[];
}

interface StoredDraft {
  original: Invoice;
  note: CreditNote;
  lines: readonly PricedLine[];
}

/** Computes the contents of credit notes: the creditable part of each line of the invoice, depending on the reason. */
@Injectable()
export class CreditNoteContentsService {
  constructor(
    private readonly bookings: BookingsService,
    private readonly invoices: InvoicesRepository,
    private readonly repository: CreditNotesRepository,
    private readonly billedTaxes: BilledTaxesService,
  ) {}

  /** Counts drafts of other credit notes of the invoice. Credits at most what invoice and reason allow. */
  async linesOf(account: BookingAccount, draft: CreditDraft): Promise<PricedLine[]> {
    const due = await this.creditDue(account, { draftNotesExcept: draft.id });
    return within(draft, await this.restsOf(draft, { alsoDrafts: true }), due);
  }

  /** Returns the lines of a draft that is issued now; only issued credit notes count. */
  async linesAtIssue(account: BookingAccount, { original, note, lines }: StoredDraft): Promise<PricedLine[]> {
    const draft = { id: note.id, original, reason: note.reason };
    const rests = await this.restsOf(draft, { alsoDrafts: false });
    const isManual = note.linesSource === 'manual';
    const requested = isManual ? { requested: asRequested(lines) } : {};
    return within({ ...draft, ...requested }, rests, await this.creditDue(account));
  }

  /** Returns the uncredited rest of the invoice. */
  async rest(original: Invoice, id: string): Promise<PricedLine[]> {
    return fullCredits(await this.restsOf({ id, original }, { alsoDrafts: false }));
  }

  /** Returns the invoice that a credit note credits. Reads the lines only if the invoice was converted to the base currency. */
  async creditedBy(note: CreditNote, invoice: Invoice): Promise<CreditedInvoice> {
    if (invoice.exchangeRate === null) return { invoice, lines: [], credited: [] };
    const lines = await this.invoices.linesOf(invoice.id);
    const issued = { exceptId: note.id, alsoDrafts: false };
    return { invoice, lines, credited: await this.repository.creditedLines(invoice.id, issued) };
  }

  /** Returns the reasons why a draft would have different lines now. */
  async staleReasons(account: BookingAccount, { note, lines }: Omit<StoredDraft, 'original'>): Promise<string[]> {
    if (note.linesSource === 'manual') return [];
    const original = account.invoice(note.originalInvoiceId);
    const draft = { id: note.id, original, reason: note.reason };
    const drawn = drawnLines(draft, await this.restsOf(draft, { alsoDrafts: false }), await this.creditDue(account));
    return isSame(drawn, lines) ? [] : ['documents_changed'];
  }

  private async restsOf(
    { id, original, billed }: Pick<CreditDraft, 'id' | 'original' | 'billed'>,
    { alsoDrafts }: { alsoDrafts: boolean },
  ): Promise<CreditableLine[]> {
    const lines = billed ?? (await this.invoices.linesOf(original.id));
    return creditableLines(lines, await this.repository.creditedLines(original.id, { exceptId: id, alsoDrafts }));
  }

  /** Returns the groups with more billed than owed. A wrong tax alone makes no such group: it is corrected, not credited. */
  private async creditDue(
    { booking, plan }: BookingAccount,
    counted: { draftNotesExcept?: string } = {},
  ): Promise<CreditDue> {
    const items = await this.bookings.activeItems(booking.id);
    const billed = await this.billedTaxes.byRate(booking.id, counted);
    return { items, groups: creditDueByRate(items, plan?.waivedCents() ?? 0, billed) };
  }
}

function within(draft: CreditDraft, rests: readonly CreditableLine[], due: CreditDue): PricedLine[] {
  const { requested } = draft;
  const lines = requested ? requestedLines(draft, requested, rests, due) : drawnLines(draft, rests, due);
  // A line may have a larger rest than the invoice, which also has negative lines.
  const available = rests.reduce((sum, { restCents }) => sum + restCents, 0);
  const { totalCents } = totalsOf(lines, {});
  if (totalCents <= 0) throw overCredited(0);
  if (totalCents > available) throw overCredited(available);
  return lines;
}

function requestedLines(
  { reason }: CreditDraft,
  requested: readonly RequestedCredit[],
  rests: readonly CreditableLine[],
  due: CreditDue,
): PricedLine[] {
  const lines = requestedCredits(rests, requested);
  if (!isLimitedToDue(reason)) return lines;
  assertWithinDue(lines, due);
  return atDueRates(lines, rests, due.groups, due.items);
}

function drawnLines(
  { reason }: CreditDraft,
  rests: readonly CreditableLine[],
  { items, groups }: CreditDue,
): PricedLine[] {
  if (!isLimitedToDue(reason)) return fullCredits(rests);
  const credits = [...new Set(groups.map(({ key }) => key))].flatMap((key) =>
    creditsOver(
      rests.filter(({ line }) => keyOf(line) === key),
      groups.filter((group) => group.key === key),
      items.filter((item) => keyOf(item) === key),
    ),
  );
  return withinInvoice(rests, credits);
}

/** These reasons credit only the amount billed beyond the claim; the others may credit all of an invoice. */
function isLimitedToDue(reason: CreditReason): boolean {
  return reason === 'booking_changed' || reason === 'cancellation';
}

function assertWithinDue(lines: readonly PricedLine[], { groups }: CreditDue): void {
  for (const group of new Set(lines.map(keyOf))) {
    const due = groups.filter(({ key }) => key === group);
    const available = due.reduce((sum, { grossCents }) => sum + grossCents, 0);
    const own = lines.filter((line) => keyOf(line) === group);
    if (totalsOf(own, {}).totalCents > available) throw overCredited(available);
  }
}

/** Returns the request that makes these lines: an amount for each line of the invoice. */
export function asRequested(lines: readonly PricedLine[]): RequestedCredit[] {
  const amounts = new Map<number, number>();
  for (const { originalPosition, totalCents } of lines) {
    const position = originalPosition ?? 0;
    amounts.set(position, (amounts.get(position) ?? 0) + totalCents);
  }
  return [...amounts].map(([linePosition, amountCents]) => ({ linePosition, amountCents }));
}

/** Returns whether two sets of lines credit the same. */
export function isSame(one: readonly PricedLine[], other: readonly PricedLine[]): boolean {
  const figures = (lines: readonly PricedLine[]) =>
    lines
      .map((line) => [line.originalPosition, line.taxRateBasisPoints, line.totalCents, line.taxCents].join(' '))
      .join();
  return figures(one) === figures(other);
}
