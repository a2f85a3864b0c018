import { ChildEntity, Column } from 'typeorm';
import { safeInteger } from '../../../../platform/database/columns.js';
import { Impersonal, Personal } from '../../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import { named } from '../../../../platform/http/named-values.js';
import { BillingDocument, type InvoiceTotals, type Numbering, type PricedLine } from './billing-document.entity.js';

export const CREDIT_NOTE_STATUSES = named('CreditNoteStatus', ['draft', 'issued']);
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number];

export const CREDIT_REASONS = named('CreditReason', ['booking_changed', 'cancellation', 'correction', 'goodwill']);
export type CreditReason = (typeof CREDIT_REASONS)[number];

/** What the issue sets on a credit note besides its number: the effects on the money of its invoice. */
export interface CreditNoteIssue {
  openReducedCents: number;
  releasedCents: number;
}

export type CreditNoteChanges = Pick<CreditNote, 'reason' | 'reasonText' | 'linesSource'>;

/** Members of the snapshots of invoices: readers of the ledger find the members of both kinds in each snapshot. */
const NOTHING_DUE = {
  scheduleId: null,
  dueDate: null,
  overdue: false,
  sentAt: null,
  sentOn: null,
  voidedAt: null,
  voidReason: null,
};

/** Reduces the claim of an invoice. It can be changed while it is a draft; an issued credit note is final. */
@ChildEntity('credit_note')
export class CreditNote extends BillingDocument {
  declare type: 'credit_note';
  declare status: CreditNoteStatus;
  /** The invoice that it credits. */
  @Unaudited('`invoiceId` in the snapshot')
  @Column('text', { name: 'original_invoice_id' })
  originalInvoiceId: string;
  @Impersonal()
  @Column('text')
  reason: CreditReason;
  @Personal('accounting')
  @Column('text', { name: 'reason_text' })
  reasonText: string;
  /** Amount by which it lowered the open balance of the invoice; null until issued. */
  @Column('bigint', { name: 'open_reduced_cents', nullable: true, transformer: safeInteger })
  openReducedCents: number | null;
  /** Amount that it released of the payments of the invoice; null until issued. */
  @Column('bigint', { name: 'released_cents', nullable: true, transformer: safeInteger }) releasedCents: number | null;

  override assertDraft(): void {
    const { number } = this;
    if (number === null) return;
    throw conflict('credit_note_final', 'An issued credit note is final; bill the amount again', { number });
  }

  /** For drafts. */
  change(changes: Partial<CreditNoteChanges>, totals: InvoiceTotals, now: Date): void {
    Object.assign(this, changes, totals, { updatedAt: now });
  }

  /** Takes the values that the database stored with the number. */
  issued({ openReducedCents, releasedCents, ...numbering }: Numbering & CreditNoteIssue, now: Date): void {
    this.takeNumber(numbering, now);
    Object.assign(this, { openReducedCents, releasedCents, status: 'issued' });
  }

  /** Returns the audit snapshot. */
  auditImage(lines: readonly PricedLine[]): object {
    const computed = { invoiceId: this.originalInvoiceId, balanceCents: this.totalCents };
    return { ...NOTHING_DUE, ...this.imageWith(lines), ...computed };
  }
}
