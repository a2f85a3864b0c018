import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { safeInteger } from '../../../platform/database/columns.js';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { extensible } from '../../../platform/http/named-values.js';

export const UNIT_TYPES = extensible('ProductUnitType', [
  'adult',
  'youth',
  'child',
  'infant',
  'family',
  'senior',
  'student',
  'military',
  'other',
]);
export type UnitType = (typeof UNIT_TYPES)[number];

export interface UnitChanges {
  type?: UnitType;
  name?: string;
  position?: number;
  minAge?: number | null;
  maxAge?: number | null;
  paxCount?: number;
  seats?: number;
  minQuantity?: number | null;
  maxQuantity?: number | null;
  accompaniedBy?: string[];
  idRequired?: boolean;
  taxCodeId?: string | null;
  costCents?: number | null;
  costCurrency?: string | null;
}

/** What a customer buys one or more of: an adult, a child, a family, a vehicle. */
@Rights(DELETE)
@Entity('product_units')
export class ProductUnit extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('text') type: UnitType;
  @Impersonal()
  @Column('text')
  name: string;
  @Column('integer') position: number;
  /** Ages on the service date, both inclusive. */
  @Column('integer', { name: 'min_age', nullable: true }) minAge: number | null;
  @Column('integer', { name: 'max_age', nullable: true }) maxAge: number | null;
  /** People. */
  @Column('integer', { name: 'pax_count' }) paxCount: number;
  /** Capacity that one takes. */
  @Column('integer') seats: number;
  @Column('integer', { name: 'min_quantity', nullable: true }) minQuantity: number | null;
  @Column('integer', { name: 'max_quantity', nullable: true }) maxQuantity: number | null;
  /** Units of the product of which a booking must have at least one. */
  @Column('text', { name: 'accompanied_by', array: true }) accompaniedBy: string[];
  @Column('boolean', { name: 'id_required' }) idRequired: boolean;
  /** Null means the tax code of the product. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  /** Expected cost of one. */
  @Column('bigint', { name: 'cost_cents', nullable: true, transformer: safeInteger }) costCents: number | null;
  @Column('text', { name: 'cost_currency', nullable: true }) costCurrency: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: UnitChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  assertConsistent(): void {
    if (this.minAge !== null && this.maxAge !== null && this.maxAge < this.minAge) {
      throw invalidField('maxAge', 'maxAge must not be below minAge', 'below_minimum');
    }
    if (this.minQuantity !== null && this.maxQuantity !== null && this.maxQuantity < this.minQuantity) {
      throw invalidField('maxQuantity', 'maxQuantity must not be below minQuantity', 'below_minimum');
    }
    if (this.accompaniedBy.includes(this.id)) {
      throw invalidField('accompaniedBy', 'accompaniedBy must not contain the unit itself', 'same_as_source');
    }
    if ((this.costCents === null) !== (this.costCurrency === null)) {
      const missing = this.costCents === null ? 'costCents' : 'costCurrency';
      throw invalidField(missing, 'costCents and costCurrency must be set together', 'cost_incomplete');
    }
  }
}
