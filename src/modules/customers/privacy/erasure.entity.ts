import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal, Personal, type PersonalData } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';

export const ERASURE_STATUSES = named('ErasureStatus', ['planned', 'running', 'done']);
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** What an erasure does with the records of one kind. */
export interface PlannedData {
  module: string;
  dataClass: PersonalData;
  kind: string;
  count: number;
  keptUntil: string | null;
}

/** The erasure of a customer: planned, then executed module by module. */
@Entity('customer_erasures')
export class CustomerErasure extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'customer_id' }) customerId: string;
  @Personal('proof')
  @Unaudited('free text; kept as evidence in the row')
  @Column('text')
  reason: string;
  @Column('text') status: ErasureStatus;
  @Impersonal()
  @Column('jsonb')
  plan: PlannedData[];
  @Column('text', { name: 'requested_by' }) requestedBy: string;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  start(plan: PlannedData[], now: Date): void {
    if (this.status !== 'planned') {
      throw conflict('already_erased', 'The erasure was already executed', { erasureId: this.id });
    }
    Object.assign(this, { status: 'running', plan, startedAt: now, updatedAt: now });
  }

  finish(now: Date): void {
    Object.assign(this, { status: 'done', finishedAt: now, updatedAt: now });
  }
}
