import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { type AppError, conflict, invalidField } from '../../../platform/errors/app-error.js';
import { assertTotals, baseTotals, storedRate } from './supplier-invoice-amounts.js';
import type { PricedLine } from './supplier-invoice-line.entity.js';

export const SUPPLIER_INVOICE_STATUSES = named('SupplierInvoiceStatus', ['draft', 'approved', 'paid', 'void']);
export type SupplierInvoiceStatus = (typeof SUPPLIER_INVOICE_STATUSES)[number];

/** Where people can take an invoice. `paid` is left and reached by payments alone. */
const MOVES: Record<SupplierInvoiceStatus, readonly SupplierInvoiceStatus[]> = {
  draft: ['approved', 'void'],
  approved: ['draft', 'void'],
  paid: [],
  void: [],
};

export interface SupplierInvoiceChanges {
  supplierName?: string;
  invoiceNumber?: string;
  currency?: string;
  baseCurrency?: string | null;
  totalCents?: number;
  subtotalCents?: number;
  taxCents?: number;
  exchangeRate?: string | null;
  issueDate?: string;
  dueDate?: string | null;
  notes?: string | null;
}

const OPEN_FIELDS: Record<SupplierInvoiceStatus, readonly string[] | 'all'> = {
  draft: 'all',
  approved: ['notes', 'dueDate'],
  paid: [],
  void: [],
};

/** A bill that a supplier sends to us. It is ours to check while a draft, and to pay once approved. */
@Entity('supplier_invoices')
export class SupplierInvoice {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'supplier_name' }) supplierName: string;
  /** By these two an invoice is recognized: the database lets one number of a supplier live once. */
  @Column('text', { name: 'supplier_key' }) supplierKey: string;
  @Column('text', { name: 'invoice_number' }) invoiceNumber: string;
  @Column('text', { name: 'number_key' }) numberKey: string;
  @Column('text') currency: string;
  @Column('text', { name: 'base_currency', nullable: true }) baseCurrency: string | null;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  @Column('bigint', { name: 'subtotal_cents', transformer: safeInteger }) subtotalCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  /** Null also where the currencies are equal, because there is nothing to convert. */
  @Column('numeric', { name: 'exchange_rate', nullable: true }) exchangeRate: string | null;
  @Column('bigint', { name: 'base_total_cents', nullable: true, transformer: safeInteger })
  baseTotalCents: number | null;
  @Column('bigint', { name: 'base_subtotal_cents', nullable: true, transformer: safeInteger })
  baseSubtotalCents: number | null;
  @Column('bigint', { name: 'base_tax_cents', nullable: true, transformer: safeInteger }) baseTaxCents: number | null;
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  @Column('text') status: SupplierInvoiceStatus;
  @Column('date', { name: 'issue_date' }) issueDate: string;
  @Column('date', { name: 'due_date', nullable: true }) dueDate: string | null;
  @Column('text', { nullable: true }) notes: string | null;
  @Column('timestamptz', { name: 'approved_at', nullable: true }) approvedAt: Date | null;
  @Column('text', { name: 'approved_by', nullable: true }) approvedBy: string | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Column('text', { name: 'void_reason', nullable: true }) voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Refuses changes of what the status has locked: 409 `invoice_locked`. */
  assertOpen(fields: readonly string[]): void {
    const open = OPEN_FIELDS[this.status];
    const locked = open === 'all' ? [] : fields.filter((field) => !open.includes(field));
    if (locked.length === 0) return;
    throw conflict('invoice_locked', `These fields cannot be changed while the supplier invoice is ${this.status}`, {
      status: this.status,
      lockedFields: locked,
    });
  }

  /** Throws 400 where dates or the rate contradict each other, 422 `totals_mismatch`. `lines` are those it then has. */
  change(changes: SupplierInvoiceChanges, lines: readonly PricedLine[], now: Date): void {
    const isOtherPair =
      (changes.currency ?? this.currency) !== this.currency ||
      (changes.baseCurrency === undefined ? this.baseCurrency : changes.baseCurrency) !== this.baseCurrency;
    if (isOtherPair && this.exchangeRate !== null && changes.exchangeRate === undefined) {
      throw invalidField(
        'exchangeRate',
        'The stored rate is for other currencies; send a new exchangeRate or null',
        'rate_outdated',
      );
    }
    // An amount that was never broken down has no subtotal of its own to contradict a corrected total.
    const isUndivided = this.taxCents === 0 && changes.subtotalCents === undefined;
    Object.assign(this, changes, { updatedAt: now });
    if (isUndivided) this.subtotalCents = this.totalCents - this.taxCents;
    this.conclude(lines);
  }

  /** Approved, and paid at once where nothing is due. Throws 409 `invalid_transition`. */
  approve(actorId: string, now: Date): void {
    this.assertMove('approved');
    const status = this.totalCents === 0 ? 'paid' : 'approved';
    Object.assign(this, { status, approvedAt: now, approvedBy: actorId, updatedAt: now });
  }

  /** For an undo: where nothing is due an approval pays at once, but nothing was paid that would stand in its way. */
  forgetSettlement(): void {
    if (this.status === 'paid' && this.paidCents === 0) this.status = 'approved';
  }

  /** A draft again. Throws 409 `invalid_transition`, `invoice_has_payments`. */
  reopen(now: Date): void {
    this.assertMove('draft');
    Object.assign(this, { status: 'draft', approvedAt: null, approvedBy: null, updatedAt: now });
  }

  /** Its number becomes free. Throws 409 `invalid_transition`, `invoice_has_payments`. */
  void(reason: string, now: Date): void {
    this.assertMove('void');
    Object.assign(this, { status: 'void', voidedAt: now, voidReason: reason, updatedAt: now });
  }

  /** Counts money on it, or (negative) takes it off again: paid once nothing is due, and approved when something is. */
  settle(cents: number, now: Date): void {
    const paidCents = this.paidCents + cents;
    Object.assign(this, { paidCents, status: paidCents === this.totalCents ? 'paid' : 'approved', updatedAt: now });
  }

  /** Checks what must agree and computes what follows from it; whoever sets fields calls it afterwards. */
  conclude(lines: readonly PricedLine[]): void {
    if (this.dueDate !== null && this.dueDate < this.issueDate) {
      throw invalidField('dueDate', 'dueDate must not be before issueDate', 'due_before_issue');
    }
    assertTotals(this, lines);
    this.exchangeRate = storedRate(this);
    Object.assign(this, baseTotals(this), {
      supplierKey: collapsed(this.supplierName).toLowerCase(),
      numberKey: collapsed(this.invoiceNumber).toUpperCase(),
    });
  }

  private assertMove(to: SupplierInvoiceStatus): void {
    if (!MOVES[this.status].includes(to)) throw this.noMove(to);
    if (to !== 'approved' && this.paidCents > 0) {
      throw conflict('invoice_has_payments', 'Reverse the payments of this supplier invoice first', {
        paidCents: this.paidCents,
      });
    }
  }

  private noMove(to: SupplierInvoiceStatus): AppError {
    return conflict('invalid_transition', `A supplier invoice cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
      allowed: MOVES[this.status],
    });
  }
}

function collapsed(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
