import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Derived } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import type { AppliedRate } from '../books/index.js';
import { assertTotals, baseTotals, effectiveRate, headOf, storedRate } from './supplier-invoice-amounts.js';
import type { PricedLine } from './supplier-invoice-line.entity.js';

export const SUPPLIER_INVOICE_STATUSES = named('SupplierInvoiceStatus', ['draft', 'approved', 'paid', 'void']);
export type SupplierInvoiceStatus = (typeof SUPPLIER_INVOICE_STATUSES)[number];

/** Transitions that staff can make. Only payments lead to `paid` and away from it. */
const TRANSITIONS: Record<SupplierInvoiceStatus, readonly SupplierInvoiceStatus[]> = {
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

/** An invoice received from a supplier: checked while it is a draft, paid once it is approved. */
@Entity('supplier_invoices')
export class SupplierInvoice {
  @PrimaryColumn('text') id: string;
  @Personal('accounting')
  @Column('text', { name: 'supplier_name' })
  supplierName: string;
  /** Normalized name; unique together with `numberKey` among invoices that are not void. */
  @Personal('accounting')
  @Derived('`supplierName`')
  @Column('text', { name: 'supplier_key' })
  supplierKey: string;
  @Column('text', { name: 'invoice_number' }) invoiceNumber: string;
  @Derived('`invoiceNumber`')
  @Column('text', { name: 'number_key' })
  numberKey: string;
  @Column('text') currency: string;
  /** The stated base currency; a recorded rate has the base currency of the accounts. */
  @Column('text', { name: 'base_currency', nullable: true }) baseCurrency: string | null;
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  @Column('bigint', { name: 'subtotal_cents', transformer: safeInteger }) subtotalCents: number;
  @Column('bigint', { name: 'tax_cents', transformer: safeInteger }) taxCents: number;
  /** The rate stated on the invoice; null if none is stated, or if the currencies are equal. */
  @Column('numeric', { name: 'exchange_rate', nullable: true }) exchangeRate: string | null;
  /** The recorded rate with which it was converted at its approval; null before, and with a stated rate. */
  @Column('jsonb', { name: 'applied_rate', nullable: true }) appliedRate: AppliedRate | null;
  @Column('bigint', { name: 'base_total_cents', nullable: true, transformer: safeInteger })
  baseTotalCents: number | null;
  @Column('bigint', { name: 'base_subtotal_cents', nullable: true, transformer: safeInteger })
  baseSubtotalCents: number | null;
  @Column('bigint', { name: 'base_tax_cents', nullable: true, transformer: safeInteger }) baseTaxCents: number | null;
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  @Column('text') status: SupplierInvoiceStatus;
  @Column('date', { name: 'issue_date' }) issueDate: string;
  @Column('date', { name: 'due_date', nullable: true }) dueDate: string | null;
  @Personal('accounting')
  @Column('text', { nullable: true })
  notes: string | null;
  /** The posting date; null until it is approved. */
  @Column('date', { name: 'posting_date', nullable: true }) postingDate: string | null;
  /** Users who have entered the invoice or changed its amounts, in a session or with an API token. */
  @Column('text', { name: 'entered_by', array: true }) enteredBy: string[];
  @Column('timestamptz', { name: 'approved_at', nullable: true }) approvedAt: Date | null;
  @Column('text', { name: 'approved_by', nullable: true }) approvedBy: string | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Column('date', { name: 'voided_on', nullable: true }) voidedOn: string | null;
  @Personal('accounting')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Rejects changes of fields that cannot be changed in this status. */
  assertOpen(fields: readonly string[]): void {
    const open = OPEN_FIELDS[this.status];
    const locked = open === 'all' ? [] : fields.filter((field) => !open.includes(field));
    if (locked.length === 0) return;
    throw conflict('invoice_locked', `These fields cannot be changed while the supplier invoice is ${this.status}`, {
      status: this.status,
      lockedFields: locked,
    });
  }

  /** `lines` are the lines after the change, which this user makes. */
  change(
    changes: SupplierInvoiceChanges,
    { lines, userId }: { lines: readonly PricedLine[]; userId: string },
    now: Date,
  ): void {
    this.enter(userId);
    const changesCurrencies =
      (changes.currency ?? this.currency) !== this.currency ||
      (changes.baseCurrency === undefined ? this.baseCurrency : changes.baseCurrency) !== this.baseCurrency;
    if (changesCurrencies && this.exchangeRate !== null && changes.exchangeRate === undefined) {
      throw invalidField(
        'exchangeRate',
        'The stored rate is for other currencies; send a new exchangeRate or null',
        'rate_outdated',
      );
    }
    // Without tax, the subtotal was computed from the total, so it follows a corrected total.
    const subtotalFollows = this.taxCents === 0 && changes.subtotalCents === undefined;
    Object.assign(this, lines.length > 0 ? headOf(lines) : {}, changes, { updatedAt: now });
    if (subtotalFollows && lines.length === 0) this.subtotalCents = this.totalCents - this.taxCents;
    this.complete(lines);
  }

  /** A user who has entered the invoice must not approve or pay it. */
  assertSecondPerson(userId: string): void {
    if (!this.enteredBy.includes(userId)) return;
    throw conflict('second_person_required', 'Another person must approve and pay the supplier invoice', {
      enteredBy: this.enteredBy,
    });
  }

  /** An invoice with a total of 0 is paid immediately. */
  approve({ actorId, postingDate }: { actorId: string; postingDate: string }, now: Date): void {
    this.assertTransition('approved');
    const status = this.totalCents === 0 ? 'paid' : 'approved';
    Object.assign(this, { status, postingDate, approvedAt: now, approvedBy: actorId, updatedAt: now });
  }

  /** The stated base currency must be the one of the accounts, in which tax is declared. */
  assertBaseCurrency(accountsCurrency: string): void {
    const { baseCurrency: stated } = this;
    if (stated === null || stated === accountsCurrency) return;
    const message = `The base currency of the accounts is ${accountsCurrency}`;
    throw conflict('base_currency_mismatch', message, { baseCurrency: accountsCurrency, stated });
  }

  /**
   * Returns whether a recorded rate converts it to the currency of the accounts: it is in another currency and states no base
   * amounts.
   */
  takesRate(accountsCurrency: string): boolean {
    const { currency, baseCurrency, exchangeRate } = this;
    return (
      currency !== accountsCurrency && (baseCurrency ?? accountsCurrency) === accountsCurrency && exchangeRate === null
    );
  }

  /** Takes a recorded rate. */
  convert(appliedRate: AppliedRate): void {
    this.appliedRate = appliedRate;
    Object.assign(this, baseTotals(this));
  }

  /** Used for a reversal: the approval paid an invoice with a total of 0, so no payment prevents the reversal. */
  unsettleIfNothingPaid(): void {
    if (this.status === 'paid' && this.paidCents === 0) this.status = 'approved';
  }

  reopen(now: Date): void {
    this.assertTransition('draft');
    Object.assign(this, { status: 'draft', postingDate: null, approvedAt: null, approvedBy: null, updatedAt: now });
    // The next approval may concern other amounts and another day.
    this.appliedRate = null;
    Object.assign(this, baseTotals(this));
  }

  /** Its number can be used again. An approved invoice was a debt until today. */
  void({ reason, today }: { reason: string; today: string }, now: Date): void {
    this.assertTransition('void');
    Object.assign(this, { status: 'void', voidedAt: now, voidedOn: today, voidReason: reason, updatedAt: now });
  }

  /** Adds paid money, or removes it if `cents` is negative. */
  settle(cents: number, now: Date): void {
    const paidCents = this.paidCents + cents;
    Object.assign(this, { paidCents, status: paidCents === this.totalCents ? 'paid' : 'approved', updatedAt: now });
  }

  /** Validates the fields and computes the derived ones; must be called after each change of fields. */
  complete(lines: readonly PricedLine[]): void {
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

  /** Returns the audit snapshot without the lines. Base currency and rate are the stated ones, which a reversal restores. */
  auditImage(): object {
    const { currency, baseCurrency, exchangeRate } = this;
    const stated = { currency, baseCurrency, exchangeRate };
    return { ...imageOf(this), exchangeRate: effectiveRate(stated) };
  }

  private enter(userId: string): void {
    if (this.status === 'draft') this.enteredBy = [...new Set([...this.enteredBy, userId])];
  }

  private assertTransition(to: SupplierInvoiceStatus): void {
    if (!TRANSITIONS[this.status].includes(to)) {
      throw conflict('invalid_transition', `A supplier invoice cannot go from ${this.status} to ${to}`, {
        from: this.status,
        to,
        allowed: TRANSITIONS[this.status],
      });
    }
    if (to !== 'approved' && this.paidCents > 0) {
      throw conflict('invoice_has_payments', 'Reverse the payments of this supplier invoice first', {
        paidCents: this.paidCents,
      });
    }
  }
}

function collapsed(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
