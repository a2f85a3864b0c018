import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { ReleaseMode, UnsoldAction } from './release-rule.js';

/** Guaranteed units are taken out of the pool; those of a cap stay in it, and it is only a ceiling. */
export const ALLOTMENT_TYPES = named('AllotmentType', ['guaranteed', 'cap']);
export type AllotmentType = (typeof ALLOTMENT_TYPES)[number];

export interface AllotmentChanges {
  validTo?: string | null;
  defaultQuantity?: number;
  active?: boolean;
  notes?: string | null;
}

/** Units of a product's departures set aside for one channel. Whoever changes it holds its product. */
@Entity('allotments')
export class Allotment {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'channel_id' }) channelId: string;
  /** The catalog's. */
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('text') type: AllotmentType;
  /** First and last local day on which departures start; without a last one, all to come. */
  @Column('date', { name: 'valid_from' }) validFrom: string;
  @Column('date', { name: 'valid_to', nullable: true }) validTo: string | null;
  /** Units of each new slot. */
  @Column('integer', { name: 'default_quantity' }) defaultQuantity: number;
  /** Sells, and gets slots of new departures. One that does not keeps its units. */
  @Column('boolean') active: boolean;
  @Column('text', { name: 'release_mode', nullable: true }) releaseMode: ReleaseMode | null;
  @Column('text', { name: 'unsold_action', nullable: true }) unsoldAction: UnsoldAction | null;
  @Column('text', { nullable: true }) notes: string | null;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 400 where it would end before it begins. */
  change(changes: AllotmentChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertRange();
  }

  assertRange(): void {
    if (this.validTo === null || this.validTo >= this.validFrom) return;
    throw invalidField('validTo', 'validTo must not be before validFrom', 'end_before_start');
  }

  covers(day: string): boolean {
    return day >= this.validFrom && (this.validTo === null || day <= this.validTo);
  }
}
