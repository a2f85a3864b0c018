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

/** The records created by settling; null without a fee or without a rest. */
export type SettlementResult = Pick<
  CancellationSettlement,
  'restCents' | 'feeScheduleId' | 'feeInvoiceId' | 'refundId'
>;

/** The customer's debt for a cancelled booking, and the result of its settlement. */
@Entity('cancellation_settlements')
export class CancellationSettlement extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text') currency: string;
  @Column('text') status: SettlementStatus;
  /** The day that determines the fee. */
  @Column('date', { name: 'cancelled_on' }) cancelledOn: string;
  @Impersonal()
  @Column('text')
  initiator: BookingCancellation['initiator'];
  /** Whether reminder rules inform the customer about the cancellation. */
  @Column('boolean', { name: 'informs_customer' }) informsCustomer: boolean;
  /** The booking's total when it was cancelled. */
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  @Column('jsonb') lines: Cost['lines'];
  @Column('jsonb') warnings: Cost['warnings'];
  /** The fee by the terms of the confirmation; null if they do not determine it. It never changes. */
  @Column('bigint', { name: 'computed_fee_cents', nullable: true, transformer: safeInteger })
  computedFeeCents: number | null;
  @Column('bigint', { name: 'agreed_fee_cents', nullable: true, transformer: safeInteger })
  agreedFeeCents: number | null;
  @Personal('accounting')
  @Column('text', { name: 'fee_reason', nullable: true })
  feeReason: string | null;
  @Column('text') outcome: Cost['outcome'];
  @Column('date', { name: 'refund_due_on' }) refundDueOn: string;
  /** Amount that was refunded, or that the customer has as a credit. */
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

  /** Returns whether this fee differs from the one that the terms determine. */
  isOverride(feeCents: number | undefined): boolean {
    return feeCents !== undefined && feeCents !== this.computedFeeCents;
  }

  /** The fee must not exceed the price. A fee other than the computed one needs a reason. */
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
