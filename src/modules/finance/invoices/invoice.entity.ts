import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { DocumentType } from '../number-series/number-series.entity.js';
import type { Totals } from './line-amounts.js';

export const INVOICE_STATUSES = named('InvoiceStatus', ['draft', 'issued', 'partially_paid', 'paid', 'void']);
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export interface Seller {
  name: string;
  address: string | null;
  taxId: string | null;
}

/** What an invoice gets when it is issued. */
export interface Issue {
  seriesId: string;
  periodKey: string;
  sequence: number;
  number: string;
  issueDate: string;
  dueDate: string;
  seller: Seller;
  /** What came in before; not more than the total. */
  paidCents: number;
}

export interface InvoiceChanges {
  payerName?: string;
  payerAddress?: string | null;
  payerTaxId?: string | null;
  dueDate?: string | null;
}

/** A bill that we send to a customer. It is ours to change while a draft; once it has a number it stays as it is. */
@Entity('invoices')
export class Invoice {
  @PrimaryColumn('text') id: string;
  @Column('text') type: DocumentType;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  /** The installment that it asks for; null: the booking, or what its lines say. */
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('text') status: InvoiceStatus;
  @Column('text', { nullable: true }) number: string | null;
  @Column('text', { name: 'series_id', nullable: true }) seriesId: string | null;
  @Column('text', { name: 'period_key', nullable: true }) periodKey: string | null;
  @Column('bigint', { nullable: true, transformer: safeInteger }) sequence: number | null;
  @Column('date', { name: 'issue_date', nullable: true }) issueDate: string | null;
  @Column('date', { name: 'due_date', nullable: true }) dueDate: string | null;
  @Column('text', { name: 'payer_name' }) payerName: string;
  @Column('text', { name: 'payer_address', nullable: true }) payerAddress: string | null;
  @Column('text', { name: 'payer_tax_id', nullable: true }) payerTaxId: string | null;
  @Column('text', { name: 'seller_name', nullable: true }) sellerName: string | null;
  @Column('text', { name: 'seller_address', nullable: true }) sellerAddress: string | null;
  @Column('text', { name: 'seller_tax_id', nullable: true }) sellerTaxId: string | null;
  @Column('text') currency: string;
  @Column('bigint', { name: 'subtotal_cents', transformer: safeInteger }) subtotalCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** The sum of its live allocations, written by payments alone. */
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  @Column('timestamptz', { name: 'issued_at', nullable: true }) issuedAt: Date | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Column('text', { name: 'void_reason', nullable: true }) voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 `invoice_issued`, `invoice_void`. */
  assertDraft(): void {
    if (this.status === 'draft') return;
    if (this.number !== null) throw conflict('invoice_issued', 'An issued invoice cannot be changed', this.standing());
    throw conflict('invoice_void', 'A void invoice cannot be changed', this.standing());
  }

  /** Whoever calls it has seen that it is a draft. */
  change(changes: InvoiceChanges, totals: Totals, now: Date): void {
    Object.assign(this, changes, totals, { updatedAt: now });
  }

  /** Throws 409 `invalid_transition`. */
  assertIssuable(): void {
    if (this.status !== 'draft') throw this.noMove('issued');
  }

  /**
   * The day on which an invoice of this issue date is due: as named, else as the draft says, but never before the issue
   * date. Throws 400 where the named one is.
   */
  dueDateFor(issueDate: string, named: string | undefined): string {
    if (named !== undefined && named < issueDate) {
      throw invalidField('dueDate', 'dueDate must not be before issueDate', 'due_before_issue');
    }
    const dueDate = named ?? this.dueDate ?? issueDate;
    return dueDate < issueDate ? issueDate : dueDate;
  }

  /** Where nothing is due any more, it is paid at once. */
  statusWhenIssued(paidCents: number): InvoiceStatus {
    if (paidCents === this.totalCents) return 'paid';
    return paidCents === 0 ? 'issued' : 'partially_paid';
  }

  /** What the database wrote when the number was given. */
  issued({ seller, ...issue }: Issue, now: Date): void {
    Object.assign(this, issue, {
      status: this.statusWhenIssued(issue.paidCents),
      sellerName: seller.name,
      sellerAddress: seller.address,
      sellerTaxId: seller.taxId,
      issuedAt: now,
      updatedAt: now,
      version: this.version + 1,
    });
  }

  /** A number that it has stays taken. Throws 409 `invalid_transition`, `invoice_has_payments`. */
  void(reason: string, now: Date): void {
    if (this.status === 'void') throw this.noMove('void');
    if (this.paidCents > 0) {
      throw conflict('invoice_has_payments', 'Reverse the payment allocations of this invoice first', {
        paidCents: this.paidCents,
      });
    }
    Object.assign(this, { status: 'void', voidedAt: now, voidReason: reason, updatedAt: now });
  }

  private noMove(to: InvoiceStatus) {
    return conflict('invalid_transition', `An invoice cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
    });
  }

  private standing(): { status: InvoiceStatus; number: string | null } {
    return { status: this.status, number: this.number };
  }
}
