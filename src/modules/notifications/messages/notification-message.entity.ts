import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientKind } from '../rules/channel-config.js';

export const MESSAGE_KINDS = named('NotificationKind', ['reminder', 'contract']);
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export const MESSAGE_STATUSES = named('NotificationStatus', [
  'queued',
  'sending',
  'sent',
  'recorded',
  'failed',
  'cancelled',
]);
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** A mail that left, is about to, or would have. */
@Entity('notification_messages')
export class NotificationMessage {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: MessageKind;
  @Column('text', { name: 'run_id', nullable: true }) runId: string | null;
  @Column('text', { name: 'contract_id', nullable: true }) contractId: string | null;
  @Column('text') status: MessageStatus;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('text', { nullable: true }) error: string | null;
  @Column('text') recipient: string;
  @Column('text', { name: 'recipient_kind' }) recipientKind: RecipientKind;
  @Column('text', { name: 'suppression_group', nullable: true }) suppressionGroup: string | null;
  @Column('text') subject: string;
  @Column('text') text: string;
  @Column('integer') attempts: number;
  /** When the next attempt may be made. */
  @Column('timestamptz', { name: 'send_at' }) sendAt: Date;
  /** Whoever is sending has until then to say what became of it. */
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil: Date | null;
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
