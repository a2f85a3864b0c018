import { named } from '../../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Unaudited } from '../../../../platform/database/unaudited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import type { PaymentPolicy } from '../../../bookings/index.js';

/** The source of a plan's policy. */
export const POLICY_SOURCES = named('PaymentPolicySource', ['request', 'booking', 'organization', 'none']);
export type PolicySource = (typeof POLICY_SOURCES)[number];

/** The terms by which a customer pays a booking. Its installments belong to its current plan. */
@Entity('payment_plans')
@Unaudited('the entries of its installments and of the plan record it')
export class PaymentPlan {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('integer', { name: 'plan_version' }) planVersion: number;
  /** The policy at the time when the plan was created; null if there was none. */
  @Column('jsonb', { nullable: true }) policy: PaymentPolicy | null;
  @Column('text') source: PolicySource;
  /** The booking's total when the plan was created. */
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** Amount by which the installments exceed the booking's total; other than 0 only in an imported plan. */
  @Column('bigint', { name: 'off_by_cents', transformer: safeInteger }) offByCents: number;
  @Column('boolean', { name: 'is_current' }) isCurrent: boolean;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
