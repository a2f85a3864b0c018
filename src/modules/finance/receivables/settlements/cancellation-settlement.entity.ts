import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../../platform/database/table-declarations.js';
import { Audited } from '../../../../platform/database/audited.js';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import { conflict, invalidField } from '../../../../platform/errors/app-error.js';
import { named } from '../../../../platform/http/named-values.js';
import type { BookingCancellation } from '../../../bookings/index.js';
import type { InstallmentBefore } from '../plans/payment-plans.service.js';

export const SETTLEMENT_STATUSES = named('CancellationSettlementStatus', ['open', 'settled']);
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

type Cost = BookingCancellation['cost'];

/** What settling has created; null without a fee or without a rest. */
export type SettlementResult = Pick<
  CancellationSettlement,
  'restCents' | 'feeScheduleId' | 'feeInvoiceId' | 'refundId'
>;

/** What the customer owes for a cancelled booking, and what follows from it once it is settled. */
@Entity('cancellation_settlements')
export class CancellationSettlement extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text') currency: string;
  @Column('text') status: SettlementStatus;
  /** The day that decides the fee. */
  @Column('date', { name: 'cancelled_on' }) cancelledOn: string;
  @Impersonal()
  @Column('text')
  initiator: BookingCancellation['initiator'];
  /** The booking's total when it was cancelled. */
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  @Column('jsonb') lines: Cost['lines'];
  @Column('jsonb') warnings: Cost['warnings'];
  /** By the terms of the confirmation; null if they do not determine it. It never changes. */
  @Column('bigint', { name: 'computed_fee_cents', nullable: true, transformer: safeInteger })
  computedFeeCents: number | null;
  @Column('bigint', { name: 'agreed_fee_cents', nullable: true, transformer: safeInteger })
  agreedFeeCents: number | null;
  @Personal('accounting')
  @Column('text', { name: 'fee_reason', nullable: true })
  feeReason: string | null;
  @Column('text') outcome: Cost['outcome'];
  @Column('date', { name: 'refund_due_on' }) refundDueOn: string;
  /** What the customer got back, or has as a credit. */
  @Column('bigint', { name: 'rest_cents', nullable: true, transformer: safeInteger }) restCents: number | null;
  /** The installments before the cancellation. */
  @Impersonal()
  @Unaudited('written once, and recorded by the entries of the installments')
  @Column('jsonb', { name: 'plan_before' })
  planBefore: InstallmentBefore[];
  @Column('text', { name: 'fee_schedule_id', nullable: true }) feeScheduleId: string | null;
  @Column('text', { name: 'fee_invoice_id', nullable: true }) feeInvoiceId: string | null;
  @Column('text', { name: 'refund_id', nullable: true }) refundId: string | null;
  @Column('date', { name: 'settled_on', nullable: true }) settledOn: string | null;
  @Column('timestamptz', { name: 'settled_at', nullable: true }) settledAt: Date | null;
  @Column('timestamptz', { name: 'reinstated_at', nullable: true }) reinstatedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  assertOpen(): void {
    if (this.status === 'open') return;
    throw conflict('settlement_done', 'The cancellation is settled', { settledOn: this.settledOn });
  }

  /** Whether this fee is another one than the terms determine. */
  isOverride(feeCents: number | undefined): boolean {
    return feeCents !== undefined && feeCents !== this.computedFeeCents;
  }

  /** Throws 400 beyond the price or without a reason for another fee than the computed one. */
  agree(feeCents: number, reason: string | null): void {
    if (feeCents > this.totalCents) {
      throw invalidField('agreedFeeCents', 'agreedFeeCents must not exceed the booking total', 'fee_beyond_total');
    }
    if (this.isOverride(feeCents) && reason === null) {
      throw invalidField('feeReason', 'feeReason is required for another fee than the computed one', 'required');
    }
    Object.assign(this, { agreedFeeCents: feeCents, feeReason: reason });
  }

  fee(): number {
    if (this.agreedFeeCents !== null) return this.agreedFeeCents;
    throw conflict('fee_needs_decision', 'The terms do not determine the fee; send agreedFeeCents with a reason', {
      totalCents: this.totalCents,
    });
  }

  settle(result: SettlementResult, { today, now }: { today: string; now: Date }): void {
    Object.assign(this, result, { status: 'settled', settledOn: today, settledAt: now, updatedAt: now });
  }
}
