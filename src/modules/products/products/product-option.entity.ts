import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { Cutoff } from './cutoff.dto.js';

export interface OptionChanges {
  name?: string;
  isDefault?: boolean;
  position?: number;
  startTimes?: string[];
  minUnits?: number | null;
  maxUnits?: number | null;
  cutoff?: Cutoff | null;
  active?: boolean;
}

/** A variant of a product, such as a private tour. A product with options has exactly one default option. */
@Rights(DELETE)
@Entity('product_options')
export class ProductOption extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'product_id' }) productId: string;
  @Impersonal()
  @Column('text')
  name: string;
  @Column('boolean', { name: 'is_default' }) isDefault: boolean;
  @Column('integer') position: number;
  /** Local times, `HH:MM`. */
  @Impersonal()
  @Column('text', { name: 'start_times', array: true })
  startTimes: string[];
  /** Least and most units per booking. */
  @Column('integer', { name: 'min_units', nullable: true }) minUnits: number | null;
  @Column('integer', { name: 'max_units', nullable: true }) maxUnits: number | null;
  @Impersonal()
  @Column('jsonb', { nullable: true })
  cutoff: Cutoff | null;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: OptionChanges, now: Date): void {
    if (this.isDefault && changes.isDefault === false) {
      throw invalidField('isDefault', 'Make another option the default instead', 'last_default');
    }
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  assertConsistent(): void {
    if (this.minUnits !== null && this.maxUnits !== null && this.maxUnits < this.minUnits) {
      throw invalidField('maxUnits', 'maxUnits must not be below minUnits', 'below_minimum');
    }
  }
}
