import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorType } from '../../../platform/context/actor.js';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const BULK_TYPES = extensible('BulkOperationType', [
  'bookings.message',
  'bookings.cancel',
  'bookings.move',
  'invoices.issue',
  'departures.update',
  'departures.cancel',
  'customers.tag',
  'documents.create',
]);
export type BulkOperationType = (typeof BULK_TYPES)[number];

export const BULK_STATUSES = named('BulkOperationStatus', [
  'planned',
  'running',
  'paused',
  'completed',
  'completed_with_failures',
  'cancelled',
]);
export type BulkOperationStatus = (typeof BULK_STATUSES)[number];

export type BulkVerb = 'start' | 'pause' | 'resume' | 'cancel' | 'retry' | 'complete';

/** Each change of the status, and the statuses from which it is allowed. */
const CHANGES: Readonly<Record<BulkVerb, { to: BulkOperationStatus; from: readonly BulkOperationStatus[] }>> = {
  start: { to: 'running', from: ['planned'] },
  pause: { to: 'paused', from: ['planned', 'running'] },
  resume: { to: 'planned', from: ['paused'] },
  cancel: { to: 'cancelled', from: ['planned', 'running', 'paused'] },
  retry: { to: 'planned', from: ['completed_with_failures'] },
  complete: { to: 'completed', from: ['running'] },
};

const PARTICIPLES: Readonly<Record<BulkVerb, string>> = {
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'retried',
  complete: 'completed',
};

const ENDED: readonly BulkOperationStatus[] = ['completed', 'completed_with_failures', 'cancelled'];

/** In whose name the items are worked on: the holder of the credential with which the operation was last started. */
export interface Starter {
  actorType: ActorType;
  credentialId: string;
  startedBy: string;
}

/** The same change of many records. Its items are the records. */
@Rights(DELETE)
@Entity('bulk_operations')
export class BulkOperation extends Audited implements Starter {
  @PrimaryColumn('text') id: string;
  @Column('text') type: BulkOperationType;
  /** Its type knows the members. A text may name a person although it is for all records; without members after an erasure. */
  @Personal('messages')
  @Unaudited('a text for customers; the entries of the records show what changed')
  @Column('jsonb')
  params: object;
  /** Whether each change is only tried and rolled back. */
  @Column('boolean', { name: 'dry_run' }) dryRun: boolean;
  @Column('text') status: BulkOperationStatus;
  @Column('integer') total: number;
  @Column('text', { name: 'actor_type' }) actorType: ActorType;
  @Column('text', { name: 'credential_id' }) credentialId: string;
  @Column('text', { name: 'started_by' }) startedBy: string;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(verb: BulkVerb, now: Date, to: BulkOperationStatus = CHANGES[verb].to): void {
    const { status: from } = this;
    if (!CHANGES[verb].from.includes(from)) {
      const allowed = Object.values(CHANGES).flatMap((change) => (change.from.includes(from) ? change.to : []));
      const message = `A bulk operation that is ${from.replaceAll('_', ' ')} cannot be ${PARTICIPLES[verb]}`;
      throw conflict('invalid_transition', message, { from, to, allowed });
    }
    Object.assign(this, { status: to, endedAt: ENDED.includes(to) ? now : null, updatedAt: now });
  }
}
