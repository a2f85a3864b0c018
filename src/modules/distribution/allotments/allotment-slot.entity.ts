import { Column, Entity, PrimaryColumn } from 'typeorm';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { remainingOf } from './release-rule.js';

/** One step of the release rule on a slot, as the API returns it. */
export interface ScheduledRelease {
  dueAt: string;
  keepQuantity: number;
  takenAt: string | null;
  units: number | null;
}

export interface SlotView {
  slot: AllotmentSlot;
  releases: ScheduledRelease[];
}

/**
 * The units of an allotment on one departure. Its units change only while the departure is locked, so that both counters change
 * together. The version counts the changes by staff.
 */
@Entity('allotment_slots')
export class AllotmentSlot {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'allotment_id' }) allotmentId: string;
  @Column('text', { name: 'departure_id' }) departureId: string;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  @Column('date', { name: 'start_date' }) startDate: string;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  @Column('integer') allotted: number;
  @Column('integer') sold: number;
  /** Units of reserved trips. */
  @Column('integer') held: number;
  @Column('integer') released: number;
  /** Units that cannot be sold only because the slot is closed. They return when it is opened again. */
  @Column('integer') suspended: number;
  /** The released units that went back to the supplier, not to the pool. */
  @Column('integer') expired: number;
  /** Time of the first release. From then on, units of cancelled sales go directly to the pool. */
  @Column('timestamptz', { name: 'released_at', nullable: true }) releasedAt: Date | null;
  /** Set if the departure is cancelled or not covered, or the allotment deleted: no units remain to be sold. */
  @Unaudited('`closed` in the snapshot')
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  resize(allotted: number, now: Date): void {
    const { departureId, startDate, sold, held, released } = this;
    if (this.closedAt !== null) {
      throw conflict('slot_closed', 'The slot is closed: its departure is cancelled or outside the validity', {
        departureId,
        startDate,
      });
    }
    const lowestAllotted = sold + held + released;
    if (allotted < lowestAllotted) {
      const details = { available: 0, sold, ...(held > 0 ? { held } : {}), released, lowestAllotted };
      throw conflict('capacity_exceeded', 'allotted must not be below sold, held and released units', details);
    }
    Object.assign(this, { allotted, updatedAt: now });
  }

  release(units: number, { isExpired = false } = {}): void {
    this.released += units;
    if (isExpired) this.expired += units;
  }

  /** Returns released units to the channel, from the supplier or from the pool. */
  reclaim(units: number, { isExpired = false } = {}): void {
    this.released -= units;
    if (isExpired) this.expired -= units;
    // Restores the state before the first release: units of cancelled sales can be sold through the channel again.
    if (this.released === 0) this.releasedAt = null;
  }

  /** Released units that can be reclaimed. */
  reclaimableUnits({ isExpired }: { isExpired: boolean }): number {
    return isExpired ? this.expired : this.released - this.expired;
  }

  close(now: Date): void {
    this.suspended = remainingOf(this);
    this.closedAt = now;
  }

  /** Restores the slot's units as of its closing, minus any that the pool no longer has. */
  reopen({ missing }: { missing: number }): void {
    this.suspended = 0;
    this.released += missing;
    this.closedAt = null;
  }

  auditImage(): object {
    return { ...imageOf(this), remaining: remainingOf(this), closed: this.closedAt !== null };
  }
}
