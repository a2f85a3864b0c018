import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { Period } from './resource.entity.js';

export interface AssignmentChanges {
  role?: string | null;
  startsAt?: Date;
  endsAt?: Date;
  seats?: number | null;
}

/** A resource that serves a departure. */
@Rights(DELETE)
@Entity('resource_assignments')
export class ResourceAssignment extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'resource_id' }) resourceId: string;
  @Column('text', { name: 'departure_id' }) departureId: string;
  @Column('text', { nullable: true }) role: string | null;
  @Column('timestamptz', { name: 'starts_at' }) startsAt: Date;
  @Column('timestamptz', { name: 'ends_at' }) endsAt: Date;
  /** As the resource is: the database rejects two of them at the same time. */
  @Column('boolean') exclusive: boolean;
  /** Seats that the departure takes of a shared resource; null if its seats are not counted. */
  @Column('integer', { nullable: true }) seats: number | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: AssignmentChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  /** Keeps its distances to the start and to the end of the departure. */
  follow(departure: Period, before: Period, now: Date): void {
    const moved = (instant: Date, to: Date, from: Date) => new Date(instant.getTime() + to.getTime() - from.getTime());
    const startsAt = moved(this.startsAt, departure.startsAt, before.startsAt);
    const endsAt = moved(this.endsAt, departure.endsAt, before.endsAt);
    // A much shorter departure would leave no time between its distances.
    const isPeriod = endsAt > startsAt;
    Object.assign(this, isPeriod ? { startsAt, endsAt } : departure, { updatedAt: now });
  }

  assertConsistent(): void {
    if (this.endsAt > this.startsAt) return;
    throw invalidField('endsAt', 'endsAt must be after startsAt', 'end_before_start');
  }
}
