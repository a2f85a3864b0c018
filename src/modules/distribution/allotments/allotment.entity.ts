import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { ReleaseMode, ReleaseRule, UnsoldAction } from './release-rule.js';

/** Guaranteed units are taken out of the pool; the units of a cap stay in it, and the allotment is only an upper limit. */
export const ALLOTMENT_TYPES = named('AllotmentType', ['guaranteed', 'cap']);
export type AllotmentType = (typeof ALLOTMENT_TYPES)[number];

export interface AllotmentChanges {
  validTo?: string | null;
  defaultQuantity?: number;
  active?: boolean;
  notes?: string | null;
}

/** An allotment with its release rule, whose steps have a separate table. */
export interface AllotmentView {
  allotment: Allotment;
  release: ReleaseRule | null;
}

/** Units of a product's departures that are reserved for one channel. Every change of it locks its product. */
@Entity('allotments')
export class Allotment {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'channel_id' }) channelId: string;
  /** Document id in the catalog. It never changes. */
  @Column('text', { name: 'product_id' }) productId: string;
  @Column('text') type: AllotmentType;
  /** First and last local day on which covered departures start; without a last day, there is no end. */
  @Column('date', { name: 'valid_from' }) validFrom: string;
  @Column('date', { name: 'valid_to', nullable: true }) validTo: string | null;
  /** Units of each new slot. */
  @Column('integer', { name: 'default_quantity' }) defaultQuantity: number;
  /** Whether it sells and gets slots on new departures. An inactive allotment keeps its units. */
  @Column('boolean') active: boolean;
  @Unaudited('a member of `release` in the snapshot')
  @Column('text', { name: 'release_mode', nullable: true })
  releaseMode: ReleaseMode | null;
  @Unaudited('a member of `release` in the snapshot')
  @Column('text', { name: 'unsold_action', nullable: true })
  unsoldAction: UnsoldAction | null;
  @Unaudited('a member of `release` in the snapshot')
  @Column('boolean', { name: 'reclaim_on_move', nullable: true })
  reclaimOnMove: boolean | null;
  @Impersonal()
  @Column('text', { nullable: true })
  notes: string | null;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: AllotmentChanges, release: ReleaseRule | null, now: Date): void {
    const rule = {
      releaseMode: release?.mode ?? null,
      unsoldAction: release?.unsoldAction ?? null,
      reclaimOnMove: release?.reclaimOnMove ?? null,
    };
    Object.assign(this, changes, rule, { updatedAt: now });
    this.assertRange();
  }

  delete(now: Date): void {
    Object.assign(this, { deletedAt: now, updatedAt: now });
  }

  /** Reverses a deletion. */
  restore(now: Date): void {
    Object.assign(this, { deletedAt: null, updatedAt: now });
  }

  assertRange(): void {
    if (this.validTo === null || this.validTo >= this.validFrom) return;
    throw invalidField('validTo', 'validTo must not be before validFrom', 'end_before_start');
  }

  covers(day: string): boolean {
    return day >= this.validFrom && (this.validTo === null || day <= this.validTo);
  }

  /** The effect of a release on unsold units, including a manual release without a rule. */
  effectiveAction(): UnsoldAction {
    return this.unsoldAction ?? 'release_to_general_pool';
  }

  auditImage(release: ReleaseRule | null): object {
    return { ...imageOf(this), release };
  }

  /** Members of all events about allotments. */
  eventData() {
    return { allotmentId: this.id, channelId: this.channelId, productId: this.productId, version: this.version };
  }
}
