import { named } from '../../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../../platform/database/table-declarations.js';
import { Audited, type Image, imageOf } from '../../../../platform/database/audited.js';
import { safeInteger } from '../../../../platform/database/columns.js';

export const SCHEDULE_TYPES = named('PaymentScheduleType', [
  'deposit',
  'installment',
  'balance',
  'amendment',
  'fee',
  'other',
]);
export type ScheduleType = (typeof SCHEDULE_TYPES)[number];

/** The types that staff may add; settling a cancellation adds its fee. */
export const ADDABLE_SCHEDULE_TYPES = named('AddablePaymentScheduleType', [
  'deposit',
  'installment',
  'balance',
  'amendment',
  'other',
]);
export type AddableScheduleType = (typeof ADDABLE_SCHEDULE_TYPES)[number];

/** As stored. */
export type StoredScheduleStatus = 'pending' | 'paid' | 'cancelled';
/** In responses, a pending installment is overdue once its due date has passed. */
export const SCHEDULE_STATUSES = named('PaymentScheduleStatus', ['pending', 'paid', 'overdue', 'cancelled']);
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** Origin of an installment: a step of the policy, the whole amount at once, a change of the items, or staff. */
export const SCHEDULE_BASES = named('PaymentScheduleBasis', ['booking', 'departure', 'full', 'amendment', 'manual']);
export type ScheduleBasis = (typeof SCHEDULE_BASES)[number];

/** Origin of the due date: the policy or a change of the booking, or staff. Only the former follow a moved departure. */
export const DATE_SOURCES = named('PaymentScheduleDateSource', ['policy', 'manual']);
export type DateSource = (typeof DATE_SOURCES)[number];

/** One installment of a booking's payment plan. `paidCents` is the sum of its live allocations. */
@Entity('payment_schedules')
export class PaymentSchedule extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'plan_id' }) planId: string;
  @Column('integer', { name: 'plan_version' }) planVersion: number;
  @Column('text') currency: string;
  /** 1 for the first of the plan. */
  @Column('integer') position: number;
  @Column('text') type: ScheduleType;
  @Personal('contract')
  @Column('text')
  label: string;
  @Column('text') basis: ScheduleBasis;
  @Column('date', { name: 'due_date' }) dueDate: string;
  @Column('text', { name: 'date_source' }) dateSource: DateSource;
  /** For a policy step that counts from the departure, its due date minus the departure, in days. */
  @Column('integer', { name: 'offset_days', nullable: true }) offsetDays: number | null;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  @Column('text') status: StoredScheduleStatus;
  /** Cancelled without moving its amount elsewhere: it will not be collected. */
  @Column('boolean') waived: boolean;
  /** Reason for the last waiver. */
  @Personal('contract')
  @Column('text', { name: 'waive_reason', nullable: true })
  waiveReason: string | null;
  @Personal('contract')
  @Column('text', { nullable: true })
  notes: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isOpen(): boolean {
    return this.status === 'pending';
  }

  /** Returns whether it must still be paid after the departure. */
  isDueAfter(departureDate: string | null): boolean {
    return departureDate !== null && this.isOpen() && this.dueDate > departureDate;
  }

  /** Returns the amount still to collect. */
  outstandingCents(): number {
    return this.status === 'cancelled' ? 0 : this.amountCents - this.paidCents;
  }

  /** `today` is the organization's calendar day. */
  effectiveStatus(today: string): ScheduleStatus {
    return this.isOpen() && this.dueDate < today ? 'overdue' : this.status;
  }

  /** Sets an amount, not below the paid one. If it is fully paid, the installment becomes paid. */
  resize(amountCents: number): void {
    this.amountCents = amountCents;
    this.status = this.paidCents === amountCents ? 'paid' : 'pending';
  }

  /** Reduces the amount. If nothing would be left, the installment is cancelled and keeps its last amount. */
  reduce(cents: number): void {
    if (cents === this.amountCents) this.cancel();
    else this.resize(this.amountCents - cents);
  }

  cancel({ waived = false }: { waived?: boolean } = {}): void {
    Object.assign(this, { status: 'cancelled', waived } satisfies Partial<PaymentSchedule>);
  }

  restore(): void {
    Object.assign(this, { status: 'pending', waived: false } satisfies Partial<PaymentSchedule>);
  }

  /**
   * Adds to the paid amount; a negative amount is subtracted. A cancelled booking collects only the fee, so its other
   * installments shrink to their remaining money.
   */
  addPaid(cents: number, { isBookingCancelled }: { isBookingCancelled: boolean }): void {
    this.paidCents += cents;
    if (!isBookingCancelled || this.type === 'fee') this.resize(this.amountCents);
    else if (this.paidCents === 0) this.cancel();
    else this.resize(this.paidCents);
  }

  override auditImage(): InstallmentImage {
    return imageOf<PaymentSchedule>(this);
  }
}

export type InstallmentImage = Image<PaymentSchedule>;

/** Computes `effectiveStatus` of the row `alias` of a statement; `today` is a placeholder such as `$2`. */
export function effectiveStatusSql(alias: string, today: string): string {
  return `case when ${overdueSql(alias, today)} then 'overdue' else ${alias}.status end`;
}

/** Tests whether the row is overdue, for lists, filters and reads. */
export function overdueSql(alias: string, today: string): string {
  return `(${alias}.status = 'pending' and ${alias}.due_date < ${today} and ${alias}.paid_cents < ${alias}.amount_cents)`;
}
