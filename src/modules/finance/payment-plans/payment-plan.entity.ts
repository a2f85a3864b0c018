import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import type { PaymentPolicy } from '../../bookings/index.js';

/** Where a plan's policy came from. */
export const POLICY_SOURCES = named('PaymentPolicySource', ['request', 'booking', 'organization', 'none']);
export type PolicySource = (typeof POLICY_SOURCES)[number];

/** How a booking is to be paid: its current one is what its installments belong to. */
@Entity('payment_plans')
export class PaymentPlan {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('integer', { name: 'plan_version' }) planVersion: number;
  /** The policy as it was when the plan was made; null without one. */
  @Column('jsonb', { nullable: true }) policy: PaymentPolicy | null;
  @Column('text') source: PolicySource;
  /** The booking's total when the plan was made. */
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  /** What the installments exceed the booking's total by; not 0 only in a plan that came in from elsewhere. */
  @Column('bigint', { name: 'off_by_cents', transformer: safeInteger }) offByCents: number;
  @Column('boolean', { name: 'is_current' }) isCurrent: boolean;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
