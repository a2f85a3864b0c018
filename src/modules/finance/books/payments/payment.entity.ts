import { extensible, named } from '../../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../../platform/database/table-declarations.js';
import { imageOf } from '../../../../platform/database/audited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';

export const DIRECTIONS = named('PaymentDirection', ['in', 'out']);
export type Direction = (typeof DIRECTIONS)[number];

export const METHODS = extensible('PaymentMethod', [
  'bank_transfer',
  'card',
  'cash',
  'cheque',
  'wallet',
  'direct_bill',
  'other',
]);
export type Method = (typeof METHODS)[number];

export const SOURCES = named('PaymentSource', ['manual', 'schedule_patch']);
export type Source = (typeof SOURCES)[number];

/** Only refunds are requested before they are completed, and only refunds fail. */
export const PAYMENT_STATUSES = named('PaymentStatus', ['requested', 'completed', 'failed', 'reversed']);
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const PAYMENT_KINDS = named('PaymentKind', [
  'receipt',
  'refund',
  'transfer_in',
  'transfer_out',
  'supplier_payment',
  'commission_payout',
]);
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

export const REVERSAL_KINDS = named('PaymentReversalKind', ['mistake', 'bounced', 'chargeback']);
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

export interface Reversal {
  kind: ReversalKind;
  reason: string;
  /** The day on which the money moved back. */
  reversedOn: string;
  /** The posting date: the same day, or the first day of the first open month. */
  postingDate: string;
}

/**
 * A movement of money. `in` is money received from a customer, moved to a booking, or paid back by a recipient of commissions;
 * `out` is money sent to a supplier, refunded, moved from a booking, or paid out as a commission. Mistakes are reversed, never
 * edited. Unapplied money of the booking covers refunds and outgoing transfers.
 */
@Entity('payments')
export class Payment {
  @PrimaryColumn('text') id: string;
  @Column('text') direction: Direction;
  @Column('text') kind: PaymentKind;
  /** Set on money of customers. */
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  /** Set on payments to suppliers. */
  @Column('text', { name: 'supplier_invoice_id', nullable: true }) supplierInvoiceId: string | null;
  /** Set on payouts of commissions. */
  @Column('text', { name: 'commission_id', nullable: true }) commissionId: string | null;
  @Column('text') method: Method;
  @Column('text') currency: string;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Column('bigint', { name: 'unapplied_cents', transformer: safeInteger }) unappliedCents: number;
  /** The part of a refund or an outgoing transfer that money of other payments covers. The customer owes the rest. */
  @Column('bigint', { name: 'covered_cents', transformer: safeInteger }) coveredCents: number;
  /** Whether unapplied money automatically settles debts of the booking. */
  @Column('boolean', { name: 'auto_apply' }) autoApply: boolean;
  /** Day on which the money moved; for a requested refund, the day of the request. */
  @Column('date', { name: 'paid_on' }) paidOn: string;
  /** The posting date: `paidOn`, or the first open day if its month was closed. */
  @Column('date', { name: 'posting_date' }) postingDate: string;
  /** The last day for paying a refund. */
  @Column('date', { name: 'due_on', nullable: true }) dueOn: string | null;
  @Personal('accounting')
  @Column('text', { nullable: true })
  reference: string | null;
  @Column('text') source: Source;
  @Column('text') status: PaymentStatus;
  /** Reason for refunding or moving the money. */
  @Personal('accounting')
  @Column('text', { nullable: true })
  reason: string | null;
  /** The receipt whose money a refund returns. */
  @Column('text', { name: 'receipt_id', nullable: true }) receiptId: string | null;
  /** The ID of the transfer, which both of its sides have. */
  @Column('text', { name: 'transfer_id', nullable: true }) transferId: string | null;
  /** The reversed payment that this one replaces. */
  @Column('text', { name: 'replaces_payment_id', nullable: true }) replacesPaymentId: string | null;
  @Column('timestamptz', { name: 'reversed_at', nullable: true }) reversedAt: Date | null;
  @Personal('accounting')
  @Column('text', { name: 'reversal_reason', nullable: true })
  reversalReason: string | null;
  @Column('text', { name: 'reversal_kind', nullable: true }) reversalKind: ReversalKind | null;
  @Column('date', { name: 'reversed_on', nullable: true }) reversedOn: string | null;
  @Column('date', { name: 'reversal_posting_date', nullable: true }) reversalPostingDate: string | null;
  @Column('timestamptz', { name: 'failed_at', nullable: true }) failedAt: Date | null;
  @Personal('accounting')
  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  assertCompleted(to: PaymentStatus): void {
    if (this.status === 'completed') return;
    throw conflict('invalid_transition', `A payment that is ${this.status} cannot be changed`, {
      from: this.status,
      to,
      allowed: [],
    });
  }

  /** Money that was paid back or moved away cannot be allocated, nor payouts of commissions. */
  assertAllocatable(): void {
    if (!this.isCovered() && this.commissionId === null) return;
    throw conflict('invalid_transition', 'Only received money can be allocated', {
      from: this.status,
      to: this.status,
      allowed: [],
    });
  }

  /** Returns whether unapplied money of the booking covers it. */
  isCovered(): boolean {
    return this.kind === 'refund' || this.kind === 'transfer_out';
  }

  /** Returns whether a part of a receipt settles nothing, although it would settle any open debt of the booking. */
  exceedsOutstanding(): boolean {
    const isReceipt = this.direction === 'in' && this.bookingId !== null && this.status === 'completed';
    return isReceipt && this.autoApply && this.unappliedCents > 0;
  }

  /** Returns the part of a refund or an outgoing transfer that no money covers; the customer owes it. */
  uncoveredCents(): number {
    return this.isCovered() && this.status === 'completed' ? this.amountCents - this.coveredCents : 0;
  }

  /** Completes a requested refund. */
  complete(
    { paidOn, postingDate, reference }: { paidOn: string; postingDate: string; reference: string | null },
    now: Date,
  ): void {
    this.assertRequested('completed');
    Object.assign(this, { status: 'completed', paidOn, postingDate, reference, updatedAt: now });
  }

  /** Fails a requested refund that could not be paid. The caller releases the money that covers it. */
  fail(reason: string, now: Date): void {
    this.assertRequested('failed');
    Object.assign(this, { status: 'failed', failedAt: now, failureReason: reason, updatedAt: now });
  }

  assertRequested(to: PaymentStatus): void {
    if (this.status === 'requested') return;
    throw conflict('invalid_transition', `A refund that is ${this.status} cannot become ${to}`, {
      from: this.status,
      to,
    });
  }

  /** The caller must also reverse its allocations. */
  reverse({ kind, reason, reversedOn, postingDate }: Reversal, now: Date): void {
    Object.assign(this, {
      status: 'reversed',
      reversedAt: now,
      reversalReason: reason,
      reversalKind: kind,
      reversedOn,
      reversalPostingDate: postingDate,
    } satisfies Partial<Payment>);
  }

  /** Returns the audit snapshot of a payment with its live allocations. */
  auditImage(allocations: readonly PaymentAllocation[]): object {
    return {
      ...imageOf(this),
      allocations: allocations.map((allocation) => ({
        id: allocation.id,
        scheduleId: allocation.scheduleId,
        invoiceId: allocation.invoiceId,
        supplierInvoiceId: allocation.supplierInvoiceId,
        refundId: allocation.refundId,
        amountCents: allocation.amountCents,
        effectiveOn: allocation.effectiveOn,
        createdAt: allocation.createdAt.toISOString(),
      })),
    };
  }
}
