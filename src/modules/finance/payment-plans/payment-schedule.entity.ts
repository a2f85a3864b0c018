import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

export const SCHEDULE_TYPES = named('PaymentScheduleType', ['deposit', 'installment', 'balance', 'amendment', 'other']);
export type ScheduleType = (typeof SCHEDULE_TYPES)[number];

/** As stored. */
export type StoredScheduleStatus = 'pending' | 'paid' | 'cancelled';
/** As answered: pending is overdue once its due date has passed. */
export const SCHEDULE_STATUSES = named('PaymentScheduleStatus', ['pending', 'paid', 'overdue', 'cancelled']);
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** How an entry came about: by a step of the policy, as the whole at once, by a change of the items, or by hand. */
export const SCHEDULE_BASES = named('PaymentScheduleBasis', ['booking', 'departure', 'full', 'amendment', 'manual']);
export type ScheduleBasis = (typeof SCHEDULE_BASES)[number];

/**
 * One installment of a booking. `paidCents` is the sum of its live allocations and written by the payments alone; what
 * else changes is changed with the booking locked.
 */
@Entity('payment_schedules')
export class PaymentSchedule {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'plan_id' }) planId: string;
  @Column('integer', { name: 'plan_version' }) planVersion: number;
  @Column('text') currency: string;
  /** 1 for the first of the plan. */
  @Column('integer') position: number;
  @Column('text') type: ScheduleType;
  @Column('text') label: string;
  @Column('text') basis: ScheduleBasis;
  @Column('date', { name: 'due_date' }) dueDate: string;
  @Column('bigint', { name: 'amount_cents', transformer: safeInteger }) amountCents: number;
  @Column('bigint', { name: 'paid_cents', transformer: safeInteger }) paidCents: number;
  @Column('text') status: StoredScheduleStatus;
  /** Cancelled without moving its amount elsewhere: nobody will collect it. */
  @Column('boolean') waived: boolean;
  @Column('text', { nullable: true }) notes: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isOpen(): boolean {
    return this.status === 'pending';
  }

  /** What is still to be collected on it. */
  outstandingCents(): number {
    return this.status === 'cancelled' ? 0 : this.amountCents - this.paidCents;
  }

  /** `today` is the organization's calendar day. */
  effectiveStatus(today: string): ScheduleStatus {
    return this.isOpen() && this.dueDate < today ? 'overdue' : this.status;
  }

  /** A new amount, not under what is paid; where it is all paid, the entry is. */
  resize(amountCents: number): void {
    this.amountCents = amountCents;
    this.status = this.paidCents === amountCents ? 'paid' : 'pending';
  }

  /** Gives a part of its amount away; where nothing would be left, it is cancelled and keeps its last amount. */
  give(cents: number): void {
    if (cents === this.amountCents) this.cancel();
    else this.resize(this.amountCents - cents);
  }

  cancel({ waived = false }: { waived?: boolean } = {}): void {
    Object.assign(this, { status: 'cancelled', waived } satisfies Partial<PaymentSchedule>);
  }

  restore(): void {
    Object.assign(this, { status: 'pending', waived: false } satisfies Partial<PaymentSchedule>);
  }
}

/** The status as answered, of a row that the statement calls `alias`; `today` is a parameter's place, such as `$2`. */
export function effectiveStatusSql(alias: string, today: string): string {
  return `case when ${overdueSql(alias, today)} then 'overdue' else ${alias}.status end`;
}

/** Whether the row is overdue: the one condition of lists, filters and reads. */
export function overdueSql(alias: string, today: string): string {
  return `(${alias}.status = 'pending' and ${alias}.due_date < ${today} and ${alias}.paid_cents < ${alias}.amount_cents)`;
}
