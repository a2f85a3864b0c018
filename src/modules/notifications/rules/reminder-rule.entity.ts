import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelConfig } from './channel-config.js';
import type { Trigger } from './reminder-trigger.js';

/** When and how to remind of what. Its stages never change: whoever wants others composes another rule. */
@Entity('reminder_rules')
export class ReminderRule {
  @PrimaryColumn('text') id: string;
  @Column('text') name: string;
  @Column('text') trigger: Trigger;
  @Column('boolean') enabled: boolean;
  /** Whose messages leave first. */
  @Column('integer') priority: number;
  /** `HH:MM` by the organization's clocks. */
  @Column('text', { name: 'send_time' }) sendTime: string;
  /** Of the rules of one group, a recipient hears one in 24 hours. */
  @Column('text', { name: 'suppression_group', nullable: true }) suppressionGroup: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}

/** One step of a rule: so many days from the anchor date, by these channels. */
export interface ReminderStage {
  id: string;
  ruleId: string;
  position: number;
  name: string | null;
  offsetDays: number;
  sendIfLateByHours: number;
  channels: ChannelConfig[];
}
