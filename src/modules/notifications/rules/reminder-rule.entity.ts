import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import type { Trigger } from '../targets/reminder-trigger.js';
import type { ChannelConfig } from './channel-config.js';

/** Determines when reminders about a trigger are sent. Its stages never change; other stages require another rule. */
@Entity('reminder_rules')
export class ReminderRule extends Audited {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text')
  name: string;
  @Column('text') trigger: Trigger;
  @Column('boolean') enabled: boolean;
  /** If several messages are due, the highest priority is sent first. */
  @Column('integer') priority: number;
  /** Local time `HH:MM` of the organization. */
  @Impersonal()
  @Column('text', { name: 'send_time' })
  sendTime: string;
  /** Rules with the same group send a recipient at most one message in 24 hours. */
  @Column('text', { name: 'suppression_group', nullable: true }) suppressionGroup: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: { name?: string; enabled?: boolean }, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }
}

/** One step of a rule: the days from the anchor date, and the channels. */
export interface ReminderStage {
  id: string;
  ruleId: string;
  position: number;
  name: string | null;
  offsetDays: number;
  sendIfLateByHours: number;
  channels: ChannelConfig[];
}

export interface RuleWithStages {
  rule: ReminderRule;
  stages: readonly ReminderStage[];
}

/** Progress of planning reminders for targets that existed before the rule was enabled. */
export interface PlanningProgress {
  requestedAt: Date;
  finishedAt: Date | null;
  targets: number;
  runs: number;
}

export interface ReminderRuleDetails extends RuleWithStages {
  planning: PlanningProgress | null;
  /** Names of published templates that the stages name. */
  templates: readonly string[];
}
