import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Personal } from '../../../platform/database/table-declarations.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { ResourceType } from '../../products/index.js';

export const RESOURCE_STATUSES = named('ResourceStatus', ['active', 'archived']);
export type ResourceStatus = (typeof RESOURCE_STATUSES)[number];

export interface ResourceDocument {
  kind: string;
  /** Last day of its validity; null if it does not expire. */
  expiresOn: string | null;
}

/** Instants in ISO 8601. */
export interface Unavailability {
  startsAt: string;
  endsAt: string;
}

export interface ResourceChanges {
  name?: string;
  seats?: number | null;
  languages?: string[];
  groundOperatorId?: string | null;
  userId?: string | null;
  documents?: ResourceDocument[];
  exclusive?: boolean;
  unavailability?: Unavailability[];
}

/** A period, from `startsAt` to just before `endsAt`. */
export interface Period {
  startsAt: Date;
  endsAt: Date;
}

/** Somebody or something that a departure needs. Its row is locked by every change of its assignments. */
@Entity('resources')
export class Resource extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') type: ResourceType;
  @Personal('partner')
  @Column('text')
  name: string;
  @Column('text') status: ResourceStatus;
  @Column('integer', { nullable: true }) seats: number | null;
  @Column('text', { array: true }) languages: string[];
  @Column('text', { name: 'ground_operator_id', nullable: true }) groundOperatorId: string | null;
  /** The user, if the resource is a guide who logs in. */
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  @Personal('partner')
  @Column('jsonb')
  documents: ResourceDocument[];
  /** Whether it serves one departure at a time. Otherwise the departures share its seats. */
  @Column('boolean') exclusive: boolean;
  @Personal('partner')
  @Column('jsonb')
  unavailability: Unavailability[];
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ResourceChanges, now: Date): void {
    this.assertActive();
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  assertConsistent(): void {
    const wrong = this.unavailability.findIndex(({ startsAt, endsAt }) => new Date(endsAt) <= new Date(startsAt));
    if (wrong < 0) return;
    throw invalidField(`unavailability.${wrong}.endsAt`, 'endsAt must be after startsAt', 'end_before_start');
  }

  archive(now: Date): void {
    this.assertActive();
    Object.assign(this, { status: 'archived', updatedAt: now });
  }

  restore(now: Date): void {
    Object.assign(this, { status: 'active', updatedAt: now });
  }

  assertActive(field?: string): void {
    if (this.status === 'active') return;
    const details = { resourceId: this.id, ...(field !== undefined && { field }) };
    throw conflict('resource_archived', 'The resource is archived', details);
  }

  /** The periods without the resource that overlap with this one. */
  absencesIn({ startsAt, endsAt }: Period): Unavailability[] {
    return this.unavailability.filter((one) => new Date(one.startsAt) < endsAt && new Date(one.endsAt) > startsAt);
  }
}
