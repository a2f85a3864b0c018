import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import type { PolicyStep } from '../../bookings/index.js';

/** The one row: what the organization asks of bookings that have no policy of their own. */
@Entity('payment_policies')
export class OrganizationPolicy {
  @PrimaryColumn('text') id: string;
  @Column('jsonb') steps: PolicyStep[];
  @Column('integer', { name: 'minimum_days' }) minimumDays: number;
  @Column('integer', { name: 'floor_days' }) floorDays: number;
  @Column('integer', { name: 'no_date_days', nullable: true }) noDateDays: number | null;
  @Column('bigint', { name: 'round_to_cents', nullable: true, transformer: safeInteger }) roundToCents: number | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
