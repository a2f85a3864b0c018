import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../../platform/database/audited.js';
import { safeInteger } from '../../../../platform/database/columns.js';
import type { PaymentPolicy, PolicyStep } from '../../../bookings/index.js';

/** The policy for bookings without their own; the only row of its table. */
@Entity('payment_policies')
export class OrganizationPolicy extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('jsonb') steps: PolicyStep[];
  @Column('integer', { name: 'minimum_days' }) minimumDays: number;
  @Column('integer', { name: 'floor_days' }) floorDays: number;
  @Column('integer', { name: 'no_date_days', nullable: true }) noDateDays: number | null;
  @Column('bigint', { name: 'round_to_cents', nullable: true, transformer: safeInteger }) roundToCents: number | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  replace({ steps, ...terms }: PaymentPolicy, now: Date): void {
    Object.assign(this, { steps: [...steps], ...terms, updatedAt: now });
  }
}
