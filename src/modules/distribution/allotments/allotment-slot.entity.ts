import { Column, Entity, PrimaryColumn } from 'typeorm';
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
 * The share of an allotment in one departure. Its units change only while the departure is locked, so that both counters change
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
  @Column('integer') released: number;
  /** The first release. From then on, units of cancelled sales go directly to the pool. */
  @Column('timestamptz', { name: 'released_at', nullable: true }) releasedAt: Date | null;
  /** Set if the departure is cancelled or not covered, or the allotment deleted: no units remain to be sold. */
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  resize(allotted: number, now: Date): void {
    const { departureId, startDate, sold, released } = this;
    if (this.closedAt !== null) {
      throw conflict('slot_closed', 'The slot is closed: its departure is cancelled or outside the validity', {
        departureId,
        startDate,
      });
    }
    if (allotted < sold + released) {
      const details = { available: 0, sold, released, lowestAllotted: sold + released };
      throw conflict('capacity_exceeded', 'allotted must not be below sold plus released units', details);
    }
    Object.assign(this, { allotted, updatedAt: now });
  }

  release(units: number): void {
    this.released += units;
  }

  /** Reverses a release or a closure. */
  reclaim(units: number): void {
    this.released -= units;
    this.closedAt = null;
    // As before the first release: units of cancelled sales can be sold through the channel again.
    if (this.released === 0) this.releasedAt = null;
  }

  /** Opens a closed slot with this many units to sell: first released units, then new ones. Returns how many of each. */
  reopen(units: number): { reclaimed: number; added: number } {
    const reclaimed = Math.min(this.released, units);
    const added = units - reclaimed;
    this.released -= reclaimed;
    this.allotted += added;
    this.closedAt = null;
    return { reclaimed, added };
  }

  auditImage(): object {
    return {
      id: this.id,
      allotmentId: this.allotmentId,
      departureId: this.departureId,
      startsAt: this.startsAt.toISOString(),
      startDate: this.startDate,
      allotted: this.allotted,
      sold: this.sold,
      released: this.released,
      remaining: remainingOf(this),
      closed: this.closedAt !== null,
      version: this.version,
      createdAt: this.createdAt.toISOString(),
      updatedAt: this.updatedAt.toISOString(),
    };
  }
}
