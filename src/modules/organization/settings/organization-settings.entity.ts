import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';

/** Settings of the organization as a whole. The only row of its table, which the migration inserts. */
@Entity('organization_settings')
export class OrganizationSettings extends Audited {
  @PrimaryColumn('text') id: string;
  /** After this time the reservation of a trip gives up on a provider that does not report an outcome. */
  @Column('integer', { name: 'unknown_step_minutes' }) unknownStepMinutes: number;
  /** The person who approves or pays a supplier invoice differs from those who have entered it. */
  @Column('boolean', { name: 'supplier_invoices_need_two_persons' }) supplierInvoicesNeedTwoPersons: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: { unknownStepMinutes?: number; supplierInvoicesNeedTwoPersons?: boolean }, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }
}
