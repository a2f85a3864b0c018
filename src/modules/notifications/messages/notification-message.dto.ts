import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { AnyOf, FormerName, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { withNames } from '../../../platform/http/row-names.js';
import { maskAddress, shownAddress } from './mask-address.js';
import {
  MESSAGE_KINDS,
  MESSAGE_STATUSES,
  isToStaff,
  type MessageKind,
  type MessageStatus,
  type NotificationMessage,
} from './notification-message.entity.js';

/** Filters and paging of the list of messages. */
export class ListNotificationMessages extends PageQuery {
  /** Only messages of this reminder run. */
  @Optional()
  @Text({ max: 100 })
  runId?: string;

  /** Only messages about this booking. */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only messages about no booking in particular to this customer. */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** Only messages to exactly this address; the case does not matter. */
  @Optional()
  @Text({ max: 255 })
  recipient?: string;

  /** Only messages of these kinds. */
  @Optional()
  @AnyOf(MESSAGE_KINDS)
  kind?: MessageKind[];

  /** Only messages that failed or were returned for this reason. */
  @Optional()
  @Text({ max: 100 })
  reason?: string;

  /** Only messages with one of these statuses. */
  @Optional()
  @AnyOf(MESSAGE_STATUSES)
  status?: MessageStatus[];

  /** Only messages created at or after this time. */
  @FormerName('from')
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only messages created before this time. */
  @FormerName('to')
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** A file that a mail carries. */
export class MessageFileResponse {
  /** Attachment (prefix `att`); null for a document of a booking or an invoice. */
  @Id('att')
  attachmentId: string | null;

  /** Name that the file has in the mail. */
  @Text({ max: 200 })
  fileName: string;

  /** Size of the file in bytes. */
  @Whole({ min: 1, max: Number.MAX_SAFE_INTEGER })
  sizeBytes: number;
}

/** An e-mail to a customer, or about an account to a member of staff, with its delivery state. */
export class NotificationMessageResponse {
  @Id('nmsg')
  id: string;

  /**
   * Subject of the message: a reminder, a contract, the account of a member of staff, or a departure that was called off. Staff send
   * `manual` and `marketing` messages, `document` messages with files, and `test` messages to themselves.
   */
  @OneOf(MESSAGE_KINDS)
  kind: MessageKind;

  /** The reminder run that the message belongs to; null for other messages. */
  @Id('rrun')
  runId: string | null;

  /** Reference of the contract that the message delivers; null for other messages. */
  @Text({ max: 31 })
  contractReference: string | null;

  /** The booking that the message concerns; null if it concerns none. */
  @Id('book')
  bookingId: string | null;

  /** The customer that staff wrote to, also about a booking of the customer; null for other messages. */
  @Id('cus')
  customerId: string | null;

  /** The message that this one repeats; null if it repeats none. */
  @Id('nmsg')
  resendOf: string | null;

  /** The user who sent it by hand, or again (prefix `user`); null for other messages, also those of bulk operations. */
  @Text({ max: 100 })
  createdBy: string | null;

  /** The template of its text; null for a built-in text, and for one that staff wrote. */
  @Id('mtpl')
  templateId: string | null;

  /**
   * Delivery state. `recorded`: no mail server is configured, so the message was stored and not sent; `bounced`: it was sent and came
   * back; `complained`: its recipient reported it as spam.
   */
  @OneOf(MESSAGE_STATUSES)
  status: MessageStatus;

  /**
   * Reason of the failure: `hard_bounce` (the mail server rejected the address, which is now suppressed), `soft_bounce` (the mail came
   * back after temporary errors), `complaint`, `rejected` (a server rejected the sender or the content), `recipient_suppressed`, `consent_required`,
   * `file_missing` (a file of the mail was deleted),
   * `attempts_exhausted` or `outcome_unknown`; null if it did not fail.
   */
  @Text({ max: 100 })
  reason: string | null;

  /** Error of the last attempt; null if there was none. */
  @Text({ max: 500 })
  error: string | null;

  /** Address of the recipient; masked without the scope `customers:read`, and always if it is of a member of staff. */
  @Text({ max: 260 })
  recipient: string;

  /** Subject line as sent. */
  @Text({ max: 500 })
  subject: string;

  /** Plain text as sent, with `{{link}}` in place of the link to a contract or of a one-time link. */
  @Text({ max: 20_000, multiline: true })
  text: string;

  /** Files that the mail carries. */
  @ListOf(() => MessageFileResponse, { max: 20 })
  files: MessageFileResponse[];

  /** The number of delivery attempts so far. */
  @Whole({ min: 0, max: 8 })
  attempts: number;

  /** Earliest time of the next attempt, or the time at which the last attempt was planned. */
  @Instant()
  sendAt: string;

  /** Time of successful delivery to the mail server; null if it was not sent. */
  @Instant()
  sentAt: string | null;

  /** Time at which a bounce or a complaint was reported; null if none was. */
  @Instant()
  reportedAt: string | null;

  @Instant()
  createdAt: string;
}

export function toMessage(message: NotificationMessage): NotificationMessageResponse {
  return respond(NotificationMessageResponse, message, {
    contractReference: message.contractId,
    recipient: isToStaff(message.kind) ? maskAddress(message.recipient) : shownAddress(message.recipient),
    files: message.files.map(({ source, id, fileName, sizeBytes }) => {
      return { attachmentId: source === 'attachment' ? id : null, fileName, sizeBytes };
    }),
  });
}

export class NotificationMessageEnvelope extends dataOf(NotificationMessageResponse) {}
/** A message in a list, with names beside its IDs. */
class NotificationMessageRow extends withNames(NotificationMessageResponse, 'bookingId', 'customerId') {}

export class NotificationMessagePage extends pageOf(NotificationMessageRow) {}
