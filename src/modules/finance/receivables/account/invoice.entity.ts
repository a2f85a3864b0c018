import { named } from '../../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Personal, Rights } from '../../../../platform/database/table-declarations.js';
import type { IssuerCopy } from '../../../organization/index.js';
import { imageOf } from '../../../../platform/database/audited.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../../platform/errors/app-error.js';
import type { TaxKind } from '../../../taxes/index.js';
import type { AppliedRate, BaseAmounts, DocumentType } from '../../books/index.js';

export const INVOICE_STATUSES = named('InvoiceStatus', [
  'draft',
  'issued',
  'partially_paid',
  'paid',
  'credited',
  'void',
]);
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const CREDIT_REASONS = named('CreditReason', ['booking_changed', 'cancellation', 'correction', 'goodwill']);
export type CreditReason = (typeof CREDIT_REASONS)[number];

export const LINES_SOURCES = named('LinesSource', ['booking', 'schedule', 'manual']);
export type LinesSource = (typeof LINES_SOURCES)[number];

export const PAYER_SOURCES = named('PayerSource', ['customer', 'manual']);
export type PayerSource = (typeof PAYER_SOURCES)[number];

export const INVOICE_PURPOSES = named('InvoicePurpose', ['cancellation_fee']);
export type InvoicePurpose = (typeof INVOICE_PURPOSES)[number];

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

export interface InvoiceTotals {
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
}

/**
 * Basis of the unit price: without tax, with tax, or with a tax that was allocated to the line from the tax of a whole booking.
 */
export const PRICE_BASES = named('PriceBasis', ['net', 'gross', 'allocated']);
export type PriceBasis = (typeof PRICE_BASES)[number];

/** One line of an invoice with all its amounts. */
export interface PricedLine {
  bookingItemId: string | null;
  description: string;
  quantity: string;
  priceBasis: PriceBasis;
  unitPriceCents: number;
  /** Null for an amount without a tax code; the next two are then also null. */
  taxCodeId: string | null;
  taxCode: string | null;
  taxKind: TaxKind | null;
  taxRateBasisPoints: number | null;
  netCents: number;
  taxCents: number;
  totalCents: number;
  /** Printed reason why no tax is shown. */
  mention: string | null;
  serviceDate: string | null;
  serviceEndDate: string | null;
  /** The line of the invoice that a credit note credits. */
  originalPosition?: number | null;
  /** Amounts in the base currency; set only on issued documents in another currency. */
  baseNetCents?: number | null;
  baseTaxCents?: number | null;
  baseTotalCents?: number | null;
}

/** The seller's details, as printed on an invoice. */
export interface Seller {
  name: string;
  address: string | null;
  taxId: string | null;
}

/** Values that the issue sets on an invoice. */
export interface Issue {
  seriesId: string;
  periodKey: string;
  sequence: number;
  number: string;
  issueDate: string;
  /** Null for a credit note. */
  dueDate: string | null;
  seller: Seller;
  /** Money received earlier; at most the total. */
  paidCents: number;
  openReducedCents?: number;
  releasedCents?: number;
  base: BaseAmounts;
}

export interface InvoiceChanges {
  payerName?: string;
  payerAddress?: string | null;
  payerTaxId?: string | null;
  dueDate?: string | null;
}

/** A bill to a customer. It can be changed while it is a draft; once it has a number, only its payment state changes. */
@Rights(DELETE)
@Entity('invoices')
export class Invoice implements BaseAmounts {
  @PrimaryColumn('text') id: string;
  @Column('text') type: DocumentType;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  /** The installment that it requests; null if it requests the booking, or the contents of its lines. */
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('text') status: InvoiceStatus;
  @Column('text', { nullable: true }) number: string | null;
  @Column('text', { name: 'series_id', nullable: true }) seriesId: string | null;
  @Column('text', { name: 'period_key', nullable: true }) periodKey: string | null;
  @Column('bigint', { nullable: true, transformer: safeInteger }) sequence: number | null;
  @Column('date', { name: 'issue_date', nullable: true }) issueDate: string | null;
  @Column('date', { name: 'due_date', nullable: true }) dueDate: string | null;
  @Personal('accounting')
  @Column('text', { name: 'payer_name' })
  payerName: string;
  @Personal('accounting')
  @Column('text', { name: 'payer_address', nullable: true })
  payerAddress: string | null;
  @Personal('accounting')
  @Column('text', { name: 'payer_tax_id', nullable: true })
  payerTaxId: string | null;
  @Impersonal()
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_name', nullable: true })
  sellerName: string | null;
  @Impersonal()
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_address', nullable: true })
  sellerAddress: string | null;
  @Unaudited('a member of `seller` in the snapshot')
  @Column('text', { name: 'seller_tax_id', nullable: true })
  sellerTaxId: string | null;
  @Column('text') currency: string;
  @Column('bigint', { name: 'subtotal_cents', transformer: safeInteger }) subtotalCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** Null until issued, as are the other base amounts. */
  @Column('text', { name: 'base_currency', nullable: true }) baseCurrency: string | null;
  /** Copy of the rate; null if no rate was recorded, or if the invoice is in the base currency. */
  @Column('jsonb', { name: 'exchange_rate', nullable: true }) exchangeRate: AppliedRate | null;
  @Column('bigint', { name: 'base_subtotal_cents', nullable: true, transformer: safeInteger })
  baseSubtotalCents: number | null;
  @Column('bigint', { name: 'base_tax_cents', nullable: true, transformer: safeInteger }) baseTaxCents: number | null;
  @Column('bigint', { name: 'base_total_cents', nullable: true, transformer: safeInteger })
  baseTotalCents: number | null;
  /** The sum of its live allocations. */
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  /** The sum of its issued credit notes. */
  @Column('bigint', { name: 'credited_cents', transformer: safeInteger }) creditedCents: number;
  /** The invoice that a credit note credits; null for an invoice, like the other members of credit notes. */
  @Unaudited('`invoiceId` in the snapshot of a credit note')
  @Column('text', { name: 'original_invoice_id', nullable: true })
  originalInvoiceId: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  reason: CreditReason | null;
  @Personal('accounting')
  @Column('text', { name: 'reason_text', nullable: true })
  reasonText: string | null;
  /** Amounts by which an issued credit note lowered the open balance of the invoice, and that it released of its payments. */
  @Column('bigint', { name: 'open_reduced_cents', nullable: true, transformer: safeInteger })
  openReducedCents: number | null;
  @Column('bigint', { name: 'released_cents', nullable: true, transformer: safeInteger }) releasedCents: number | null;
  /** Null for the price of a booking. */
  @Column('text', { nullable: true }) purpose: InvoicePurpose | null;
  /** The time at which the sending was recorded, and the day of the sending. */
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('date', { name: 'sent_on', nullable: true }) sentOn: string | null;
  @Column('text', { name: 'lines_source' }) linesSource: LinesSource;
  @Column('text', { name: 'payer_source' }) payerSource: PayerSource;
  /** If null, the draft never becomes stale. */
  @Impersonal()
  @Unaudited('digests of the rows that the draft was drawn from')
  @Column('jsonb', { name: 'drawn_from', nullable: true })
  drawnFrom: DrawnFrom | null;
  @Column('timestamptz', { name: 'issued_at', nullable: true }) issuedAt: Date | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Personal('accounting')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  assertDraft(): void {
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
  issued({ seller, base, ...issue }: Issue, now: Date): void {
    Object.assign(this, issue, base, {
      status: this.statusFor(issue.paidCents),
      sellerName: seller.name,
      sellerAddress: seller.address,
      sellerTaxId: seller.taxId,
      issuedAt: now,
      updatedAt: now,
      version: this.version + 1,
    });
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

  /** Returns the organization as of the issue; null for a draft. */
  seller(): Seller | null {
    const { sellerName: name, sellerAddress: address, sellerTaxId: taxId } = this;
    return name === null ? null : { name, address, taxId };
  }

  /** Returns the audit snapshot of an invoice. `today` is the organization's calendar day. */
  auditImage(lines: readonly PricedLine[], today: string): object {
    return {
      ...imageOf(this),
      overdue: this.isOverdue(today),
      seller: this.seller(),
      balanceCents: this.balanceCents(),
      ...(this.type === 'credit_note' ? { invoiceId: this.originalInvoiceId } : {}),
      lines: lines.map((line) => ({
        bookingItemId: line.bookingItemId,
        description: line.description,
        quantity: line.quantity,
        priceBasis: line.priceBasis,
        unitPriceCents: line.unitPriceCents,
        taxCodeId: line.taxCodeId,
        taxCode: line.taxCode,
        taxKind: line.taxKind,
        taxRateBasisPoints: line.taxRateBasisPoints,
        netCents: line.netCents,
        taxCents: line.taxCents,
        totalCents: line.totalCents,
        mention: line.mention,
        serviceDate: line.serviceDate,
        serviceEndDate: line.serviceEndDate,
      })),
    };
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

/** Returns the members of the issuer that the document itself keeps. */
export function sellerOf({ legalName, address, vatId, taxId }: IssuerCopy): Seller {
  return { name: legalName, address, taxId: vatId ?? taxId };
}

/** Computes `isOverdue` of the row `invoice` of a statement; `today` is a placeholder such as `$2`. */
export function overdueInvoiceSql(today: string): string {
  return `(invoice.status in ('issued', 'partially_paid') and invoice.due_date < ${today}::date
    and invoice.paid_cents + invoice.credited_cents < invoice.total_cents)`;
}
