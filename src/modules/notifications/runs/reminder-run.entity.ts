import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

export const RUN_STATUSES = named('ReminderRunStatus', [
  'planned',
  'queued',
  'sending',
  'sent',
  'failed',
  'cancelled',
  'superseded',
  'expired',
  'skipped',
]);
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A planned message. A rule has at most one run for a target, anchor date, stage and channel. */
@Entity('reminder_runs')
@Unaudited('sent and cancelled by jobs; the entries of its rule and message record it')
export class ReminderRun {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'rule_id' }) ruleId: string;
  @Column('text', { name: 'stage_id' }) stageId: string;
  @Column('smallint', { name: 'channel_position' }) channelPosition: number;
  @Column('text') channel: string;
  @Column('integer') priority: number;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'schedule_id', nullable: true }) scheduleId: string | null;
  @Column('text', { name: 'invoice_id', nullable: true }) invoiceId: string | null;
  @Column('text', { name: 'target_id' }) targetId: string;
  @Column('date', { name: 'anchor_date' }) anchorDate: string;
  @Column('text') status: RunStatus;
  @Impersonal()
  @Column('text', { nullable: true })
  reason: string | null;
  /** Time at which it was sent or ended; before that, the planned time. */
  @Column('timestamptz', { name: 'run_at' }) runAt: Date;
  @Personal('messages')
  @Column('text', { nullable: true })
  recipient: string | null;
  @Column('integer') attempts: number;

  isOpen(): boolean {
    return this.status === 'planned' || this.status === 'queued';
  }
}
