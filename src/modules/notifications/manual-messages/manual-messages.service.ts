import { Injectable } from '@nestjs/common';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { assertScope } from '../../../platform/auth/access.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { AttachmentsService } from '../../documents/index.js';
import { LINK } from '../deliveries/link-placeholder.js';
import { SEND_MESSAGES } from '../deliveries/direct-mails.service.js';
import { assertMailable, type MessageFile } from '../messages/message-files.js';
import { MessagesService, type NewMessage } from '../messages/messages.service.js';
import type { NotificationMessage } from '../messages/notification-message.entity.js';
import { type MessageRecord, onRecord, RecordAddresses } from '../messages/record-addresses.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import type { MessageCategory } from '../templates/message-template.entity.js';
import { UnsubscriptionsService } from '../unsubscriptions/unsubscriptions.service.js';
import { MailComposer } from '../templates/mail-composer.js';
import type { PreviewMessageTemplate } from '../templates/message-template.dto.js';
import { MessageTemplatesService } from '../templates/message-templates.service.js';
import { MAX_SUBJECT } from '../templates/template-text.js';
import type { SendMessage } from './manual-message.dto.js';

const MESSAGES_A_DAY = 200;

/**
 * Messages that staff write to a customer or send from a template. What may be sent depends on the record, its files, consents,
 * suppressions and limits.
 */
@Injectable()
export class ManualMessagesService {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesService,
    private readonly addresses: RecordAddresses,
    private readonly suppressions: SuppressionsService,
    private readonly unsubscriptions: UnsubscriptionsService,
    private readonly composer: MailComposer,
    private readonly templates: MessageTemplatesService,
    private readonly attachments: AttachmentsService,
    private readonly rateLimits: RateLimits,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Queues a message to an address of the record. Throws 404 for an unknown record or template; 409 `no_recipient`,
   * `recipient_suppressed`, `consent_required` or `daily_limit_reached`; 422 `recipient_not_on_record`, `template_not_usable`, `placeholder_missing` or
   * `message_too_long`. A message of a bulk operation counts for no limit.
   */
  async send(input: SendMessage, { isBulk = false }: { isBulk?: boolean } = {}): Promise<NotificationMessage> {
    const record = recordOf(input);
    const written = writtenOf(input);
    const { attachmentIds = [] } = input;
    assertScope(record.bookingId === null ? 'customers:read' : 'bookings:read');
    return this.database.transaction(async () => {
      const mail = written ?? (await this.composer.composeManual(input.templateId ?? '', record));
      if (written) await this.composer.assertRecord(record);
      const { category, ...texts } = mail;
      const isMarketing = category === 'marketing';
      if (isMarketing && attachmentIds.length > 0) {
        throw invalidField('attachmentIds', 'A marketing message has no attachments', 'not_applicable');
      }
      const files = await this.filesOf(record, attachmentIds);
      const customerId = await this.addresses.customerOf(record);
      if (isMarketing) await this.unsubscriptions.assertConsent(customerId);
      // The consent is that of the customer, so marketing goes to no other address of the booking.
      const known = await this.addresses.listOf(isMarketing ? { bookingId: null, customerId } : record);
      const recipient = input.recipientEmail === undefined ? known[0] : onRecord(input.recipientEmail, known);
      if (recipient === undefined) throw conflict('no_recipient', 'The record has no e-mail address');
      await this.suppressions.assertReachable(recipient, isMarketing ? 'marketing' : 'all');
      const createdBy = currentActor().principal;
      if (!isBulk) {
        await this.assertLimit(createdBy);
        this.rateLimits.takeMail({ subject: record.bookingId ?? record.customerId ?? '', recipient });
      }
      return this.queue({
        kind: isMarketing ? 'marketing' : files.length > 0 ? 'document' : 'manual',
        ...{ ...record, ...texts, customerId, recipient, files },
        ...(isBulk ? {} : { createdBy }),
      });
    });
  }

  /**
   * Queues the message of a template, also of a draft, to the calling user only. Throws what the preview throws, and 409 `no_recipient`,
   * `recipient_suppressed` or `daily_limit_reached`.
   */
  async sendTest(templateId: string, input: PreviewMessageTemplate): Promise<NotificationMessage> {
    const { subject, text } = await this.templates.preview(templateId, input);
    return this.database.transaction(async () => {
      const createdBy = currentActor().principal;
      const recipient = await this.addresses.ofUser(createdBy);
      if (recipient === null) throw conflict('no_recipient', 'Only a user has an address for test messages');
      await this.suppressions.assertReachable(recipient);
      await this.assertLimit(createdBy);
      this.rateLimits.takeMail({ subject: createdBy, recipient });
      // A template may contain the placeholder of a link, which only some mails have.
      const mail = { subject: `[Test] ${subject}`.slice(0, MAX_SUBJECT), text: text.replaceAll(LINK, '') };
      const { bookingId = null } = input;
      return this.queue({ kind: 'test', ...mail, bookingId, recipient, createdBy, templateId });
    });
  }

  private async assertLimit(userId: string): Promise<void> {
    if ((await this.messages.countOfToday(userId)) < MESSAGES_A_DAY) return;
    throw conflict('daily_limit_reached', 'The user has sent the messages of a day', { limit: MESSAGES_A_DAY });
  }

  private async queue(mail: NewMessage): Promise<NotificationMessage> {
    const id = await this.messages.queue(mail);
    await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${id}` });
    return this.messages.recordCreation(id);
  }

  /** The attachments must belong to the record, or to the customer of the booking. */
  private async filesOf(record: MessageRecord, attachmentIds: readonly string[]): Promise<MessageFile[]> {
    if (attachmentIds.length === 0) return [];
    assertScope('documents:read');
    const owners = [record.bookingId, await this.addresses.customerOf(record)];
    const files: MessageFile[] = [];
    for (const [index, id] of attachmentIds.entries()) {
      const field = `attachmentIds.${index}`;
      const attachment = await this.attachments.getMailable(id, field);
      if (!owners.includes(attachment.subjectId)) {
        const message = 'The attachment belongs to neither the booking nor its customer';
        throw unprocessable('attachment_not_on_record', message, { field });
      }
      files.push({ source: 'attachment', id, ...attachment });
    }
    assertMailable(files, 'attachmentIds');
    return files.map(({ source, id, fileName, contentType, sizeBytes }) => {
      return { source, id, fileName, contentType, sizeBytes };
    });
  }
}

function recordOf(input: SendMessage): MessageRecord {
  const [bookingId, customerId] = [input.bookingId ?? null, input.customerId ?? null];
  if (bookingId === null && customerId === null) {
    throw invalidField('bookingId', 'bookingId or customerId is required', 'required');
  }
  if (bookingId !== null && customerId !== null) {
    throw invalidField('customerId', 'Only one of bookingId and customerId is allowed', 'not_applicable');
  }
  return { bookingId, customerId };
}

interface Written {
  subject: string;
  text: string;
  category: MessageCategory;
}

/**
 * Null if a template writes the message. Throws 400 unless there is either a template, or a subject and a text; `path` is where they
 * are in the request.
 */
export function writtenOf(
  { templateId, subject, text, category }: Pick<SendMessage, 'templateId' | 'subject' | 'text' | 'category'>,
  path = '',
): Written | null {
  if (templateId !== undefined) {
    if (category !== undefined) {
      throw invalidField(`${path}category`, 'A template has its own category', 'not_applicable');
    }
    const written = subject === undefined ? 'text' : 'subject';
    if (subject === undefined && text === undefined) return null;
    throw invalidField(`${path}${written}`, 'A template has its own subject and text', 'not_applicable');
  }
  if (subject === undefined || text === undefined) {
    const missing = subject === undefined ? 'subject' : 'text';
    throw invalidField(`${path}${missing}`, 'A message needs a templateId, or subject and text', 'required');
  }
  if (text.includes(LINK)) {
    throw unprocessable('placeholder_unknown', 'Only templates have placeholders', { field: `${path}text` });
  }
  return { subject, text, category: category ?? 'transactional' };
}
