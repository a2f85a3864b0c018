import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { named } from '../../../platform/http/named-values.js';
import type { ItemFault } from '../item-work.js';

export const BULK_ITEM_STATUSES = named('BulkOperationItemStatus', ['pending', 'done', 'failed', 'skipped']);
export type BulkItemStatus = (typeof BULK_ITEM_STATUSES)[number];

/** A temporary error is repeated; an item that still fails then waits for staff. */
const MAX_ATTEMPTS = 5;
const MAX_MESSAGE = 500;
const MAX_FIELD = 200;

/** A record that a bulk operation changes. */
@Rights(DELETE)
@Unaudited('progress of the work; the changed record has entries of its own')
@Entity('bulk_operation_items')
export class BulkOperationItem {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'operation_id' }) operationId: string;
  /** The order in which the items are worked on. */
  @Column('integer') position: number;
  /** The booking, trip, invoice, departure or customer. */
  @Column('text', { name: 'subject_id' }) subjectId: string;
  @Column('text') status: BulkItemStatus;
  /** Why it failed or was skipped. */
  @Column('text', { nullable: true }) code: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  message: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  field: string | null;
  @Column('integer') attempts: number;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  finish(now: Date): void {
    this.attempts += 1;
    Object.assign(this, { status: 'done', code: null, message: null, field: null, updatedAt: now });
  }

  /** An error that another attempt can overcome leaves the item pending, up to five times. */
  fail({ code, message, path, isTemporary }: ItemFault, now: Date): void {
    this.attempts += 1;
    const field = path === null || path === '' ? null : path.slice(0, MAX_FIELD);
    Object.assign(this, { code, message: message.slice(0, MAX_MESSAGE), field, updatedAt: now });
    if (!isTemporary || this.attempts >= MAX_ATTEMPTS) this.status = 'failed';
  }
}
