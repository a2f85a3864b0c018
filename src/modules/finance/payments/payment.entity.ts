import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { conflict } from '../../../platform/errors/app-error.js';

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

  /** Refuses a change of what is reversed: 409 `invalid_transition`. */
  assertCompleted(to: PaymentStatus): void {
    if (this.status === 'completed') return;
    throw conflict('invalid_transition', `A payment that is ${this.status} cannot be changed`, {
      from: this.status,
      to,
      allowed: [],
    });
  }

  /** Takes it back; its allocations are to be reversed with it. */
  reverse(reason: string, now: Date): void {
    Object.assign(this, { status: 'reversed', reversedAt: now, reversalReason: reason });
  }
}
