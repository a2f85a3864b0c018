import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';

/** Settings of the organization as a whole. The only row of its table, which the migration inserts. */
@Entity('organization_settings')
export class OrganizationSettings extends Audited {
  @PrimaryColumn('text') id: string;
  /** Time after which the reservation of a trip stops waiting for a provider that does not report an outcome. */
  @Column('integer', { name: 'unknown_step_minutes' }) unknownStepMinutes: number;
  /** If true, users cannot approve or pay a supplier invoice that they entered. */
  @Column('boolean', { name: 'supplier_invoices_need_two_persons' }) supplierInvoicesNeedTwoPersons: boolean;
  /** If true, new departures and allotments need a product with a record. */
  @Column('boolean', { name: 'products_required' }) productsRequired: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(
    changes: Partial<Pick<this, 'unknownStepMinutes' | 'supplierInvoicesNeedTwoPersons' | 'productsRequired'>>,
    now: Date,
  ): void {
    Object.assign(this, changes, { updatedAt: now });
  }
}
