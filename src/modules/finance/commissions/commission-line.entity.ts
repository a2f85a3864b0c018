import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import {
  type CommissionBasis,
  type CommissionModel,
  type CommissionTerms,
  computeCommission,
  type Sale,
} from './commission-terms.js';

export const RECIPIENT_TYPES = named('CommissionRecipientType', [
  'channel',
  'affiliate',
  'agency',
  'agent',
  'internal',
  'supplier',
  'other',
]);
export type RecipientType = (typeof RECIPIENT_TYPES)[number];

/** The event after which a commission can be paid out. */
export const PAYABLE_TRIGGERS = named('PayableTrigger', ['paid_in_full', 'departed', 'both']);
export type PayableTrigger = (typeof PAYABLE_TRIGGERS)[number];

export const COMMISSION_STATUSES = named('CommissionStatus', ['pending', 'accrued', 'payable', 'paid', 'void']);
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

/** Reasons for adjusting a commission after its payout. */
export const ADJUST_REASONS = named('CommissionAdjustReason', [
  'item_changed',
  'item_cancelled',
  'waived',
  'payment_reversed',
  'payment_restored',
]);
export type AdjustReason = (typeof ADJUST_REASONS)[number];

/** Transitions by staff. The booking leads to `accrued`, and the trigger to `payable` and back. */
const TRANSITIONS: Record<CommissionStatus, readonly CommissionStatus[]> = {
  pending: ['void'],
  accrued: ['void'],
  payable: ['paid', 'void'],
  paid: [],
  void: [],
};

export interface CommissionChanges {
  recipientType?: RecipientType;
  recipientName?: string;
  recipientId?: string | null;
  channelId?: string | null;
  payableTrigger?: PayableTrigger;
  notes?: string | null;
}

export interface Payout {
  paidOn: string;
  reference?: string | null | undefined;
}

/** The commission of one recipient for one booking item. Every change of it locks the booking. */
@Entity('commission_lines')
export class CommissionLine extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'booking_item_id' }) bookingItemId: string;
  /** Currency of the item. */
  @Column('text') currency: string;
  @Column('text', { name: 'recipient_type' }) recipientType: RecipientType;
  @Personal('accounting')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'recipient_name' })
  recipientName: string;
  @Column('text', { name: 'recipient_id', nullable: true }) recipientId: string | null;
  @Column('text', { name: 'channel_id', nullable: true }) channelId: string | null;
  @Column('text', { name: 'commission_model' }) commissionModel: CommissionModel;
  @Column('text', { nullable: true }) basis: CommissionBasis | null;
  @Column('integer', { name: 'rate_basis_points', nullable: true }) rateBasisPoints: number | null;
  @Column('bigint', { name: 'fixed_cents', nullable: true, transformer: safeInteger }) fixedCents: number | null;
  @Column('boolean', { name: 'per_unit' }) perUnit: boolean;
  @Column('bigint', { name: 'net_rate_cents', nullable: true, transformer: safeInteger }) netRateCents: number | null;
  @Column('bigint', { name: 'base_cents', transformer: safeInteger }) baseCents: number;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Unaudited('the time of the entry that computed the amount')
  @Column('timestamptz', { name: 'computed_at' })
  computedAt: Date;
  @Column('text', { name: 'payable_trigger' }) payableTrigger: PayableTrigger;
  @Column('text') status: CommissionStatus;
  @Column('timestamptz', { name: 'payable_at', nullable: true }) payableAt: Date | null;
  @Column('date', { name: 'paid_on', nullable: true }) paidOn: string | null;
  @Column('timestamptz', { name: 'paid_at', nullable: true }) paidAt: Date | null;
  @Personal('accounting')
  @Column('text', { name: 'payout_reference', nullable: true })
  payoutReference: string | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Personal('accounting')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;
  /** True if it was voided with its item, which may be reinstated, and not by staff. */
  @Column('boolean', { name: 'voided_by_cancellation' }) voidedByCancellation: boolean;
  /** The paid line whose amount this one adjusts. */
  @Column('text', { name: 'reverses_id', nullable: true }) adjustsId: string | null;
  @Impersonal()
  @Column('text', { name: 'adjust_reason', nullable: true })
  adjustReason: AdjustReason | null;
  /** Set on a paid line if a payment of the booking was reversed after the payout, so that its trigger is no longer met. */
  @Column('boolean', { name: 'trigger_lost' }) triggerLost: boolean;
  @Personal('accounting')
  @Unaudited('free text that may contain personal data')
  @Column('text', { nullable: true })
  notes: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Returns whether it can be changed and follows its item: it is not paid, not void and not an adjusting line. */
  isOpen(): boolean {
    return this.adjustsId === null && this.status !== 'paid' && this.status !== 'void';
  }

  /** Returns whether it was paid out, so that only another line can change the recipient's earnings. */
  isPaidOut(): boolean {
    return this.adjustsId === null && this.status === 'paid';
  }

  /** Returns whether it counts towards the maximum total of the commissions of an item. */
  isLive(): boolean {
    return this.status !== 'void';
  }

  /** Returns whether it becomes payable with its trigger. A repayment by the recipient is due immediately. */
  dependsOnTrigger(): boolean {
    if (this.status !== 'accrued' && this.status !== 'payable') return false;
    return this.adjustsId === null || this.amountCents > 0;
  }

  assertOpen(): void {
    if (this.isOpen()) return;
    throw conflict('commission_locked', 'A paid, void or adjusting commission cannot be changed', {
      status: this.status,
      adjustsId: this.adjustsId,
    });
  }

  change(changes: CommissionChanges, now: Date): void {
    this.assertOpen();
    Object.assign(this, changes, { updatedAt: now });
  }

  /** Returns whether the amount has changed. */
  compute(terms: CommissionTerms, sale: Sale, now: Date): boolean {
    const { baseCents, amountCents } = computeCommission(terms, sale);
    const hasChanged = baseCents !== this.baseCents || amountCents !== this.amountCents;
    Object.assign(this, terms, hasChanged ? { baseCents, amountCents, computedAt: now, updatedAt: now } : {});
    return hasChanged;
  }

  payOut({ paidOn, reference = null }: Payout, now: Date): void {
    this.assertTransition('paid');
    Object.assign(this, { status: 'paid', paidOn, payoutReference: reference, paidAt: now, updatedAt: now });
  }

  void(reason: string, now: Date): void {
    this.assertTransition('void');
    Object.assign(this, { status: 'void', payableAt: null, voidedAt: now, voidReason: reason, updatedAt: now });
  }

  /** Makes it payable again after its payout was reversed. */
  withdrawPayout(now: Date): void {
    Object.assign(this, { status: 'payable', paidOn: null, payoutReference: null, paidAt: null, updatedAt: now });
  }

  /**
   * Makes a line for the difference between the amount due and the settled amount of this paid one; negative if the recipient
   * must pay it back.
   */
  adjustment(id: string, { amountCents, reason }: { amountCents: number; reason: AdjustReason }, now: Date) {
    return make(CommissionLine, {
      ...this,
      id,
      adjustsId: this.id,
      adjustReason: reason,
      triggerLost: false,
      amountCents,
      ...stateOfAdjustment(amountCents, now),
      paidOn: null,
      paidAt: null,
      payoutReference: null,
      voidedByCancellation: false,
      notes: null,
      computedAt: now,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** Changes the amount of an adjusting line that was not settled. */
  readjust({ amountCents, reason }: { amountCents: number; reason: AdjustReason }, now: Date): void {
    const keepsState = Math.sign(amountCents) === Math.sign(this.amountCents);
    const state = keepsState ? {} : stateOfAdjustment(amountCents, now);
    Object.assign(this, { ...state, amountCents, adjustReason: reason, computedAt: now, updatedAt: now });
  }

  private assertTransition(to: CommissionStatus): void {
    // An adjusting line cannot be voided: the recipient would keep a commission that was not earned, or lose one that was.
    const allowed = TRANSITIONS[this.status].filter((status) => this.adjustsId === null || status !== 'void');
    if (allowed.includes(to)) return;
    throw conflict('invalid_transition', `This commission cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
      allowed,
    });
  }
}

function stateOfAdjustment(amountCents: number, now: Date): Pick<CommissionLine, 'status' | 'payableAt'> {
  return amountCents < 0 ? { status: 'payable', payableAt: now } : { status: 'accrued', payableAt: null };
}
