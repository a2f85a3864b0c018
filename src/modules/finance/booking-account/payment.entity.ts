import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict } from '../../../platform/errors/app-error.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';

export const DIRECTIONS = named('PaymentDirection', ['in', 'out']);
export type Direction = (typeof DIRECTIONS)[number];

export const METHODS = named('PaymentMethod', [
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

export const PAYMENT_STATUSES = named('PaymentStatus', ['completed', 'reversed']);
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Money received from a customer (`in`) or sent to a supplier (`out`). Mistakes are reversed, never edited. */
@Entity('payments')
export class Payment {
  @PrimaryColumn('text') id: string;
  @Column('text') direction: Direction;
  /** Set on money that came in. */
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  /** Set on money that went out. */
  @Column('text', { name: 'supplier_invoice_id', nullable: true }) supplierInvoiceId: string | null;
  @Column('text') method: Method;
  @Column('text') currency: string;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Column('bigint', { name: 'unapplied_cents', transformer: safeInteger }) unappliedCents: number;
  @Column('date', { name: 'paid_on' }) paidOn: string;
  @Column('text', { nullable: true }) reference: string | null;
  @Column('text') source: Source;
  @Column('text') status: PaymentStatus;
  @Column('timestamptz', { name: 'reversed_at', nullable: true }) reversedAt: Date | null;
  @Column('text', { name: 'reversal_reason', nullable: true }) reversalReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 `invalid_transition` if the payment is reversed. */
  assertCompleted(to: PaymentStatus): void {
    if (this.status === 'completed') return;
    throw conflict('invalid_transition', `A payment that is ${this.status} cannot be changed`, {
      from: this.status,
      to,
      allowed: [],
    });
  }

  /** The caller reverses its allocations too. */
  reverse(reason: string, now: Date): void {
    Object.assign(this, { status: 'reversed', reversedAt: now, reversalReason: reason });
  }

  /** What the ledger stores of a payment, with its live allocations. */
  auditImage(allocations: readonly PaymentAllocation[]): object {
    return {
      id: this.id,
      direction: this.direction,
      bookingId: this.bookingId,
      supplierInvoiceId: this.supplierInvoiceId,
      method: this.method,
      currency: this.currency,
      amountCents: this.amountCents,
      unappliedCents: this.unappliedCents,
      paidOn: this.paidOn,
      reference: this.reference,
      source: this.source,
      status: this.status,
      reversedAt: this.reversedAt?.toISOString() ?? null,
      reversalReason: this.reversalReason,
      version: this.version,
      createdAt: this.createdAt.toISOString(),
      updatedAt: this.updatedAt.toISOString(),
      allocations: allocations.map((allocation) => ({
        id: allocation.id,
        scheduleId: allocation.scheduleId,
        invoiceId: allocation.invoiceId,
        supplierInvoiceId: allocation.supplierInvoiceId,
        amountCents: allocation.amountCents,
        effectiveOn: allocation.effectiveOn,
        createdAt: allocation.createdAt.toISOString(),
      })),
    };
  }
}
