import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { masked } from './masked.js';
import {
  MESSAGE_KINDS,
  MESSAGE_STATUSES,
  type MessageKind,
  type MessageStatus,
  type NotificationMessage,
} from './notification-message.entity.js';

export class ListNotificationMessages extends PageQuery {
  /** The run that it is for. */
  @Optional()
  @Text({ max: 100 })
  runId?: string;

  @Optional()
  @OneOf(MESSAGE_STATUSES)
  status?: MessageStatus;

  /** Messages made from this instant on. */
  @Optional()
  @Instant()
  from?: string;

  /** Messages made before this instant. */
  @Optional()
  @Instant()
  to?: string;
}

export class NotificationMessageResponse {
  @Id('nmsg')
  id: string;

  @OneOf(MESSAGE_KINDS)
  kind: MessageKind;

  @Id('rrun')
  runId: string | null;

  @Text({ max: 30 })
  contractId: string | null;

  /** `recorded`: there is no mail server, so this is what would have been sent. */
  @OneOf(MESSAGE_STATUSES)
  status: MessageStatus;

  /** Why it failed: `rejected`, `attempts_exhausted`, `outcome_unknown`. */
  @Text({ max: 100 })
  reason: string | null;

  /** What went wrong at the last attempt. */
  @Text({ max: 500 })
  error: string | null;

  /** Masked. */
  @Text({ max: 260 })
  recipient: string;

  @Text({ max: 500 })
  subject: string;

  @Text({ max: 20_000, multiline: true })
  text: string;

  @Whole({ min: 0, max: 8 })
  attempts: number;

  /** When the next attempt may be made, or the last was decided. */
  @Instant()
  sendAt: string;

  @Instant()
  sentAt: string | null;

  @Instant()
  createdAt: string;
}

export function toMessage(message: NotificationMessage): NotificationMessageResponse {
  return {
    id: message.id,
    kind: message.kind,
    runId: message.runId,
    contractId: message.contractId,
    status: message.status,
    reason: message.reason,
    error: message.error,
    recipient: masked(message.recipient),
    subject: message.subject,
    text: message.text,
    attempts: message.attempts,
    sendAt: message.sendAt.toISOString(),
    sentAt: message.sentAt?.toISOString() ?? null,
    createdAt: message.createdAt.toISOString(),
  };
}

export class NotificationMessagePage extends pageOf(NotificationMessageResponse) {}
