import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Personal } from '../../../platform/database/table-declarations.js';
import { extensible, named } from '../../../platform/http/named-values.js';
import type { SubjectType } from '../subjects/subjects.js';

export const TASK_STATUSES = named('TaskStatus', ['open', 'done', 'dismissed']);
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** `staff`, or the cause for which the service raised the task. */
export const TASK_SOURCES = extensible('TaskSource', [
  'staff',
  'minimum_not_reached',
  'departure_called_off',
  'recipient_suppressed',
  'waiting_offer',
]);
export type TaskSource = (typeof TASK_SOURCES)[number];

export interface TaskChanges {
  title?: string;
  dueOn?: string | null;
  assigneeId?: string | null;
  status?: TaskStatus;
}

/** Something that staff have to do. */
@Entity('tasks')
export class Task extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('contact')
  @Column('text')
  title: string;
  @Column('date', { name: 'due_on', nullable: true }) dueOn: string | null;
  @Column('text', { name: 'assignee_id', nullable: true }) assigneeId: string | null;
  @Column('text', { name: 'subject_type', nullable: true }) subjectType: SubjectType | null;
  @Column('text', { name: 'subject_id', nullable: true }) subjectId: string | null;
  @Column('text') status: TaskStatus;
  @Column('text') source: TaskSource;
  /** The cause of a raised task, as long as it lasts: there is one task for it, even if staff have closed the task. */
  @Column('text', { name: 'dedupe_key', nullable: true }) dedupeKey: string | null;
  /** The user who created it, or `system`. */
  @Column('text', { name: 'created_by' }) createdBy: string;
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: TaskChanges, now: Date): void {
    const { status } = this;
    Object.assign(this, changes, { updatedAt: now });
    if (this.status !== status) this.closedAt = this.status === 'open' ? null : now;
  }

  /** The cause has ended: an open task is done, and the next occurrence raises a new task. */
  endCause(now: Date): void {
    this.change({ status: this.status === 'open' ? 'done' : this.status }, now);
    this.dedupeKey = null;
  }
}
