import { ChildEntity, Column } from 'typeorm';
import { Impersonal, Personal } from '../../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { conflict, invalidField } from '../../../../platform/errors/app-error.js';
import { named } from '../../../../platform/http/named-values.js';
import { BillingDocument, type InvoiceTotals, type Numbering, type PricedLine } from './billing-document.entity.js';

export const INVOICE_STATUSES = named('InvoiceStatus', [
  'draft',
  'issued',
  'partially_paid',
  'paid',
  'credited',
  'void',
]);
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** Digests of the sources of a draft's lines. */
export interface DrawnFrom {
  /** Digests by the id of the active item. */
  items: Record<string, string>;
  installment: string | null;
  waivedCents: number;
  /** Issued documents of the booking. */
  documents: string;
  /** The corrected invoice that the draft replaces. Amounts that it billed at an earlier rate keep rate and tax. */
  replacedInvoiceId?: string;
}

/** The statuses of invoices that are issued and not paid. */
const OPEN_STATUSES: readonly InvoiceStatus[] = ['issued', 'partially_paid'];

/** What the issue sets on an invoice besides its number. */
export interface InvoiceIssue {
  dueDate: string;
  /** Money received earlier; at most the total. */
  paidCents: number;
}

export interface InvoiceChanges {
  payerName?: string;
  payerAddress?: string | null;
  payerTaxId?: string | null;
  dueDate?: string | null;
}

/** Members of the snapshots of credit notes: readers of the ledger find the members of both kinds in each snapshot. */
const NOTHING_CREDITED = { reason: null, reasonText: null, openReducedCents: null, releasedCents: null };

/** A bill to a customer. It can be changed while it is a draft; once it has a number, only its payment state changes. */
@ChildEntity('invoice')
export class Invoice extends BillingDocument {
  declare type: 'invoice';
  declare status: InvoiceStatus;
  /** The installment that it requests; null if it requests the booking, or the contents of its lines. */
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('date', { name: 'due_date', nullable: true }) dueDate: string | null;
  /** The sum of its live allocations. */
  declare paidCents: number;
  /** The sum of its issued credit notes. */
  declare creditedCents: number;
  /** The time at which the sending was recorded, and the day of the sending. */
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('date', { name: 'sent_on', nullable: true }) sentOn: string | null;
  /** If null, the draft never becomes stale. */
  @Impersonal()
  @Unaudited('digests of the rows that the draft was drawn from')
  @Column('jsonb', { name: 'drawn_from', nullable: true })
  drawnFrom: DrawnFrom | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Personal('accounting')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;

  override assertDraft(): void {
    if (this.status === 'draft') return;
    if (this.number !== null) throw conflict('invoice_issued', 'An issued invoice cannot be changed', this.state());
    throw conflict('invoice_void', 'A void invoice cannot be changed', this.state());
  }

  /** For drafts. */
  change(changes: InvoiceChanges, totals: InvoiceTotals, now: Date): void {
    Object.assign(this, changes, totals, { updatedAt: now });
  }

  assertIssuable(): void {
    if (this.status !== 'draft') throw this.invalidTransition('issued');
  }

  /** Returns the due date for this issue date: the requested one, otherwise the draft's, but never before the issue date. */
  dueDateFor(issueDate: string, requested: string | undefined): string {
    if (requested !== undefined && requested < issueDate) {
      throw invalidField('dueDate', 'dueDate must not be before issueDate', 'due_before_issue');
    }
    const dueDate = requested ?? this.dueDate ?? issueDate;
    return dueDate < issueDate ? issueDate : dueDate;
  }

  /** Returns the outstanding amount. */
  balanceCents(): number {
    return this.totalCents - this.creditedCents - this.paidCents;
  }

  /** Returns the amount that is not credited yet. */
  uncreditedCents(): number {
    return this.totalCents - this.creditedCents;
  }

  /** Returns whether it was issued and neither voided nor credited in full. */
  isBilled(): boolean {
    return this.number !== null && this.status !== 'void' && this.status !== 'credited';
  }

  /** Returns the status of an issued invoice with this paid amount. An invoice with a total of 0 is paid when it is issued. */
  statusFor(paidCents: number): InvoiceStatus {
    if (this.creditedCents > 0 && this.creditedCents === this.totalCents) return 'credited';
    if (paidCents + this.creditedCents === this.totalCents) return 'paid';
    return paidCents === 0 ? 'issued' : 'partially_paid';
  }

  /** Adds to the credited amount. */
  addCredited(cents: number, now: Date): void {
    this.creditedCents += cents;
    this.status = this.statusFor(this.paidCents);
    this.updatedAt = now;
  }

  /** Adds to the paid amount; a negative amount is subtracted. */
  addPaid(cents: number): void {
    this.paidCents += cents;
    this.status = this.statusFor(this.paidCents);
  }

  /** `today` is the organization's calendar day. */
  isOverdue(today: string): boolean {
    const isOpen = OPEN_STATUSES.includes(this.status) && this.balanceCents() > 0;
    return isOpen && this.dueDate !== null && this.dueDate < today;
  }

  /** Takes the values that the database stored with the number. */
  issued({ dueDate, paidCents, ...numbering }: Numbering & InvoiceIssue, now: Date): void {
    this.takeNumber(numbering, now);
    Object.assign(this, { dueDate, paidCents, status: this.statusFor(paidCents) });
  }

  /** Its number is not used again. The figures of its month no longer contain it, so it can be voided only in that month. */
  void(voidReason: string, month: { isMonthClosed: boolean; today: string; now: Date }): void {
    if (this.status === 'void') throw this.invalidTransition('void');
    const { now } = month;
    const reason = this.followedBy(month);
    if (reason !== null) {
      throw conflict('credit_note_required', 'Credit the invoice instead of voiding it', { reason });
    }
    Object.assign(this, { status: 'void', voidedAt: now, voidReason, updatedAt: now });
  }

  /** The day must be between the issue and today. */
  deliver(sentOn: string, { today, now }: { today: string; now: Date }): void {
    if (this.status === 'void') throw conflict('invoice_void', 'A void invoice cannot be sent', this.state());
    if (this.issueDate === null) throw conflict('invoice_not_issued', 'Only issued invoices can be sent');
    if (this.sentOn !== null) {
      throw conflict('invoice_sent', 'The invoice was recorded as sent', { sentOn: this.sentOn });
    }
    if (sentOn < this.issueDate || sentOn > today) {
      throw invalidField('sentOn', 'sentOn must be between the issue date and today', 'day_out_of_range');
    }
    Object.assign(this, { sentAt: now, sentOn, updatedAt: now });
  }

  /** Returns the audit snapshot. `today` is the organization's calendar day. */
  auditImage(lines: readonly PricedLine[], today: string): object {
    const computed = { overdue: this.isOverdue(today), balanceCents: this.balanceCents() };
    return { ...NOTHING_CREDITED, ...this.imageWith(lines), ...computed };
  }

  /** Returns the reason why an issued invoice cannot be voided. */
  private followedBy({
    isMonthClosed,
    today,
  }: {
    isMonthClosed: boolean;
    today: string;
  }): 'paid' | 'credited' | 'sent' | 'month_closed' | 'month_over' | null {
    if (this.paidCents > 0) return 'paid';
    if (this.creditedCents > 0) return 'credited';
    if (this.sentAt !== null) return 'sent';
    if (isMonthClosed) return 'month_closed';
    return this.issueDate !== null && this.issueDate.slice(0, 7) < today.slice(0, 7) ? 'month_over' : null;
  }

  private invalidTransition(to: InvoiceStatus) {
    return conflict('invalid_transition', `An invoice cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
    });
  }

  private state(): { status: InvoiceStatus; number: string | null } {
    return { status: this.status, number: this.number };
  }
}

/** Computes `isOverdue` of the row `invoice` of a statement; `today` is a placeholder such as `$2`. */
export function overdueInvoiceSql(today: string): string {
  return `(invoice.status in ('issued', 'partially_paid') and invoice.due_date < ${today}::date
    and invoice.paid_cents + invoice.credited_cents < invoice.total_cents)`;
}
