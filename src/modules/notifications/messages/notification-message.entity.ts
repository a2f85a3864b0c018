import { extensible, named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import type { MessageFile } from './message-files.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

export const MESSAGE_KINDS = extensible('NotificationKind', [
  'reminder',
  'contract',
  'account',
  'call_off',
  'waiting_offer',
  'manual',
  'marketing',
  'document',
  'test',
]);
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Whether a message goes to a member of staff, not to a customer. */
export function isToStaff(kind: MessageKind): boolean {
  return kind === 'account' || kind === 'test';
}

export const MESSAGE_STATUSES = named('NotificationStatus', [
  'queued',
  'sending',
  'sent',
  'recorded',
  'failed',
  'cancelled',
  'bounced',
  'complained',
]);
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const RECIPIENT_KINDS = ['primary', 'cc', 'bcc'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

/** An e-mail to a customer, or about an account to a member of staff. */
@Entity('notification_messages')
export class NotificationMessage {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: MessageKind;
  @Column('text', { name: 'run_id', nullable: true }) runId: string | null;
  /** The reference of the contract. */
  @Unaudited('`contractReference` in the snapshot')
  @Column('text', { name: 'contract_id', nullable: true })
  contractId: string | null;
  /** The one-time link of an account mail. Its address is never stored; the text contains `{{link}}` instead. */
  @Unaudited('leads to a one-time link')
  @Column('text', { name: 'account_link_id', nullable: true })
  accountLinkId: string | null;
  /** The booking that it concerns. */
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  /** The message that this one repeats. */
  @Impersonal()
  @Column('text', { name: 'resend_of', nullable: true })
  resendOf: string | null;
  /** The user who sent it by hand. */
  @Column('text', { name: 'created_by', nullable: true }) createdBy: string | null;
  /** The template of its text; null for other texts. */
  @Column('text', { name: 'template_id', nullable: true }) templateId: string | null;
  @Column('text') status: MessageStatus;
  @Impersonal()
  @Column('text', { nullable: true })
  reason: string | null;
  @Personal('messages')
  @Unaudited('progress of the sending')
  @Column('text', { nullable: true })
  error: string | null;
  @Personal('messages')
  @Unaudited('personal data that no reversal restores')
  @Column('text')
  recipient: string;
  @Unaudited('never changes')
  @Column('text', { name: 'recipient_kind' })
  recipientKind: RecipientKind;
  @Unaudited('never changes')
  @Column('text', { name: 'suppression_group', nullable: true })
  suppressionGroup: string | null;
  @Personal('messages')
  @Unaudited('personal data that no reversal restores')
  @Column('text')
  subject: string;
  @Personal('messages')
  @Unaudited('personal data that no reversal restores')
  @Column('text')
  text: string;
  /** The files that the mail carries. */
  @Personal('messages')
  @Unaudited('personal data that no reversal restores')
  @Column('jsonb')
  files: MessageFile[];
  /** Names the version of the documents that the mail carries; null for mails with other files or none. */
  @Column('text', { name: 'document_key', nullable: true })
  documentKey: string | null;
  @Column('integer') attempts: number;
  /** Earliest time of the next attempt. */
  @Unaudited('progress of the sending')
  @Column('timestamptz', { name: 'send_at' })
  sendAt: Date;
  /** The sending process records the outcome before this time; otherwise the outcome is unknown. */
  @Unaudited('progress of the sending')
  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;
  @Unaudited('progress of the sending')
  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt: Date | null;
  /** Time at which a bounce or a complaint was reported. */
  @Unaudited('the time of the entry')
  @Column('timestamptz', { name: 'reported_at', nullable: true })
  reportedAt: Date | null;
  /** Time at which recipient, subject and text were replaced, after the retention period. */
  @Unaudited('the retention job records its own entry')
  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  auditImage(): object {
    return { ...imageOf(this), contractReference: this.contractId };
  }
}
