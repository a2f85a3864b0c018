import { Column, Entity, PrimaryColumn } from 'typeorm';
import { remainingOf } from './release-rule.js';

/**
 * One allotment on one departure. Its units are moved with the departure locked, so that they and the departure's own move
 * together; the version counts what staff change.
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
  /** Since the first release that has run, what is given back goes straight on to the pool. */
  @Column('timestamptz', { name: 'released_at', nullable: true }) releasedAt: Date | null;
  /** The departure is cancelled or out of the range, or the allotment deleted: nothing is left to sell. */
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  get remaining(): number {
    return remainingOf(this);
  }
}
